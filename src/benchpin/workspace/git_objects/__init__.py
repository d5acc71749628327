"""What a repository contains: objects, what is staged, the log."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._log import (
        COMMIT_OPTIONS,
        ID_OPTIONS,
        LOG_OPTIONS,
        MAX_CHANGES,
        TREE_OPTIONS,
        FileNames,
        LogEntry,
        read_log,
        split_fields,
    )
    from ._objects import MAX_OBJECT_BYTES, ObjectReader, TreeEntry, list_tree, open_objects
    from ._staged import IndexEntry, blob_id, index_time_ns, read_index

__all__ = [
    "COMMIT_OPTIONS",
    "ID_OPTIONS",
    "LOG_OPTIONS",
    "MAX_CHANGES",
    "MAX_OBJECT_BYTES",
    "TREE_OPTIONS",
    "FileNames",
    "IndexEntry",
    "LogEntry",
    "ObjectReader",
    "TreeEntry",
    "blob_id",
    "index_time_ns",
    "list_tree",
    "open_objects",
    "read_index",
    "read_log",
    "split_fields",
]

__getattr__ = lazy(
    __name__,
    """
    _log: COMMIT_OPTIONS FileNames ID_OPTIONS LOG_OPTIONS LogEntry MAX_CHANGES TREE_OPTIONS
        read_log split_fields
    _objects: MAX_OBJECT_BYTES ObjectReader TreeEntry list_tree open_objects
    _staged: IndexEntry blob_id index_time_ns read_index
    """,
)
