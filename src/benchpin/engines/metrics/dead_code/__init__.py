"""Dead code: functions, methods and types that nothing uses, with a confidence and a reason."""

from .definitions import define_all
from .name_uses import KnownUses, NameUses, find_name_uses, names_of, uses_by_file
from .outside_code import (
    WordsOutsideCode,
    find_names_outside_code,
    read_words_outside_code,
    reader_of,
)
from .program_uses import require_time
from .report import (
    RULES,
    SURE_FROM,
    DeadCode,
    DeadCodeSummary,
    DeadItem,
    FileShare,
    as_finding,
    names_in,
)
from .search import dead_code_of_state, find_dead_code, find_liveness
from .state import LivenessState

__all__ = [
    "RULES",
    "SURE_FROM",
    "DeadCode",
    "DeadCodeSummary",
    "DeadItem",
    "FileShare",
    "KnownUses",
    "LivenessState",
    "NameUses",
    "WordsOutsideCode",
    "as_finding",
    "dead_code_of_state",
    "define_all",
    "find_dead_code",
    "find_liveness",
    "find_name_uses",
    "find_names_outside_code",
    "names_in",
    "names_of",
    "read_words_outside_code",
    "reader_of",
    "require_time",
    "uses_by_file",
]
