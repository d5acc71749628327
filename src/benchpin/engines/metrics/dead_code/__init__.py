"""Dead code: functions, methods and types that nothing uses, with a confidence and a reason."""

from .definitions import define_all
from .name_uses import KnownUses, NameUses, find_name_uses, names_of, uses_by_file
from .outside_code import (
    WordsOutsideCode,
    find_names_outside_code,
    read_words_outside_code,
    reader_of,
)
from .program_uses import FindUses
from .proof import ProvenDeadCode, find_dead_code, still_proven
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

__all__ = [
    "RULES",
    "SURE_FROM",
    "DeadCode",
    "DeadCodeSummary",
    "DeadItem",
    "FileShare",
    "FindUses",
    "KnownUses",
    "NameUses",
    "ProvenDeadCode",
    "WordsOutsideCode",
    "as_finding",
    "define_all",
    "find_dead_code",
    "find_name_uses",
    "find_names_outside_code",
    "names_in",
    "names_of",
    "read_words_outside_code",
    "reader_of",
    "still_proven",
    "uses_by_file",
]
