"""Addresses and other texts without the secrets in them."""

import re

_CREDENTIALS = re.compile(r"(?<=://)[^/\s@'\"]+@")
_SECRETS = re.compile(
    r"(?i)\b([\w-]*(?:token|password|passwd|secret|api_?key|access_?key|signature)\s*[=:]\s*)[^\s&'\",;]+"
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}")


def redact(text: object) -> str:
    """Return the text without passwords and tokens: those in URIs, and those that are named as such."""
    masked = _CREDENTIALS.sub("***@", str(text))
    masked = _SECRETS.sub(r"\1***", masked)
    return _BEARER.sub(r"\1 ***", masked)
