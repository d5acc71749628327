"""Logs on stderr: one JSON object per line, without secrets, never blocking."""

import logging
import os
import select
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import lru_cache
from typing import TextIO

from benchpin.core.text import visible
from benchpin.server.wire import to_json

from ._redaction import redact, redact_text

_FIELDS = "benchpin_fields"

# The current request; log lines written while serving it carry this id.
correlation_id: ContextVar[str] = ContextVar("correlation_id", default="")

_SECONDS = len("2026-07-28T12:00:00")
# Writing this many bytes to a writable pipe does not block.
_ATOMIC = select.PIPE_BUF if hasattr(select, "PIPE_BUF") else 512


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
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
