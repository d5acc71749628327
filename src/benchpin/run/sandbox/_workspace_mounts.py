"""Apply the permissions inside a sandbox: show, hide and protect the files of a workspace.

The workspace is scanned before each program starts. A denied file cannot be opened inside and a
denied folder is empty; sockets, pipes and devices are hidden as well. Files with a hard link that
is outside, or that may not be written, are read-only. A folder with very many of these is replaced:
the program sees a new folder with only what it may read, in which it cannot create files.

Other programs may rename files while this one is prepared. The scan therefore follows no symbolic
link and notes the identity of what it covers; the launcher covers nothing else. What is covered
is a mount, and so are the folders above it, in each program that may write: none of them can
rename it, so that no later scan misses it.
"""

import os
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Job, Operation, Permissions, is_own_file
from benchpin.core.errors import BenchpinError, InvalidPath
from benchpin.workspace.files import FOLDER, open_beneath

from ._messages import Cover, CoverKind, WorkspaceRequest
from ._system_mounts import mounts_inside, system_mounts, toolchains_within
from ._workspace_tree import (
    Identity,
    LinkedFile,
    VisibleFolder,
    cover,
    fullest_folders,
    identity_of,
    is_closed,
)

MAX_ENTRIES = 500_000
# The launcher needs 50 ms for a thousand.
MAX_MOUNTS = 8_000
# The limit of one folder; one with more is replaced.
MAX_COVERED = 2_000
# Entries of a folder that is replaced; the newest are left out.
MAX_SHOWN = 2_000
# Single files; of more, as in a virtual environment, whole folders are read-only.
MAX_HARD_LINKED = 256
MAX_DEPTH = 128
# Folders with longer paths are hidden; the kernel opens at most 4,096 bytes at once.
_MAX_PATH_BYTES = 3_500
# A folder takes as long to scan as four files: 30 µs, without the reading of the disk.
_FOLDER_ENTRIES = 4
# A name that matches no specific rule: what applies to it applies to any new file.
_NEW_NAME = "\x7fbenchpin\x7f"


class TooManyDenied(BenchpinError):
    """The permissions deny more single files than a sandbox can hide."""

    kind = "too_many_denied"


@dataclass(frozen=True, slots=True)
class WorkspaceMounts:
    """The workspace as a program sees it."""

    request: WorkspaceRequest
    unscanned: list[str]
    """Folders that are hidden as a whole: too many entries, denied files or levels."""
    replaced: list[str]
    """Folders in which the program cannot create files: they have too many denied ones."""
    is_writable: bool
    permissions: Permissions


