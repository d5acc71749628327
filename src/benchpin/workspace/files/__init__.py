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
        read_own,
        require_openat,
        require_own,
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
    "read_own",
    "read_regular",
    "read_whole",
    "require_openat",
    "require_own",
    "stamp_of",
]

__getattr__ = lazy(__name__)
