"""Open and read files below a root, without following a link out of it."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._beneath import (
        FOLDER,
        READ,
        SystemNotSupported,
        folder_beneath,
        open_below,
        open_beneath,
        require_openat,
    )
    from ._reading import (
        RACY_NS,
        OpenFile,
        Stamp,
        Unreadable,
        is_local,
        is_racy,
        looks_binary,
        opened,
        path_errors,
        read_in,
        read_regular,
        read_whole,
        stamp_of,
    )

__all__ = [
    "FOLDER",
    "RACY_NS",
    "READ",
    "OpenFile",
    "Stamp",
    "SystemNotSupported",
    "Unreadable",
    "folder_beneath",
    "is_local",
    "is_racy",
    "looks_binary",
    "open_below",
    "open_beneath",
    "opened",
    "path_errors",
    "read_in",
    "read_regular",
    "read_whole",
    "require_openat",
    "stamp_of",
]

__getattr__ = lazy(__name__)
