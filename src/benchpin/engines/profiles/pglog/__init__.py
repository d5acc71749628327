"""Logs of PostgreSQL with the durations of statements."""

from .messages import LOG_FORMATS, LogFormat, log_format
from .reading import read_postgres_log

__all__ = ["LOG_FORMATS", "LogFormat", "log_format", "read_postgres_log"]
