"""Keep secrets out of logs."""

import re
from collections.abc import Mapping
from functools import lru_cache

REDACTED = "[REDACTED]"
_NAMES = ("authorization", "cookie", "set-cookie", "password", "secret", "token", "api_key")
_WORDS = "|".join(re.escape(name).replace("_", "[-_]?").replace(r"\-", "[-_]?") for name in _NAMES)
_KEY = re.compile(rf"(?:.*[-_])?(?:{_WORDS})", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_IN_TEXT = re.compile(
    rf"(?P<key>\b(?:{_WORDS})\b[\"']?\s*[:=]\s*[\"']?)(?P<scheme>(?:bearer|basic)\s+)?[^\s,;&\"']+"
    r"|(?P<bearer>\bbearer\s+)[\w.~+/=-]+",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)
def is_secret(key: str) -> bool:
    """Whether a key names a secret: `token`, `Set-Cookie`, `client_secret`, `authToken`."""
    return _KEY.fullmatch(_CAMEL.sub("_", key)) is not None


def redact(value: object) -> object:
    """Return a copy with secrets replaced, at any depth: values of secret keys, and in texts."""
    if isinstance(value, str):
        return redact_text(value)
    if value is None or isinstance(value, float):  # the common case; testing for `Mapping` is slow
        return value
    if isinstance(value, Mapping):
        return {
            key: REDACTED if isinstance(key, str) and is_secret(key) else redact(inner)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [redact(inner) for inner in value]
    return value


def redact_text(text: str) -> str:
    """Replace what follows `password=`, `Authorization: Bearer` and the like."""
    # A quick test: most texts contain nothing that the expression could match.
    if ":" not in text and "=" not in text and "bearer" not in text.lower():
        return text
    return _IN_TEXT.sub(lambda found: f"{found['key'] or found['bearer']}{REDACTED}", text)
