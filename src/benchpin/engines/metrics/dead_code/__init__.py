"""Dead code: functions, methods and types that nothing uses, with a confidence and a reason."""

from .report import (
    SURE_FROM,
    DeadCode,
    DeadCodeSummary,
    DeadItem,
    FileShare,
    Status,
    find_dead_code,
    names_in,
)
from .surroundings import Surroundings, collect_words, reader_of

__all__ = [
    "SURE_FROM",
    "DeadCode",
    "DeadCodeSummary",
    "DeadItem",
    "FileShare",
    "Status",
    "Surroundings",
    "collect_words",
    "find_dead_code",
    "names_in",
    "reader_of",
]
