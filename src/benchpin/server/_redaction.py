"""Keep secrets out of logs: values of secret keys, credentials in URLs, literals in SQL."""

import re
from collections.abc import Mapping
from functools import lru_cache

REDACTED = "[REDACTED]"
# Names that are secret whatever comes before them: `dbpassword`.
_LONG = ("password", "passwd", "passphrase", "private_key", "api_key", "authorization")
# Names that are secret as words of their own: `client_secret`, but not `tokens`.
_SHORT = (
    *("cookie", "set_cookie", "credential", "credentials", "pwd", "secret", "token"),
    *("access_key", "encryption_key", "secret_key", "signing_key"),
)


def _either(*names: str) -> str:
    return "|".join(name.replace("_", "[-_]?") for name in names)


_KEY = re.compile(rf".*(?:{_either(*_LONG)})|(?:.*[-_])?(?:{_either(*_SHORT)})", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAMES = _either(*_LONG, *_SHORT)
_SECRET = re.compile(
    rf"(?P<key>(?:{_NAMES})\\*+[\"']?\s*+[:=]\s*+\\*+)(?:(?:bearer|basic)\s++)?"
    r"(?:\"(?:[^\"\\]|\\.)*+\"?|'(?:[^'\\]|\\.)*+'?|[^\s,;&\"']++)"
    rf"|(?P<flag>-(?:{_NAMES})\s++)(?!-)[^\s\"']++"
    r"|(?P<bearer>\bbearer\s++)[\w.~+/=-]++"
    r"|(?P<block>PRIVATE KEY-----)[^-]++",
    re.IGNORECASE,
)
_URL = re.compile(r"://([^\s\"'<>]++)")
_USERINFO = re.compile(r"(?<![\w.+-])[\w.+-]++:[^\s/@:\"']++@")
_SQL = re.compile(
    r"\bselect\s|\b(?:insert|replace)\s++into\b|\bupdate\s++\S++\s++set\b|\bdelete\s++from\b"
    r"|\bvalues\s*+\(|\bidentified\s++by\b|\bcall\s++\w++\s*+\("
    r"|\bwhere\s++[\w.`]++\s*+(?:[=<>!]|(?:like|in|between)\b)",
    re.IGNORECASE,
)


def is_secret(key: str) -> bool:
    """Whether a key names a secret: `token`, `Set-Cookie`, `client_secret`, `authToken`."""
    return _KEY.fullmatch(_CAMEL.sub("_", key)) is not None


@lru_cache(maxsize=1024)
def _redacted_key(key: str) -> tuple[str, bool]:
    return redact_text(key), is_secret(key)


def redact(value: object) -> object:
    """Return a copy with secrets replaced, at any depth: values of secret keys, and in texts."""
    if isinstance(value, str):
        return redact_text(value)
    if value is None or isinstance(value, float):  # the common case; testing for `Mapping` is slow
        return value
    if isinstance(value, dict | Mapping):  # `dict` first: testing for `Mapping` is slow
        shown: dict[object, object] = {}
        for key, inner in value.items():
            if isinstance(key, str):
                shown_key, hides_value = _redacted_key(key)
                shown[shown_key] = REDACTED if hides_value else redact(inner)
            else:
                shown[key] = redact(inner)
        return shown
    if isinstance(value, list | tuple):
        return [redact(inner) for inner in value]
    return value


def redact_text(text: str) -> str:
    """Replace secrets after `password=` and the like, credentials in URLs and literals in SQL."""
    if text.isidentifier() or text.isalnum():  # the common case: a name, a hash
        return text
    if "@" in text:
        text = _URL.sub(_without_credentials, text)
        text = _USERINFO.sub(f"{REDACTED}@", text)
    text = _SECRET.sub(lambda found: f"{found[found.lastgroup or 0]}{REDACTED}", text)
    statement = _SQL.search(text)
    return text if statement is None else _without_literals(text, statement.start())


def _without_credentials(found: re.Match[str]) -> str:
    rest = found[1]
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" in authority:
        return f"://{REDACTED}@{authority.rpartition('@')[2]}{rest[len(authority) :]}"
    port = authority.rpartition(":")[2]
    if "@" in rest and ":" in authority and not port.isdigit():  # a password with a slash
        return f"://{REDACTED}@{rest.rpartition('@')[2]}"
    return found[0]


def _without_literals(text: str, start: int) -> str:
    from benchpin.performance.slowlog import redact_sql  # noqa: PLC0415 - few logs have SQL

    sql = text[start:].encode("utf-8", "surrogatepass")
    return text[:start] + redact_sql(sql).decode("utf-8", "replace")
