"""Processes of ours and of others, folders of the user, extras that are installed."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._helper_process import (
        READY,
        HelperPool,
        HelperProcess,
        be_idle,
        end_with_parent,
        gc_off,
        limit_memory,
        read_message,
        reply,
        requests,
        set_alarm,
        write_message,
    )
    from ._surroundings import (
        find_program,
        folder_size,
        has_extra,
        home_folder,
        installed_extras,
        lacks_extra,
        require_extra,
        search_path,
        worker_count,
    )

__all__ = [
    "READY",
    "HelperPool",
    "HelperProcess",
    "be_idle",
    "end_with_parent",
    "find_program",
    "folder_size",
    "gc_off",
    "has_extra",
    "home_folder",
    "installed_extras",
    "lacks_extra",
    "limit_memory",
    "read_message",
    "reply",
    "requests",
    "require_extra",
    "search_path",
    "set_alarm",
    "worker_count",
    "write_message",
]

__getattr__ = lazy(__name__)
