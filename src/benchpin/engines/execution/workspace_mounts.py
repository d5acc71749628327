"""Apply the permissions inside a sandbox: show, hide and protect the files of a workspace.

The workspace is scanned before each program starts. A denied file cannot be opened inside and a
denied folder is empty; sockets, pipes and devices are hidden as well. A program that may write
could rename a folder so that a rule no longer matches it, also while the workspace is scanned for
another program; therefore folders above something hidden are mounts of their own, which cannot be
renamed. Files with several hard links, one of which may be outside, are read-only, up to a limit.
"""

import os
import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from benchpin.core import BenchpinError, Job, Operation, Permissions
from benchpin.core.permissions import is_own_file

from .messages import Mount
from .system_mounts import bind, hide

MAX_ENTRIES = 500_000
MAX_MOUNTS = 2_000
MAX_HARD_LINKED = 256
"""Protected files with several hard links; bubblewrap needs seconds for a thousand mounts."""
_NEW_NAME = "\x7fbenchpin\x7f"
"""A name that matches no specific rule: what applies to it applies to any new file."""


class TooManyDenied(BenchpinError):
    """The permissions deny more single files than a sandbox can hide."""

    kind = "too_many_denied"


@dataclass(frozen=True, slots=True)
class WorkspaceMounts:
    """The workspace as a program sees it; the first mount is its root."""

    mounts: list[Mount]
    unscanned: list[str]
    """Folders past MAX_ENTRIES, which are hidden as a whole."""
    is_writable: bool


@dataclass(slots=True)
class _Folder:
    path: str
    is_writable: bool
    parent: "_Folder | None"
    has_readable: bool = False
    """Whether anything in it can be read, at any depth."""
    covered: list[Mount] = field(default_factory=list)
    """Mounts over files and folders directly in it."""

    def __iter__(self) -> Iterator["_Folder"]:
        """Yield this folder and those above it, up to the root."""
        folder: _Folder | None = self
        while folder is not None:
            yield folder
            folder = folder.parent


def workspace_mounts(
    root: Path, permissions: Permissions, job: Job, *, may_write: bool
) -> WorkspaceMounts:
    """Scan a workspace and return the mounts that apply its permissions.

    Raises:
        TooManyDenied: when the rules hide too many single files.
    """
    return _Scan(root, permissions, may_write=may_write).run(job)


