"""Logs on stderr: one JSON object per line, without secrets, never blocking."""

import logging
import os
import re
import select
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import lru_cache
from typing import TextIO

from benchpin.core.text import visible
from benchpin.server.wire import to_json

REDACTED = "[REDACTED]"
# Names that are secret whatever comes before them: `dbpassword`.
_LONG = ("password", "passwd", "passphrase", "private_key", "api_key", "authorization")
# Names that are secret as words of their own: `client_secret`, but not `tokens`.
_SHORT = (
    *("cookie", "set_cookie", "credential", "credentials", "pwd", "secret", "token"),
    *("access_key", "encryption_key", "secret_key", "signing_key"),
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_URL = re.compile(r"://([^\s\"'<>]++)")
_USERINFO = re.compile(r"(?<![\w.+-])[\w.+-]++:[^\s/@:\"']++@")
_SQL = re.compile(
    r"\bselect\s|\b(?:insert|replace)\s++into\b|\bupdate\s++\S++\s++set\b|\bdelete\s++from\b"
    r"|\bvalues\s*+\(|\bidentified\s++by\b|\bcall\s++\w++\s*+\("
    r"|\bwhere\s++[\w.`]++\s*+(?:[=<>!]|(?:like|in|between)\b)",
    re.IGNORECASE,
)
_FIELDS = "benchpin_fields"
# The current request; log lines written while serving it carry this id.
correlation_id: ContextVar[str] = ContextVar("correlation_id", default="")
_SECONDS = len("2026-07-28T12:00:00")
# Writing this many bytes to a writable pipe does not block.
_ATOMIC = select.PIPE_BUF if hasattr(select, "PIPE_BUF") else 512


def _either(*names: str) -> str:
    return "|".join(name.replace("_", "[-_]?") for name in names)


_KEY = re.compile(rf".*(?:{_either(*_LONG)})|(?:.*[-_])?(?:{_either(*_SHORT)})", re.IGNORECASE)
_NAMES = _either(*_LONG, *_SHORT)
_SECRET = re.compile(
    rf"(?P<key>(?:{_NAMES})\\*+[\"']?\s*+[:=]\s*+\\*+)(?:(?:bearer|basic)\s++)?"
    r"(?:\"(?:[^\"\\]|\\.)*+\"?|'(?:[^'\\]|\\.)*+'?|[^\s,;&\"']++)"
    rf"|(?P<flag>-(?:{_NAMES})\s++)(?!-)[^\s\"']++"
    r"|(?P<bearer>\bbearer\s++)[\w.~+/=-]++"
    r"|(?P<block>PRIVATE KEY-----)[^-]++",
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


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        # Formatting a date takes longer than the rest of the line, so once a second is enough.
        second = int(record.created)
        timestamp = f"{_second(second)}.{int((record.created - second) * 1000):03}+00:00"
        line: dict[str, object] = {"timestamp": timestamp, "level": record.levelname.lower()}
        fields = getattr(record, _FIELDS, None)
        if isinstance(fields, Mapping):
            line.update(fields)
        else:
            line["logger"] = record.name
            line["message"] = redact_text(record.getMessage())
            if current := correlation_id.get():
                line["correlation_id"] = redact_text(current)
        if record.exc_info:
            line["traceback"] = redact_text(self.formatException(record.exc_info))
        return visible(to_json(line, fallback=str).decode())


@lru_cache(maxsize=1)
def _second(timestamp: int) -> str:
    return datetime.fromtimestamp(timestamp, UTC).isoformat()[:_SECONDS]


class StderrHandler(logging.Handler):
    """Writes lines to a descriptor; drops and counts them while it is full.

    A host that never reads our stderr must not block the server.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        super().__init__()
        self._stream = stream or sys.stderr  # kept alive: its descriptor is used
        self._descriptor = self._stream.fileno()
        self._dropped = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line if the descriptor accepts it."""
        line = (self.format(record) + "\n").encode()
        if self._dropped and self._is_writable():
            line = (
                f'{{"level":"warning","message":"{self._dropped} lines dropped"}}\n'.encode() + line
            )
            self._dropped = 0
        for start in range(0, len(line), _ATOMIC):
            if not self._is_writable() or not self._write(line[start : start + _ATOMIC]):
                self._dropped += 1
                return

    def _is_writable(self) -> bool:
        try:
            return bool(select.select([], [self._descriptor], [], 0)[1])
        except (OSError, ValueError):  # closed by the parent process
            return False

    def _write(self, chunk: bytes) -> bool:
        try:
            os.write(self._descriptor, chunk)
        except OSError:
            return False
        return True


def configure_logging(*, debug: bool) -> None:
    """Send every logger to stderr as JSON."""
    handler: logging.Handler = logging.NullHandler() if sys.stderr is None else StderrHandler()
    handler.setFormatter(JsonFormatter())
    _skip_unused_fields()
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("uvicorn.error").addFilter(_is_real_error)
    logging.getLogger("benchpin").setLevel(logging.DEBUG if debug else logging.INFO)


def _skip_unused_fields() -> None:
    """Do not collect the caller, thread and process of records, as the logging HOWTO shows."""
    logging._srcfile = None  # noqa: SLF001 - the documented way
    logging.logThreads = False
    logging.logProcesses = False
    logging.logMultiprocessing = False


def _is_real_error(record: logging.LogRecord) -> bool:
    """Drop what uvicorn logs for every WebSocket that was refused with a response."""
    return not record.getMessage().startswith("ASGI callable returned without completing")


def log_fields(logger: logging.Logger, level: int, fields: Mapping[str, object]) -> None:
    """Log an object; secrets in it are replaced."""
    if logger.isEnabledFor(level):
        # Not with `extra`, which takes twice as long.
        record = logging.LogRecord(logger.name, level, "", 0, "", (), None)
        record.__dict__[_FIELDS] = redact(fields)
        logger.handle(record)
