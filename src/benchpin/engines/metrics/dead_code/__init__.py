"""Dead code: functions, methods and types that nothing uses, with a confidence and a reason."""

from .report import (
    RULES,
    SURE_FROM,
    DeadCode,
    DeadCodeSummary,
    DeadItem,
    FileShare,
    Status,
    as_finding,
    find_dead_code,
    names_in,
)
from .surroundings import Surroundings, collect_words, reader_of

__all__ = [
    "RULES",
    "SURE_FROM",
    "DeadCode",
    "DeadCodeSummary",
    "DeadItem",
    "FileShare",
    "Status",
    "Surroundings",
    "as_finding",
    "collect_words",
    "find_dead_code",
    "names_in",
    "reader_of",
]
