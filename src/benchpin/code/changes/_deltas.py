"""The files that differ between two states of a workspace: commits, the index, the disk.

Git only lists what a commit and the index contain. It never compares files on disk, since for that
it would run the filters that the repository configures.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams, PathError
from benchpin.facts import FileSelection
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.git import (
    GitFailed,
    NotARepository,
    Repository,
    find_commit,
    find_head,
    find_repository,
    merge_base,
)
from benchpin.workspace.git_objects import (
    MAX_OBJECT_BYTES,
    IndexEntry,
    TreeEntry,
    blob_id,
    index_time_ns,
    list_tree,
    open_objects,
    read_index,
)
from benchpin.workspace.walking import SourceFile

from ._renames import pair_renames

UNCOMMITTED, STAGED = "uncommitted", "staged"
# The limit on all contents together; files after it are named and not compared.
_MAX_BYTES = 128 << 20
TOO_LARGE = f"larger than {MAX_OBJECT_BYTES >> 20} MiB"
# The modes of regular files begin so; links are not compared.
_FILE = "100"
_SUBMODULE = "160000"
# Commits whose files are remembered: both sides of a change, and of a submodule.
_MAX_TREES = 4
_HEAD = ("HEAD", "@")
_SHORT_ID = 12

_Ids = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FileDelta:
    """A file that differs; one side is None where there is no file."""

    path: str
    before: bytes | None
    after: bytes | None
    old_path: str = ""
    """The path before, if the file was renamed."""

    @property
    def status(self) -> str:
        if self.before is None:
            return "added"
        if self.after is None:
            return "deleted"
        return "renamed" if self.old_path else "changed"


@dataclass(frozen=True, slots=True)
class Deltas:
    """All files that differ, by path."""

    title: str
    """What was compared, in words."""
    files: tuple[FileDelta, ...]
    unreadable: Mapping[str, str]
    """Files that could not be compared, and why."""
    commit: str | None = None
    """What the files on the disk were compared with; None before the first commit."""
    is_merge_base: bool = False
    """Whether that is not the revision that was named, but where HEAD parted from it."""
    after_ids: Mapping[str, str] | None = None
    """All files after the change by their ids in git; None where that is the disk."""


def find_deltas(selection: FileSelection, change: str) -> Deltas:
    """Return what differs in the selected files.

    `change` is `uncommitted`, `staged`, a range `A..B` of two commits, or a revision as
    `deltas_since` has it.

    Raises:
        GitFailed: when git cannot read the repository.
        InvalidParams: when there is no such revision.
        NotARepository: when the folder is not under version control.
        TimeLimitExceeded: when the job's time is up.
    """
    if ".." not in change and change not in {STAGED, UNCOMMITTED}:
        return deltas_since(selection, change)
    with ExitStack() as stack:
        states = _open(selection, stack)
        head = states.head
        if change == UNCOMMITTED:
            return Deltas("uncommitted changes", *states.differing_on_disk(head), head)
        if change == STAGED:
            staged = states.index
            found = states.differing(states.commit(head), staged)
            return Deltas("staged changes", *found, after_ids=staged)
        first, _, second = change.partition("..")
        old, new = (states.find(it.lstrip(".") or "HEAD") for it in (first, second))
        if second.startswith("."):
            old = states.merge_base(old, new)
        title = f"changes from {first or 'HEAD'} to {second.lstrip('.') or 'HEAD'}"
        after = states.commit(new)
        return Deltas(title, *states.differing(states.commit(old), after), after_ids=after)


def deltas_since(selection: FileSelection, revision: str) -> Deltas:
    """Return what the selected files have over a revision, uncommitted work included.

    They are compared with the newest commit that the revision shares with HEAD: what a branch got
    after HEAD parted from it is no change of the files. Raises what `find_deltas` raises.
    """
    with ExitStack() as stack:
        states = _open(selection, stack)
        title, head = f"changes since {revision}", states.head
        if head is None and revision in _HEAD:
            return Deltas(title, *states.differing_on_disk(None))
        named = states.find(revision)
        base = states.merge_base(named, head) if head else named
        if base != named:
            title += f" (compared with {base[:_SHORT_ID]}, the merge base of {revision} and HEAD)"
        return Deltas(title, *states.differing_on_disk(base), base, base != named)


def last_commit(selection: FileSelection) -> Deltas | None:
    """Return what the last commit changed in the selected files, which are as it left them.

    None where HEAD has no parent in this clone.
    """
    with ExitStack() as stack:
        states = _open(selection, stack)
        try:
            head, parent = states.head, states.find("HEAD~1")
        except InvalidParams:
            return None
        title = f"the last commit, {head[:_SHORT_ID] if head else 'HEAD'} (nothing is uncommitted)"
        return Deltas(title, *states.differing(states.commit(parent), states.commit(head)), parent)


def _open(selection: FileSelection, stack: ExitStack) -> "_States":
    folders = selection.session.git_folders
    return _States(selection, find_repository(selection.folder, selection.root, folders), stack)


def _files_of(tree: Iterable[TreeEntry]) -> _Ids:
    return {it.path: it.object_id for it in tree if it.mode.startswith(_FILE)}


_Differing = tuple[tuple[FileDelta, ...], Mapping[str, str]]


class _States:
    """The states of one repository that can be compared, each as the ids of its files."""

    def __init__(self, selection: FileSelection, repository: Repository, stack: ExitStack) -> None:
        self._selection = selection
        self._repository = repository
        self._stack = stack
        self._objects = stack.enter_context(open_objects(repository, selection.job))
        self._read: dict[str, bytes] = {}
        """Contents of files on the disk, by the id that git would give them."""
        self._object_bytes = self._disk_bytes = 0
        """Of all contents that were read from git, and from the disk."""
        self._unreadable: dict[str, str] = {}

    @property
    def _job(self) -> Job:
        return self._selection.job

    @cached_property
    def head(self) -> str | None:
        """The commit that is checked out; None before the first one."""
        return find_head(self._repository, self._job)

    def find(self, revision: str) -> str:
        return find_commit(self._repository, revision, self._job)

    def merge_base(self, one: str, other: str) -> str:
        """Return the newest commit that two share; the first where they share none."""
        return merge_base(self._repository, one, other, self._job) or one

    def commit(self, commit: str | None) -> _Ids:
        return _files_of(self._tree(commit))

    def differing(self, before: _Ids, after: _Ids) -> _Differing:
        """Return the selected files that differ, and those that could not be compared."""
        selection = self._selection
        changed = [it for it in sorted({*before, *after}) if before.get(it) != after.get(it)]
        wanted = {it for it in changed if selection.accepts(it)}
        found = [*self._deltas(sorted(wanted), before, after)]
        # A file may come from outside the selection: without its old content all of it were new.
        suffixes = {PurePosixPath(it.path).suffix for it in found if it.before is None}
        gone = (it for it in changed if it not in after and it not in wanted)
        sources = [it for it in gone if PurePosixPath(it).suffix in suffixes]
        found += self._deltas(filter(selection.may_read, sources), before, after)
        paired = pair_renames(found)
        unreadable = {path: it for path, it in self._unreadable.items() if selection.accepts(path)}
        return tuple(it for it in paired if selection.accepts(it.path)), unreadable

    def differing_on_disk(self, commit: str | None) -> _Differing:
        """Compare the disk with a commit, and each submodule with what that commit records."""
        tree = self._tree(commit)
        links = {it.path: it.object_id for it in tree if it.mode == _SUBMODULE}
        inner = [(f"{path}/", *it) for path in links if (it := self._inside(path, links[path]))]
        inside = tuple(it for it, _, _ in inner)
        own = {path: it for path, it in self._disk.items() if not path.startswith(inside)}
        files, unreadable = self.differing(_files_of(tree), own)
        found = [*files, *(it for _, more, _ in inner for it in more)]
        for _, _, more in inner:
            unreadable = {**unreadable, **more}
        return tuple(sorted(found, key=lambda it: it.path)), unreadable

    def _inside(self, path: str, commit: str) -> _Differing | None:
        """Compare a submodule with a commit; None where it is not there, or lacks the commit."""
        folders, root = self._repository.git_folders, self._selection.root
        try:
            repository = find_repository(root / path, root, folders)
            if repository.mount != f"{path}/":
                return None
            return _States(self._selection, repository, self._stack).differing_on_disk(commit)
        except (GitFailed, NotARepository, PathError):
            return None

    def _deltas(self, paths: Iterable[str], before: _Ids, after: _Ids) -> Iterator[FileDelta]:
        for path in self._job.each(list(paths), "files"):
            if self._fits(path, self._object_bytes):
                old, new = (self._content(path, side.get(path)) for side in (before, after))
                if path not in self._unreadable:
                    yield FileDelta(path, old, new)

    def _fits(self, path: str, size_bytes: int) -> bool:
        if size_bytes >= _MAX_BYTES:
            self._unreadable[path] = f"after {_MAX_BYTES >> 20} MiB of other files"
        return size_bytes < _MAX_BYTES

    def _content(self, path: str, object_id: str | None) -> bytes | None:
        if object_id is None:
            return None
        found = self._read.get(object_id)
        if found is None:
            found = self._objects.read(object_id)
            self._object_bytes += len(found or b"")
        if found is None:
            is_missing = object_id in self._objects.missing
            self._unreadable[path] = "not in this clone" if is_missing else TOO_LARGE
        return found

    def _tree(self, commit: str | None) -> list[TreeEntry]:
        if commit is None:
            return []
        repository, job = self._repository, self._job
        # A commit never changes: an editor asks about the same one after each edit.
        return self._selection.session.remember(
            job,
            "files of a commit",
            (repository, commit),
            lambda: list_tree(repository, commit, job),
            room=_MAX_TREES,
        )

    @cached_property
    def _entries(self) -> list[IndexEntry]:
        entries = read_index(self._repository, self._job)
        return [it for it in entries if it.mode.startswith(_FILE)]

    @property
    def index(self) -> _Ids:
        return {it.path: it.object_id for it in self._entries}

    @cached_property
    def _disk(self) -> _Ids:
        """The ids that the files on the disk would have, tracked or not."""
        return dict(self._on_disk())

    def _on_disk(self) -> Iterator[tuple[str, str]]:
        known = {it.path: it for it in self._entries}
        like = next((it.object_id for it in known.values()), "0" * 40)
        walked = {it.path: it for it in self._selection.walk()}
        for path in sorted({*walked, *known}):
            if path.startswith(self._repository.mount):
                object_id = self._id_on_disk(path, walked.get(path), known.get(path), like)
                if object_id:
                    yield path, object_id

    def _id_on_disk(
        self, path: str, file: SourceFile | None, entry: IndexEntry | None, like: str
    ) -> str:
        """Return the id of a file on the disk; empty if there is none.

        A file that a walk leaves out, because a rule ignores it, is compared if it is tracked.
        """
        root = self._selection.root
        if entry is not None and self._is_unchanged(f"{root}/{path}", file, entry):
            return entry.object_id
        if file is None and entry is None:
            return ""
        try:
            content, _ = read_regular(os.fsencode(root), path, MAX_OBJECT_BYTES + 1)
        except Unreadable as error:
            if os.path.lexists(root / path):
                self._unreadable[path] = str(error)
                return entry.object_id if entry is not None else ""
            return ""
        if len(content) > MAX_OBJECT_BYTES:
            # What was read is only its beginning, whose id says nothing.
            self._unreadable[path] = TOO_LARGE
            return entry.object_id if entry is not None else ""
        object_id = blob_id(content, like)
        if entry is not None:
            # Git may have converted the line ends, which is no change.
            unix = content.replace(b"\r\n", b"\n")
            if entry.object_id in {object_id, blob_id(unix, like)}:
                return entry.object_id  # git has the content: it need not be kept here
        if not self._fits(path, self._disk_bytes):
            return entry.object_id if entry is not None else ""
        self._disk_bytes += len(content)
        self._read[object_id] = content
        return object_id

    def _is_unchanged(self, place: str, file: SourceFile | None, entry: IndexEntry) -> bool:
        if file is not None:  # the walk has just read its status
            size_bytes, mtime_ns, ctime_ns = file.size_bytes, file.mtime_ns, file.ctime_ns
        else:
            try:
                status = os.lstat(place)
            except OSError:
                return False
            size_bytes, mtime_ns = status.st_size, status.st_mtime_ns
            ctime_ns = status.st_ctime_ns
        return entry.describes(size_bytes, mtime_ns, ctime_ns) and mtime_ns < self._index_time_ns

    @cached_property
    def _index_time_ns(self) -> int:
        return index_time_ns(self._repository)
