"""Processes of ours and of others, folders of the user, extras that are installed."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._cores import worker_count
    from ._extras import has_extra, installed_extras, lacks_extra, require_extra
    from ._folders import folder_size, home_folder
    from ._garbage import gc_off
    from ._helper_process import (
        READY,
        HelperProcess,
        limit_memory,
        read_message,
        set_alarm,
        write_message,
    )
    from ._programs import find_program, search_path

__all__ = [
    "READY",
    "HelperProcess",
    "find_program",
    "folder_size",
    "gc_off",
    "has_extra",
    "home_folder",
    "installed_extras",
    "lacks_extra",
    "limit_memory",
    "read_message",
    "require_extra",
    "search_path",
    "set_alarm",
    "worker_count",
    "write_message",
]

__getattr__ = lazy(
    __name__,
    """
    _cores: worker_count
    _extras: has_extra installed_extras lacks_extra require_extra
    _folders: folder_size home_folder
    _garbage: gc_off
    _helper_process: HelperProcess READY limit_memory read_message set_alarm write_message
    _programs: find_program search_path
    """,
)