def workspace_mounts(
    root: Path,
    permissions: Permissions,
    job: Job,
    *,
    may_write: bool,
    toolchains: Sequence[Path] = (),
) -> WorkspaceMounts:
    """Scan a workspace and return the mounts that apply its permissions.

    Raises:
        InvalidPath: when the workspace is gone, or was replaced by a link.
        TooManyDenied: when the rules hide too many single files.
    """
    hidden: frozenset[str] = frozenset()
    replaced: frozenset[str] = frozenset()
    read_only, own = mounts_inside(str(root), system_mounts(sys.executable))
    read_only |= toolchains_within(toolchains, str(root))
    while True:
        scan = _Scan(root, permissions, may_write=may_write)
        scan.hidden, scan.replaced, scan.read_only, scan.own = hidden, replaced, read_only, own
        found = scan.run(job)
        covers = [it["path"] for it in found.request["covers"]]
        if len(scan.hard_linked) > MAX_HARD_LINKED:
            more = fullest_folders(scan.hard_linked, MAX_HARD_LINKED // 2)
            if not more <= read_only:
                read_only |= more
                continue
        fullest = scan.fullest() - replaced
        if fullest:
            replaced |= fullest
            continue
        if len(covers) <= MAX_MOUNTS:
            return found
        more = fullest_folders(covers, MAX_MOUNTS // 2)
        if more <= hidden:
            raise TooManyDenied(
                f"The permissions hide {len(covers):,} single files and folders; "
                f"a sandbox hides at most {MAX_MOUNTS:,}",
                suggestion="Ask the operator to write rules for whole folders.",
            )
        hidden |= more


class _Scan:
    def __init__(self, root: Path, permissions: Permissions, *, may_write: bool) -> None:
        self.hidden: frozenset[str] = frozenset()
        """Folders to hide as a whole."""
        self.read_only: frozenset[str] = frozenset()
        """Files and folders that are never writable."""
        self.own: frozenset[str] = frozenset()
        """Folders that the program does not see, because it gets its own."""
        self.replaced: frozenset[str] = frozenset()
        """Folders to replace by new ones."""
        self.hard_linked: list[str] = []
        """Files that are covered only because of a hard link."""
        self._root = root
        self._permissions = permissions
        self._may_write = may_write
        self._has_rules = bool(permissions.layers)
        self._is_root_user = os.geteuid() == 0
        self._folders: list[VisibleFolder] = []
        self._linked: dict[Identity, LinkedFile] = {}
        self._unscanned: list[str] = []
        self._seen = 0
        self._top = -1
        """The descriptor of the workspace."""

    def run(self, job: Job) -> WorkspaceMounts:
        system = os.open("/", FOLDER)
        try:
            # The path has no links, unless a program put one into a workspace around this one.
            self._top = open_beneath(system, PurePosixPath(*self._root.parts[1:]), FOLDER)
        except OSError as error:
            raise InvalidPath(
                f"The workspace cannot be opened: {error.strerror}",
                suggestion="Check that its folder was not removed or replaced by a link.",
            ) from error
        finally:
            os.close(system)
        try:
            return self._run(job)
        finally:
            os.close(self._top)

    def _run(self, job: Job) -> WorkspaceMounts:
        top = VisibleFolder("", self._is_folder_writable(""), None)
        # Breadth first: when the limit cuts the scan, what is hidden is as deep as possible.
        queue = deque([top])
        while queue and self._seen < MAX_ENTRIES:
            job.check()
            folder = queue.popleft()
            if folder.path in self.replaced:
                folder.shown = []
            self._folders.append(folder)
            queue.extend(self._scan(folder))
        for folder in queue:
            self._hide(folder)
        covers = self._covers()
        is_writable = any(folder.is_writable for folder in self._folders) or any(
            it["kind"] == "writable" for it in covers
        )
        device, inode = top.identity
        request = WorkspaceRequest(
            root=str(self._root),
            device=device,
            inode=inode,
            is_writable=top.is_writable,
            covers=covers,
        )
        replaced = [it.path for it in self._folders if it.shown is not None]
        return WorkspaceMounts(request, self._unscanned, replaced, is_writable, self._permissions)

    def fullest(self) -> frozenset[str]:
        """Return the folders that have too many covers; not `/`, which all the others are in."""
        return frozenset(
            it.path
            for it in self._folders
            if len(it.covered) > MAX_COVERED and (it.path or len(self._root.parts) > 1)
        )

    def _scan(self, folder: VisibleFolder) -> list[VisibleFolder]:
        """Cover what is denied in a folder, and return the folders to scan next."""
        try:
            opened = open_beneath(self._top, PurePosixPath(folder.path), FOLDER)
        except (FileNotFoundError, NotADirectoryError):
            return []  # removed since its parent was listed
        except OSError:
            folder.hide_in_parent()
            return []
        try:
            # Not fstat: this one fails without the right to enter the folder.
            status = os.stat(".", dir_fd=opened)
            folder.identity = identity_of(status)
            if self._is_root_user and folder.parent and is_closed(status):
                raise PermissionError
            with os.scandir(opened) as listing:
                return [it for entry in listing for it in self._look_at(folder, entry)]
        except OSError:
            folder.covered.clear()
            folder.hide_in_parent()
            return []
        finally:
            os.close(opened)

    def _look_at(self, folder: VisibleFolder, entry: os.DirEntry[str]) -> Iterator[VisibleFolder]:
        self._seen += 1
        path = f"{folder.path}/{entry.name}" if folder.path else entry.name
        if path in self.own:
            return
        if entry.is_symlink():
            folder.has_readable = True
            self._show(folder, path, entry, "link")
        elif not entry.is_dir(follow_symlinks=False):
            self._add_file(folder, entry, path)
        else:
            try:
                identity = identity_of(entry.stat(follow_symlinks=False))
            except FileNotFoundError:
                return
            inner = VisibleFolder(path, self._is_folder_writable(path), folder, identity)
            self._seen += _FOLDER_ENTRIES - 1
            if self._is_denied(path, entry.name, is_folder=True):
                inner.hide_in_parent()
            elif path in self.hidden or _is_too_deep(path):
                self._hide(inner)
            else:
                self._show(folder, path, entry, "writable" if inner.is_writable else "read-only")
                yield inner

    def _hide(self, folder: VisibleFolder) -> None:
        self._unscanned.append(folder.path)
        folder.hide_in_parent()

    def _add_file(self, folder: VisibleFolder, entry: os.DirEntry[str], path: str) -> None:
        is_regular = entry.is_file(follow_symlinks=False)
        is_hidden = not is_regular or self._is_denied(path, entry.name, is_folder=False)
        is_writable = not is_hidden and self._is_file_writable(path)
        folder.has_readable = folder.has_readable or not is_hidden
        if not is_hidden:
            self._show(folder, path, entry, "writable" if is_writable else "read-only")
        if not is_hidden and not is_writable and not folder.is_writable:
            return
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        if is_hidden:
            folder.covered.append(cover(path, identity_of(status), "hidden file"))
        elif is_writable and status.st_nlink > 1:
            linked = self._linked.setdefault(identity_of(status), LinkedFile())
            linked.links = max(linked.links, status.st_nlink)
            linked.names.append((folder, path))
        elif is_writable != folder.is_writable:
            kind: CoverKind = "writable" if is_writable else "read-only"
            folder.covered.append(cover(path, identity_of(status), kind))

    def _show(
        self, folder: VisibleFolder, path: str, entry: os.DirEntry[str], kind: CoverKind
    ) -> None:
        """Note what a folder shows that is replaced."""
        if folder.shown is not None:
            with suppress(FileNotFoundError):
                status = entry.stat(follow_symlinks=False)
                folder.shown.append((status.st_ctime_ns, cover(path, identity_of(status), kind)))

    def _covers(self) -> list[Cover]:
        """Return all covers, outer ones first; a folder with nothing readable is hidden as one."""
        self._cover_linked()
        replaced = [self._replace(it) for it in self._folders if it.shown is not None]
        for folder in reversed(self._folders):  # children first, they decide for their parents
            parent = folder.parent
            if parent is None:
                continue
            if folder.has_readable or folder.is_writable:
                parent.has_readable = True
            elif folder.covered:
                folder.covered.clear()
                folder.hide_in_parent()
        covers: dict[str, Cover] = {}
        for folder in self._folders:
            parent = folder.parent
            if parent is not None and parent.is_writable != folder.is_writable:
                self._pin(folder, covers)
            if folder.covered:
                self._pin(folder, covers)
        # Last: a folder that is hidden is not shown, whatever else applies to it.
        covers |= {it["path"]: it for folder in self._folders for it in folder.covered}
        covers |= {it["path"]: it for it in replaced}
        return [covers[path] for path in sorted(covers, key=lambda it: it.split("/"))]

    def _replace(self, folder: VisibleFolder) -> Cover:
        """Cover a folder by a new one, with the oldest of the entries that may be read."""
        read_only = {it["path"] for it in folder.covered if it["kind"] == "read-only"}
        # By the time that programs cannot set: what they add does not push out the others.
        shown = [it for _, it in sorted(folder.shown or (), key=_age)[:MAX_SHOWN]]
        for place in shown:
            if place["path"] in read_only:  # because of a hard link
                place["kind"] = "read-only"
        folder.covered = shown
        return cover(folder.path, folder.identity, "replaced")

    def _pin(self, inner: VisibleFolder, covers: dict[str, Cover]) -> None:
        """Make a folder and those above it mounts, which can be neither renamed nor removed."""
        for folder in inner:
            parent = folder.parent
            if parent is None:
                return
            differs = parent.is_writable != folder.is_writable
            if folder.path not in covers and (parent.is_writable or differs):
                kind: CoverKind = "writable" if folder.is_writable else "read-only"
                covers[folder.path] = cover(folder.path, folder.identity, kind)

    def _cover_linked(self) -> None:
        """Protect files that have another name outside, or one that may not be written."""
        for identity, linked in self._linked.items():
            is_protected = linked.links > len(linked.names)
            for folder, path in linked.names:
                if is_protected and folder.is_writable:
                    self.hard_linked.append(path)
                    folder.covered.append(cover(path, identity, "read-only"))
                elif not is_protected and not folder.is_writable:
                    folder.covered.append(cover(path, identity, "writable"))

    def _is_denied(self, path: str, name: str, *, is_folder: bool) -> bool:
        if not self._has_rules:  # the built-in rules look at names only, which is faster
            return not self._permissions.may(name, Operation.READ)
        refusal = self._permissions.denied_by(
            PurePosixPath(path), Operation.READ, is_folder=is_folder
        )
        return refusal is not None

    def _is_file_writable(self, path: str) -> bool:
        if not self._may_write or self._is_system(path):
            return False
        if not self._has_rules:
            return not is_own_file(PurePosixPath(path))
        return self._permissions.may(path, Operation.WRITE)

    def _is_folder_writable(self, path: str) -> bool:
        """Whether any new file may be written in a folder, and in new folders below it."""
        if not self._may_write or self._is_system(path):
            return False
        place = PurePosixPath(path)
        if not self._has_rules:
            return not is_own_file(place)
        return all(
            self._permissions.denied_by(place.joinpath(*[_NEW_NAME] * depth), Operation.WRITE)
            is None
            for depth in (1, 2)
        )

    def _is_system(self, path: str) -> bool:
        return any(path == it or path.startswith(f"{it}/") for it in self.read_only)


def _is_too_deep(path: str) -> bool:
    return path.count("/") >= MAX_DEPTH or len(os.fsencode(path)) > _MAX_PATH_BYTES


def _age(shown: tuple[int, Cover]) -> tuple[int, str]:
    changed, entry = shown
    return changed, entry["path"]
