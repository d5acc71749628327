"""Dead code: functions, methods and types that nothing uses, with a confidence and a reason."""

from .outside_code import find_names_outside_code, reader_of
from .report import (
    RULES,
    SURE_FROM,
    DeadCode,
    DeadCodeSummary,
    DeadItem,
    FileShare,
    as_finding,
    find_dead_code,
    names_in,
)

__all__ = [
    "RULES",
    "SURE_FROM",
    "DeadCode",
    "DeadCodeSummary",
    "DeadItem",
    "FileShare",
    "as_finding",
    "find_dead_code",
    "find_names_outside_code",
    "names_in",
    "reader_of",
]
