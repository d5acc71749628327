"""What a change does: which files and which functions differ between two states of a workspace."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._deltas import STAGED, UNCOMMITTED, Deltas, FileDelta, find_deltas, patch_deltas
    from ._renames import MAX_COMPARED_FILES, MIN_SIMILARITY, similarity
    from ._symbols import (
        ChangedFile,
        Symbol,
        SymbolChange,
        SymbolStatus,
        compare_symbols,
        files_after,
        files_before,
        read_changed,
    )

__all__ = [
    "MAX_COMPARED_FILES",
    "MIN_SIMILARITY",
    "STAGED",
    "UNCOMMITTED",
    "ChangedFile",
    "Deltas",
    "FileDelta",
    "Symbol",
    "SymbolChange",
    "SymbolStatus",
    "compare_symbols",
    "files_after",
    "files_before",
    "find_deltas",
    "patch_deltas",
    "read_changed",
    "similarity",
]

__getattr__ = lazy(
    __name__,
    """
    _deltas: Deltas FileDelta STAGED UNCOMMITTED find_deltas patch_deltas
    _renames: MAX_COMPARED_FILES MIN_SIMILARITY similarity
    _symbols: ChangedFile Symbol SymbolChange SymbolStatus compare_symbols files_after
        files_before read_changed
    """,
)
