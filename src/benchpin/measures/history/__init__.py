"""The history of a workspace: its commits, the recent ones, and that of single lines."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._history import LAST_SECOND, Commit, CommittedFile, History, HistoryReader, read_history
    from ._line_history import FileCommit, read_line_history
    from ._recent_history import LastCommit, last_commits, read_recent

__all__ = [
    "LAST_SECOND",
    "Commit",
    "CommittedFile",
    "FileCommit",
    "History",
    "HistoryReader",
    "LastCommit",
    "last_commits",
    "read_history",
    "read_line_history",
    "read_recent",
]

__getattr__ = lazy(__name__)
