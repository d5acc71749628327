"""The processes that compute facts, on all cores."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._pool import WorkerPool, make_batches
    from ._worker import NO_CACHE, FactOrder, FileBatch, FileResult, Strategy, are_many

__all__ = [
    "NO_CACHE",
    "FactOrder",
    "FileBatch",
    "FileResult",
    "Strategy",
    "WorkerPool",
    "are_many",
    "make_batches",
]

__getattr__ = lazy(__name__)
