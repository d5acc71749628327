"""The facts of files: parsed in worker processes, kept by content, read for a selection."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._file_choices import May, SourceQuery, Sources
    from ._file_facts import (
        CUT,
        Comments,
        DependencyKind,
        Facts,
        FileFacts,
        Function,
        FunctionKind,
        Halstead,
        Import,
        Links,
        Outline,
        SourceComment,
        TokenKind,
        Tokens,
        Type,
        cut,
    )
    from ._index import LATE, SourceIndex, open_index
    from ._selection import FileSelection

__all__ = [
    "CUT",
    "LATE",
    "Comments",
    "DependencyKind",
    "Facts",
    "FileFacts",
    "FileSelection",
    "Function",
    "FunctionKind",
    "Halstead",
    "Import",
    "Links",
    "May",
    "Outline",
    "SourceComment",
    "SourceIndex",
    "SourceQuery",
    "Sources",
    "TokenKind",
    "Tokens",
    "Type",
    "cut",
    "open_index",
]

__getattr__ = lazy(__name__)
