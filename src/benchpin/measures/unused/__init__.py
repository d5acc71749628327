"""Unused code: functions, methods and types that nothing uses, with a confidence and a reason."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._definitions import define_all
    from ._name_uses import (
        KnownUses,
        WorkspaceUses,
        find_name_uses,
        names_of,
        require_time,
        uses_by_file,
    )
    from ._outside_code import WordsOutsideCode, read_words_outside_code, reader_of
    from ._report import (
        RULES,
        SURE_FROM,
        DeadCode,
        DeadCodeSummary,
        DeadItem,
        FileShare,
        as_finding,
    )
    from ._search import dead_code_of_state, find_liveness
    from ._state import LivenessState

__all__ = [
    "RULES",
    "SURE_FROM",
    "DeadCode",
    "DeadCodeSummary",
    "DeadItem",
    "FileShare",
    "KnownUses",
    "LivenessState",
    "WordsOutsideCode",
    "WorkspaceUses",
    "as_finding",
    "dead_code_of_state",
    "define_all",
    "find_liveness",
    "find_name_uses",
    "names_of",
    "read_words_outside_code",
    "reader_of",
    "require_time",
    "uses_by_file",
]

__getattr__ = lazy(__name__)
