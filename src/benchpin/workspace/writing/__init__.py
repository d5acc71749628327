"""Write files below a root: completely or not at all; several of them together."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._change_set import FileChange, apply_changes, apply_preview, diff_of, digest_of
    from ._journal import settle_abandoned
    from ._locking import is_abandoned, locked, marked_in_use
    from ._writing import (
        NO_FILE,
        edit_atomically,
        remove_file,
        replace_file,
        sha256_of,
        sync_folder,
        sync_folders,
        write_atomically,
        write_cache,
    )

__all__ = [
    "NO_FILE",
    "FileChange",
    "apply_changes",
    "apply_preview",
    "diff_of",
    "digest_of",
    "edit_atomically",
    "is_abandoned",
    "locked",
    "marked_in_use",
    "remove_file",
    "replace_file",
    "settle_abandoned",
    "sha256_of",
    "sync_folder",
    "sync_folders",
    "write_atomically",
    "write_cache",
]

__getattr__ = lazy(__name__)