class _Scan:
    def __init__(self, root: Path, permissions: Permissions, *, may_write: bool) -> None:
        self._root = root
        self._permissions = permissions
        self._may_write = may_write
        self._has_rules = bool(permissions.layers)
        self._is_root_user = os.geteuid() == 0
        self._folders: list[_Folder] = []
        self._hard_linked: list[Mount] = []
        self._seen = 0

    def run(self, job: Job) -> WorkspaceMounts:
        top = _Folder("", self._is_folder_writable(""), None)
        # Breadth first: when the limit cuts the scan, what is hidden lies as deep as possible.
        queue = deque([top])
        while queue and self._seen < MAX_ENTRIES:
            job.check()
            folder = queue.popleft()
            self._folders.append(folder)
            queue.extend(self._scan(folder))
        for folder in queue:
            (folder.parent or top).covered.append(hide(self._full(folder.path), is_folder=True))
        mounts = [bind(str(self._root), is_writable=top.is_writable), *self._mounts()]
        if len(mounts) > MAX_MOUNTS:
            raise TooManyDenied(
                f"The permissions hide {len(mounts) - 1:,} single files and folders; "
                f"a sandbox hides at most {MAX_MOUNTS:,}",
                suggestion="Ask the operator to write rules for whole folders.",
            )
        is_writable = any(folder.is_writable for folder in self._folders) or any(
            it["is_writable"] for it in mounts
        )
        unscanned = [folder.path for folder in queue]
        return WorkspaceMounts([*mounts, *self._hard_linked], unscanned, is_writable)

    def _scan(self, folder: _Folder) -> Iterator[_Folder]:
        """Cover what is denied in a folder, and yield the folders to scan next."""
        for entry in self._entries(folder):
            self._seen += 1
            path = f"{folder.path}/{entry.name}" if folder.path else entry.name
            if entry.is_symlink():
                folder.has_readable = True
            elif not entry.is_dir(follow_symlinks=False):
                self._add_file(folder, entry, path)
            elif self._is_denied(path, entry.name, is_folder=True):
                folder.covered.append(hide(entry.path, is_folder=True))
            else:
                yield _Folder(path, self._is_folder_writable(path), folder)

    def _entries(self, folder: _Folder) -> list[os.DirEntry[str]]:
        """List a folder; hide one that cannot be listed."""
        path = self._full(folder.path)
        try:
            if self._is_root_user and folder.parent and _is_closed(os.lstat(path)):
                raise PermissionError
            with os.scandir(path) as listing:
                return list(listing)
        except (FileNotFoundError, NotADirectoryError):
            return []  # removed since its parent was listed
        except OSError:
            if folder.parent is not None:
                folder.parent.covered.append(hide(path, is_folder=True))
            return []

    def _add_file(self, folder: _Folder, entry: os.DirEntry[str], path: str) -> None:
        is_regular = entry.is_file(follow_symlinks=False)
        if not is_regular or self._is_denied(path, entry.name, is_folder=False):
            folder.covered.append(hide(entry.path, is_folder=False))
            return
        folder.has_readable = True
        is_writable = self._is_file_writable(path)
        has_room = len(self._hard_linked) < MAX_HARD_LINKED
        if is_writable and has_room and _has_several_links(entry):
            self._hard_linked.append(bind(entry.path))
        elif is_writable != folder.is_writable:
            folder.covered.append(bind(entry.path, is_writable=is_writable))

    def _mounts(self) -> Iterator[Mount]:
        """Yield the mounts over the workspace; a folder with nothing readable is hidden as one."""
        for folder in reversed(self._folders):  # children first, they decide for their parents
            parent = folder.parent
            if parent is None:
                continue
            if folder.has_readable or folder.is_writable:
                parent.has_readable = True
            elif folder.covered:
                folder.covered.clear()
                parent.covered.append(hide(self._full(folder.path), is_folder=True))
        pinned: dict[str, Mount] = {}
        for folder in self._folders:
            parent = folder.parent
            if parent is not None and parent.is_writable != folder.is_writable:
                self._pin(folder, pinned)
            yield from folder.covered
            if self._may_write and folder.covered:
                for outer in folder:
                    self._pin(outer, pinned)
        yield from pinned.values()

    def _pin(self, folder: _Folder, pinned: dict[str, Mount]) -> None:
        """Make a folder a mount of its own, which can be neither renamed nor removed."""
        if folder.parent is not None and folder.path not in pinned:
            path = self._full(folder.path)
            pinned[folder.path] = bind(path, is_writable=folder.is_writable)

    def _full(self, path: str) -> str:
        return str(self._root / path)

    def _is_denied(self, path: str, name: str, *, is_folder: bool) -> bool:
        if not self._has_rules:  # the built-in rules look at names only, which is faster
            return not self._permissions.may(name, Operation.READ)
        refusal = self._permissions.denied_by(
            PurePosixPath(path), Operation.READ, is_folder=is_folder
        )
        return refusal is not None

    def _is_file_writable(self, path: str) -> bool:
        if not self._may_write or not self._has_rules:
            return self._may_write and not is_own_file(PurePosixPath(path))
        return self._permissions.may(path, Operation.WRITE)

    def _is_folder_writable(self, path: str) -> bool:
        """Whether any new file may be written in a folder, and in new folders below it."""
        if not self._may_write or not self._has_rules:
            return self._may_write and not is_own_file(PurePosixPath(path))
        place = PurePosixPath(path)
        return all(
            self._permissions.denied_by(place.joinpath(*[_NEW_NAME] * depth), Operation.WRITE)
            is None
            for depth in (1, 2)
        )


def _has_several_links(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.stat(follow_symlinks=False).st_nlink > 1
    except FileNotFoundError:
        return False


def _is_closed(status: os.stat_result) -> bool:
    """Whether root cannot enter a folder inside the sandbox, where it has no capabilities."""
    shift = 6 if status.st_uid == 0 else 3 if status.st_gid in os.getgroups() else 0
    return not status.st_mode >> shift & stat.S_IXOTH
