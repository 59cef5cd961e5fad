"""Errors caused by user input, which the command line prints without a traceback, and messages without secrets."""

import re
from collections.abc import Mapping
from typing import Any

# A password may contain the characters that end it for a parser: ``http://me:pa/ss@host``. So everything up to the last
# ``@`` is masked: too much rather than too little.
#: Addresses of files have no credentials, and an ``@`` in their paths is harmless.
_SCHEME = r"(?<!sqlite)(?<!file)://|(?:sqlite|file)://(?!/)"
_CREDENTIALS = re.compile(rf"({_SCHEME})[^\n]*@")
#: ``user:password@host``, where the scheme was forgotten.
_WITHOUT_SCHEME = re.compile(r"(?<![^\s'\"(<=])[^\s:/'\"(<=]*:(?!//)\S*@")
_SECRETS = re.compile(
    r"(?i)\b([\w-]*(?:token|password|passwd|pwd|secret|api_?key|access_?key|sig|signature|credential)"
    r"['\"]?\s*[=:]\s*['\"]?)[^\s&'\",;]+"
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}")


class InputError(ValueError):
    """User input that cannot be used. The message says what is wrong and what to do."""


def not_installed(package: str, extras: str = "workflow") -> str:
    """Return how to install a package that only the benchmark needs."""
    return f"{package} is not installed. Install it with: pip install 'hypercut[{extras}]'"


def redact(text: object) -> str:
    """Return a text without passwords and tokens: those in addresses, and those that are named as such."""
    masked = _CREDENTIALS.sub(r"\1***@", str(text))
    masked = _WITHOUT_SCHEME.sub("***@", masked)
    masked = _SECRETS.sub(r"\1***", masked)
    return _BEARER.sub(r"\1 ***", masked)


def redact_address(address: str) -> str:
    """Return an address without its credentials, even where they contain spaces or line breaks."""
    scheme = re.match(rf"[\w+.-]*(?:{_SCHEME})", address)
    credentials, at, rest = address.rpartition("@")
    if at and (scheme or "://" not in credentials):
        return redact(f"{scheme[0] if scheme else ''}***@{rest}")
    return redact(address)


def without_secrets(config: Any) -> Any:
    """Return a copy of a configuration in which every string that looks like an address is redacted."""
    if isinstance(config, Mapping):
        return {key: without_secrets(value) for key, value in config.items()}
    if isinstance(config, list | tuple):
        return [without_secrets(value) for value in config]
    if isinstance(config, str) and ("://" in config or "@" in config):
        return redact(config)
    return config
