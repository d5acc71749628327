"""Logs of PostgreSQL with the durations of statements."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._messages import LOG_FORMATS, log_format
    from ._reading import read_postgres_log, redact, skeleton

__all__ = ["LOG_FORMATS", "log_format", "read_postgres_log", "redact", "skeleton"]

__getattr__ = lazy(
    __name__,
    """
    _messages: LOG_FORMATS log_format
    _reading: read_postgres_log
    _reading: redact skeleton
    """,
)
