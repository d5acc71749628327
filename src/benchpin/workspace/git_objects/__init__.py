"""What a repository contains: objects, what is staged, the log."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._log import (
        COMMIT_OPTIONS,
        FILE_OPTIONS,
        ID_OPTIONS,
        LOG_OPTIONS,
        MAX_CHANGES,
        TREE_OPTIONS,
        FileNames,
        LogEntry,
        RawChange,
        list_commits,
        list_line_commits,
        read_log,
    )
    from ._objects import (
        MAX_OBJECT_BYTES,
        IndexEntry,
        ObjectReader,
        TreeEntry,
        blob_id,
        index_time_ns,
        list_tree,
        open_objects,
        read_index,
    )

__all__ = [
    "COMMIT_OPTIONS",
    "FILE_OPTIONS",
    "ID_OPTIONS",
    "LOG_OPTIONS",
    "MAX_CHANGES",
    "MAX_OBJECT_BYTES",
    "TREE_OPTIONS",
    "FileNames",
    "IndexEntry",
    "LogEntry",
    "ObjectReader",
    "RawChange",
    "TreeEntry",
    "blob_id",
    "index_time_ns",
    "list_commits",
    "list_line_commits",
    "list_tree",
    "open_objects",
    "read_index",
    "read_log",
]

__getattr__ = lazy(__name__)
