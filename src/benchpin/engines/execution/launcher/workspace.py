"""The workspace as the program sees it: denied files are hidden, protected ones read-only.

Another program may rename everything in the workspace at the same time. So each file and folder is
opened without following symbolic links, compared with what the server had found, and covered by
descriptor; afterwards each path must lead to its cover.
"""

from __future__ import annotations

import errno
import os

from .mounts import (
    NO_DEVICES,
    NO_SETUID,
    READ_ONLY,
    attach,
    clone_path,
    clone_tree,
    new_file_system,
    open_below,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from benchpin.engines.execution.messages import Cover, WorkspaceRequest

_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE)
_REMOVED = errno.EINVAL  # mounting on what was removed together with the mount around it
_HIDDEN_FOLDER_BYTES = "4096"


class WorkspaceChangedError(Exception):
    """A path leads to something else than when the server scanned the workspace."""


def open_workspace(top: int, workspace: WorkspaceRequest) -> int:
    """Open the workspace below the root folder `top`.

    Raises:
        WorkspaceChangedError: when it is not the folder that the server scanned.
    """
    found = _open(top, workspace["root"])
    _require(found, (workspace["device"], workspace["inode"]), workspace["root"])
    return found


def cover_workspace(root: int, covers: list[Cover]) -> None:
    """Mount the covers over the files and folders of an open workspace.

    Raises:
        OSError: when the kernel refuses.
        WorkspaceChangedError: when a path changed.
    """
    covered = []
    for cover in covers:
        path = cover["path"]
        target = _open(root, path)
        _require(target, (cover["device"], cover["inode"]), path)
        tree = _tree(cover, target)
        covered.append((path, _identity(tree)))
        try:
            attach(tree, target)
        except OSError as error:
            if error.errno == _REMOVED:
                raise WorkspaceChangedError(path) from error
            raise _changed(error, path) from error
        os.close(target)
    for path, identity in covered:
        shown = _open(root, path)
        _require(shown, identity, path)
        os.close(shown)


def _tree(cover: Cover, target: int) -> int:
    if cover["kind"] == "hidden folder":
        attributes = READ_ONLY | NO_SETUID | NO_DEVICES
        return new_file_system("tmpfs", attributes, size=_HIDDEN_FOLDER_BYTES, mode="0755")
    if cover["kind"] == "hidden file":
        return clone_path(os.devnull)  # without devices, so it cannot be opened
    return clone_tree(target, is_writable=cover["kind"] == "writable")


def _open(folder: int, path: str) -> int:
    try:
        return open_below(folder, path)
    except OSError as error:
        raise _changed(error, path) from error


def _changed(error: OSError, path: str) -> Exception:
    return WorkspaceChangedError(path) if error.errno in _GONE else error


def _require(opened: int, identity: tuple[int, int], path: str) -> None:
    if _identity(opened) != identity:
        raise WorkspaceChangedError(path)


def _identity(opened: int) -> tuple[int, int]:
    status = os.stat(opened)
    return status.st_dev, status.st_ino
