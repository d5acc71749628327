"""The workspace as the program sees it: denied files are hidden, protected ones read-only.

Another program may rename everything in the workspace at the same time. So each file and folder is
opened without following symbolic links, compared with what the server had found, and covered by
descriptor; afterwards each path must lead to its cover.
"""

from __future__ import annotations

import errno
import os
import stat

from ._system_calls import (
    NO_DEVICES,
    NO_SETUID,
    READ_ONLY,
    attach,
    clone_path,
    clone_tree,
    new_file_system,
    open_below,
    set_attributes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from benchpin.run.sandbox import Cover, WorkspaceRequest

_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE, errno.EAGAIN)
_REMOVED = errno.EINVAL  # mounting on what was removed together with the mount around it
_NEW_FOLDER_BYTES = str(1 << 20)  # for symbolic links that are long


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


def cover_workspace(top: int, workspace: WorkspaceRequest) -> None:
    """Mount the covers over the files and folders of a workspace below the root folder `top`.

    Raises:
        OSError: when the kernel refuses.
        WorkspaceChangedError: when a path changed.
    """
    root = open_workspace(top, workspace)
    behind: dict[str, int] = {}
    covered = []
    for cover in workspace["covers"]:
        path = cover["path"]
        target, is_new = _target(root, cover, behind)
        _require(target, (cover["device"], cover["inode"]), path)
        if cover["kind"] == "link":
            os.close(target)
            continue
        tree = _tree(cover, target)
        covered.append((path, _identity(tree)))
        _attach(tree, _open(root, path) if is_new else target, path)
        if cover["kind"] == "replaced":
            behind[path] = target
        else:
            os.close(target)
        if not path:  # the workspace itself is covered now
            os.close(root)
            root = _open(top, workspace["root"])
    for path, identity in covered:
        shown = _open(root, path)
        _require(shown, identity, path)
        if path in behind:
            set_attributes(shown, READ_ONLY)
            os.close(behind[path])
        os.close(shown)
    os.close(root)


def _target(root: int, cover: Cover, behind: dict[str, int]) -> tuple[int, bool]:
    """Open what a cover is for; create its place if the folder around it was replaced."""
    path = cover["path"]
    parent, _, name = path.rpartition("/")
    if not path or parent not in behind:
        return _open(root, path), False
    target = _open(behind[parent], name)
    folder = _open(root, parent)
    mode = os.fstat(target).st_mode
    if cover["kind"] == "link":
        os.symlink(os.readlink("", dir_fd=target), name, dir_fd=folder)
    elif stat.S_ISDIR(mode):
        os.mkdir(name, 0o755, dir_fd=folder)
    else:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600, dir_fd=folder))
    os.close(folder)
    return target, True


def _attach(tree: int, target: int, path: str) -> None:
    try:
        attach(tree, target)
    except OSError as error:
        if error.errno == _REMOVED:
            raise WorkspaceChangedError(path) from error
        raise _changed(error, path) from error


def _tree(cover: Cover, target: int) -> int:
    if cover["kind"] in {"hidden folder", "replaced"}:
        # One that is replaced becomes read-only when its entries are in place.
        attributes = NO_SETUID | NO_DEVICES | (READ_ONLY if cover["kind"] != "replaced" else 0)
        return new_file_system("tmpfs", attributes, size=_NEW_FOLDER_BYTES, mode="0755")
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
