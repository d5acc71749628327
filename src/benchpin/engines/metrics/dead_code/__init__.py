"""Dead code: functions, methods and types that nothing uses, with a confidence and a reason."""

from .report import DeadCode, DeadItem, FileShare, Status, Summary, find_dead_code, names_in
from .surroundings import Surroundings, collect_words, reader_of

__all__ = [
    "DeadCode",
    "DeadItem",
    "FileShare",
    "Status",
    "Summary",
    "Surroundings",
    "collect_words",
    "find_dead_code",
    "names_in",
    "reader_of",
]
