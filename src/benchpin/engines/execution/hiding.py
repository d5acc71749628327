"""Carry the permissions over into a sandbox: show, hide and protect the files of a workspace.

The workspace is searched before each program starts. A denied file cannot be opened inside and a
denied folder is empty; what is neither file, folder nor link (a socket, say) is hidden as well. A
program that may write must not carry a folder out of a rule's reach, nor away while the workspace
is searched for another program, so folders on the way to something hidden cannot be renamed. Files
with several names, of which one may lie outside, are read-only, as many as can be afforded.
"""

import os
import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from benchpin.core import BenchpinError, Job, Operation, Permissions
from benchpin.core.permissions import is_own_file

from .orders import Mount
from .view import bind, hide

MOST_ENTRIES = 500_000
MOST_MOUNTS = 2_000
MOST_LINKED = 256
"""Files with several names that are protected; bubblewrap takes seconds for a thousand mounts."""
_PROBE = "\x7fbenchpin\x7f"
"""A name that no rule means: what holds for it holds for any new file."""


class TooManyDenied(BenchpinError):
    """More files would have to be hidden than a sandbox can hide one by one."""

    kind = "too_many_denied"


@dataclass(frozen=True, slots=True)
class WorkspaceView:
    """The workspace as a program sees it."""

    mounts: list[Mount]
    unsearched: list[str]
    """Folders beyond the bound of the search, which are hidden whole."""
    is_writable: bool


@dataclass(slots=True)
class _Folder:
    path: str
    is_writable: bool
    parent: "_Folder | None"
    shows: bool = False
    """Whether something in it, however deep, can be read."""
    covered: list[Mount] = field(default_factory=list)
    """What is put over files and folders in it."""

    def __iter__(self) -> Iterator["_Folder"]:
        """Go up to the root."""
        folder: _Folder | None = self
        while folder is not None:
            yield folder
            folder = folder.parent


def workspace_view(
    root: Path, permissions: Permissions, job: Job, *, may_write: bool
) -> WorkspaceView:
    """Find out what to show of a workspace.

    Raises:
        TooManyDenied: when the rules hide too many single files.
        Cancelled: when the job was cancelled.
    """
    return _Search(root, permissions, may_write=may_write).run(job)


class _Search:
    def __init__(self, root: Path, permissions: Permissions, *, may_write: bool) -> None:
        self._root = root
        self._permissions = permissions
        self._may_write = may_write
        self._has_rules = bool(permissions.layers)
        self._is_root = os.geteuid() == 0
        self._folders: list[_Folder] = []
        self._linked: list[Mount] = []
        self._seen = 0

    def run(self, job: Job) -> WorkspaceView:
        top = _Folder("", self._is_folder_writable(""), None)
        waiting = deque([top])
        while waiting and self._seen < MOST_ENTRIES:
            job.check()
            folder = waiting.popleft()
            self._folders.append(folder)
            waiting.extend(self._list(folder))
        for folder in waiting:
            (folder.parent or top).covered.append(hide(self._place(folder.path), is_folder=True))
        mounts = [bind(str(self._root), is_writable=top.is_writable), *self._mounts()]
        if len(mounts) > MOST_MOUNTS:
            raise TooManyDenied(
                f"The permissions hide {len(mounts) - 1:,} single files and folders; "
                f"a sandbox hides at most {MOST_MOUNTS:,}",
                suggestion="Have the operator write rules for whole folders.",
            )
        writable = any(folder.is_writable for folder in self._folders) or any(
            it["is_writable"] for it in mounts
        )
        shown = [*mounts, *self._linked]
        return WorkspaceView(shown, [folder.path for folder in waiting], writable)

    def _list(self, folder: _Folder) -> Iterator[_Folder]:
        """Look at what is in a folder, and give the folders to look into."""
        for entry in self._entries(folder):
            self._seen += 1
            path = f"{folder.path}/{entry.name}" if folder.path else entry.name
            if entry.is_symlink():
                folder.shows = True
            elif not entry.is_dir(follow_symlinks=False):
                self._judge_file(folder, entry, path)
            elif self._is_denied(path, entry.name, is_folder=True):
                folder.covered.append(hide(entry.path, is_folder=True))
            else:
                yield _Folder(path, self._is_folder_writable(path), folder)

    def _entries(self, folder: _Folder) -> list[os.DirEntry[str]]:
        """List a folder; one that cannot be searched is hidden."""
        place = self._place(folder.path)
        try:
            if self._is_root and folder.parent and _is_closed(os.lstat(place)):
                raise PermissionError
            with os.scandir(place) as listing:
                return list(listing)
        except (FileNotFoundError, NotADirectoryError):
            return []  # gone meanwhile
        except OSError:
            if folder.parent is not None:
                folder.parent.covered.append(hide(place, is_folder=True))
            return []

    def _judge_file(self, folder: _Folder, entry: os.DirEntry[str], path: str) -> None:
        is_plain = entry.is_file(follow_symlinks=False)
        if not is_plain or self._is_denied(path, entry.name, is_folder=False):
            folder.covered.append(hide(entry.path, is_folder=False))
            return
        folder.shows = True
        is_writable = self._is_file_writable(path)
        if is_writable and len(self._linked) < MOST_LINKED and _has_several_names(entry):
            self._linked.append(bind(entry.path))
        elif is_writable != folder.is_writable:
            folder.covered.append(bind(entry.path, is_writable=is_writable))

    def _mounts(self) -> Iterator[Mount]:
        """Give what to put over the workspace; a folder that shows nothing is hidden as one."""
        for folder in reversed(self._folders):
            parent = folder.parent
            if parent is None:
                continue
            if folder.shows or folder.is_writable:
                parent.shows = True
            elif folder.covered:
                folder.covered.clear()
                parent.covered.append(hide(self._place(folder.path), is_folder=True))
        held: dict[str, Mount] = {}
        for folder in self._folders:
            parent = folder.parent
            if parent is not None and parent.is_writable != folder.is_writable:
                self._hold(folder, held)
            yield from folder.covered
            if self._may_write and folder.covered:
                for outer in folder:
                    self._hold(outer, held)
        yield from held.values()

    def _hold(self, folder: _Folder, held: dict[str, Mount]) -> None:
        """Make a folder a mount of its own, which can be neither renamed nor removed."""
        if folder.parent is not None and folder.path not in held:
            place = self._place(folder.path)
            held[folder.path] = bind(place, is_writable=folder.is_writable)

    def _place(self, path: str) -> str:
        return str(self._root / path)

    def _is_denied(self, path: str, name: str, *, is_folder: bool) -> bool:
        if not self._has_rules:  # the built-in rules speak of names alone
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
        """Whether any new file may be written in a folder, and in new folders beneath it."""
        if not self._may_write or not self._has_rules:
            return self._may_write and not is_own_file(PurePosixPath(path))
        place = PurePosixPath(path)
        return all(
            self._permissions.denied_by(place.joinpath(*[_PROBE] * depth), Operation.WRITE) is None
            for depth in (1, 2)
        )


def _has_several_names(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.stat(follow_symlinks=False).st_nlink > 1
    except FileNotFoundError:
        return False


def _is_closed(status: os.stat_result) -> bool:
    """Whether a program that runs as root without root's powers cannot enter a folder."""
    shift = 6 if status.st_uid == 0 else 3 if status.st_gid in os.getgroups() else 0
    return not status.st_mode >> shift & stat.S_IXOTH
