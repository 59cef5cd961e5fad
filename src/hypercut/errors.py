"""The error for bad user input, which the command line prints without a traceback; masking of secrets in messages."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

#: URLs of files have no credentials, and an ``@`` in their paths is harmless.
_SCHEME = r"(?<!sqlite)(?<!file)://|(?:sqlite|file)://(?!/)"
#: A password may contain characters at which a parser would end it (``http://me:pa/ss@host``). So everything up to the
#: last ``@`` is masked, even if that is too much.
_CREDENTIALS = re.compile(rf"({_SCHEME})[^\n]*@")
#: ``user:password@host`` without a scheme.
_WITHOUT_SCHEME = re.compile(r"(?<![^\s'\"(<=])[^\s:/'\"(<=]*:(?!//)\S*@")
_SECRETS = re.compile(
    r"(?i)\b([\w-]*(?:token|password|passwd|pwd|secret|api_?key|access_?key|sig|signature|credential)"
    r"['\"]?\s*[=:]\s*['\"]?)[^\s&'\",;]+"
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}")

#: Lines of a list that a message shows.
LISTED = 10


class InputError(ValueError):
    """Unusable user input. The message says what is wrong and what to do."""


def not_installed(package: str) -> str:
    """Return the message for a missing optional package, with the command that installs it."""
    extra = "plot" if package in ("matplotlib", "seaborn", "jinja2") else "workflow"
    return f"{package} is not installed. Install it with: pip install 'hypercut[{extra}]'"


def redact(text: object) -> str:
    """Return the text with passwords and tokens masked, in addresses or after a name such as ``token=``."""
    masked = _CREDENTIALS.sub(r"\1***@", str(text))
    masked = _WITHOUT_SCHEME.sub("***@", masked)
    masked = _SECRETS.sub(r"\1***", masked)
    return _BEARER.sub(r"\1 ***", masked)


def redact_address(address: str) -> str:
    """Return the address with its credentials masked, even if they contain spaces or line breaks."""
    scheme = re.match(rf"[\w+.-]*(?:{_SCHEME})", address)
    credentials, at, rest = address.rpartition("@")
    if at and (scheme or "://" not in credentials):
        return redact(f"{scheme[0] if scheme else ''}***@{rest}")
    return redact(address)


def without_secrets(config: Any) -> Any:
    """Return a copy of the configuration in which every string that looks like an address is redacted."""
    if isinstance(config, Mapping):
        return {key: without_secrets(value) for key, value in config.items()}
    if isinstance(config, list | tuple):
        return [without_secrets(value) for value in config]
    if isinstance(config, str) and ("://" in config or "@" in config):
        return redact(config)
    return config


def listed(heading: str, lines: Iterable[str], advice: str = "") -> str:
    """Return a heading, the first lines below it, the number of further lines, and the advice."""
    lines = list(lines)
    more = [f"  and {len(lines) - LISTED} more"] if len(lines) > LISTED else []
    return "\n".join([heading, *(f"  {line}" for line in lines[:LISTED]), *more, *([advice] if advice else [])])
