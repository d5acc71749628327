"""What a program may use where only Landlock confines it: no namespaces, no mounts.

Landlock allows; it cannot take away. So a folder in which something is denied is not allowed as a
whole, but entry by entry, and the program cannot make new files directly in it. Its entries can be
listed, and with them the names of what is denied.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Operation, Permissions
from benchpin.workspace.files import FOLDER, open_beneath

from ._messages import Cover, CoverKind, Grant, Mount, Right, WorkspaceRequest
from ._workspace_tree import identity_of

_HIDDEN = ("hidden file", "hidden folder", "link")


def system_grants(mounts: list[Mount]) -> list[Grant]:
    """Return the system: what the mounts of a sandbox would show of it."""
    shown = [it["source"] for it in mounts if it["kind"] == "bind"]
    return [Grant(path=it, right="read", identity=None) for it in ("/proc", *shown)]


def workspace_grants(workspace: WorkspaceRequest, permissions: Permissions) -> list[Grant]:
    """Return the workspace without what its covers hide.

    Raises:
        OSError: when a path leads to something else than when the workspace was scanned.
    """
    covers = {it["path"]: it["kind"] for it in workspace["covers"]}
    root = Path(workspace["root"])
    top = os.open(root, FOLDER)
    try:
        start: CoverKind = "writable" if workspace["is_writable"] else "read-only"
        grants = list(_Grants(root, top, covers, permissions).of("", covers.get("", start)))
        # What is hidden has not moved to where it was allowed.
        for cover in workspace["covers"]:
            _require_identity(top, cover)
        return grants
    finally:
        os.close(top)


def _require_identity(top: int, cover: Cover) -> None:
    path = cover["path"]
    place = open_beneath(top, PurePosixPath(path), os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(place)
    finally:
        os.close(place)
    if identity_of(status) != (cover["device"], cover["inode"]):
        raise OSError(errno.ESTALE, "is another one", path)


class _Grants:
    def __init__(
        self, root: Path, top: int, covers: dict[str, CoverKind], permissions: Permissions
    ) -> None:
        self._root, self._top = root, top
        self._covers = covers
        self._permissions = permissions
        self._split = set(_folders_to_split(covers))

    def of(self, path: str, kind: CoverKind) -> Iterator[Grant]:
        """Yield what is allowed of a file or folder."""
        status = os.stat(path or ".", dir_fd=self._top, follow_symlinks=False)
        is_folder = stat.S_ISDIR(status.st_mode)
        if kind in _HIDDEN or not (is_folder or stat.S_ISREG(status.st_mode)):
            return
        # Again, because what came after the scan has no cover.
        place = PurePosixPath(path)
        if path and self._permissions.denied_by(place, Operation.READ, is_folder=is_folder):
            return
        shown, identity = str(self._root / path), identity_of(status)
        if path not in self._split:
            right: Right = "write" if kind == "writable" else "read"
            yield Grant(path=shown, right=right, identity=identity)
            return
        yield Grant(path=shown, right="list", identity=identity)
        inherited: CoverKind = "read-only" if kind == "replaced" else kind
        for name in self._names(place):
            inner = f"{path}/{name}" if path else name
            with suppress(FileNotFoundError):  # removed since it was listed
                yield from self.of(inner, self._covers.get(inner, inherited))

    def _names(self, place: PurePosixPath) -> list[str]:
        folder = open_beneath(self._top, place, FOLDER)
        try:
            return sorted(os.listdir(folder))  # noqa: PTH208 - of a descriptor
        finally:
            os.close(folder)


def _folders_to_split(covers: dict[str, CoverKind]) -> Iterator[str]:
    """Yield the folders above something that may less than they do."""
    for path, kind in covers.items():
        if kind == "replaced":
            yield path
        if path and kind != "writable":
            yield from ("" if not it.name else str(it) for it in PurePosixPath(path).parents)
