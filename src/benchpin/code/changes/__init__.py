"""What a change does: which files and which functions differ between two states of a workspace."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._deltas import (
        STAGED,
        UNCOMMITTED,
        Deltas,
        FileDelta,
        deltas_since,
        find_deltas,
        last_commit,
    )
    from ._patched import patch_deltas
    from ._renames import MIN_SIMILARITY, similarity
    from ._symbols import (
        ChangedFile,
        SymbolChange,
        SymbolState,
        SymbolStatus,
        compare_symbols,
        files_after,
        files_before,
        read_before,
        read_changed,
    )

__all__ = [
    "MIN_SIMILARITY",
    "STAGED",
    "UNCOMMITTED",
    "ChangedFile",
    "Deltas",
    "FileDelta",
    "SymbolChange",
    "SymbolState",
    "SymbolStatus",
    "compare_symbols",
    "deltas_since",
    "files_after",
    "files_before",
    "find_deltas",
    "last_commit",
    "patch_deltas",
    "read_before",
    "read_changed",
    "similarity",
]

__getattr__ = lazy(__name__)
