"""Write files below a root: completely or not at all; several of them together."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._change_set import (
        FileChange,
        apply_preview,
        diff_of,
        digest_of,
        make_executable,
        missing_folders,
        remove_folders,
    )
    from ._locking import is_abandoned, locked, marked_in_use
    from ._writing import (
        NO_FILE,
        StagedFile,
        edit_atomically,
        folder_to_write,
        remove_file,
        replace_file,
        sha256_of,
        staged,
        sync_folder,
        sync_folders,
        write_atomically,
        write_cache,
    )

__all__ = [
    "NO_FILE",
    "FileChange",
    "StagedFile",
    "apply_preview",
    "diff_of",
    "digest_of",
    "edit_atomically",
    "folder_to_write",
    "is_abandoned",
    "locked",
    "make_executable",
    "marked_in_use",
    "missing_folders",
    "remove_file",
    "remove_folders",
    "replace_file",
    "sha256_of",
    "staged",
    "sync_folder",
    "sync_folders",
    "write_atomically",
    "write_cache",
]

__getattr__ = lazy(__name__)
