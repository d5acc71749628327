"""Unused code: functions, methods and types that nothing uses, with a confidence and a reason."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._file_uses import JoinedUses
    from ._outside_code import WordsOutsideCode, read_words_outside_code, reader_of
    from ._report import (
        RULES,
        SURE_FROM,
        DeadCode,
        DeadCodeSummary,
        DeadItem,
        FileShare,
        Liveness,
        as_finding,
        report_dead_code,
    )
    from ._search import find_liveness, require_time
    from ._uses import FILE_USES

__all__ = [
    "FILE_USES",
    "RULES",
    "SURE_FROM",
    "DeadCode",
    "DeadCodeSummary",
    "DeadItem",
    "FileShare",
    "JoinedUses",
    "Liveness",
    "WordsOutsideCode",
    "as_finding",
    "find_liveness",
    "read_words_outside_code",
    "reader_of",
    "report_dead_code",
    "require_time",
]

__getattr__ = lazy(__name__)
