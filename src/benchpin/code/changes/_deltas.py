"""The files that differ between two states of a workspace: commits, the index, the disk, a patch.

Git only lists what a commit and the index contain. It never compares files on disk, since for that
it would run the filters that the repository configures.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.core.text import sendable
from benchpin.facts import FileSelection
from benchpin.workspace.diffs import FilePatch, apply_patch, is_applied, read_patch
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.git import Repository, find_commit, find_head, find_repository, merge_base
from benchpin.workspace.git_objects import (
    MAX_OBJECT_BYTES,
    IndexEntry,
    ObjectReader,
    blob_id,
    index_time_ns,
    list_tree,
    open_objects,
    read_index,
)
from benchpin.workspace.walking import SourceFile

from ._renames import pair_renames

UNCOMMITTED, STAGED = "uncommitted", "staged"
_MAX_FILE_BYTES = 16 << 20
# The limit on all contents together; files after it are named and not compared.
_MAX_BYTES = 128 << 20
_TOO_LARGE = f"larger than {MAX_OBJECT_BYTES >> 20} MiB"
# The modes of regular files begin so; links and submodules are not compared.
_FILE = "100"

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
        """What happened to the file."""
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


def find_deltas(selection: FileSelection, change: str) -> Deltas:
    """Return what differs in the selected files.

    `change` is `uncommitted`, `staged`, a range `A..B` of two commits, or a revision: then it is
    what changed since the newest commit that it shares with HEAD, uncommitted work included.

    Raises:
        GitFailed: when git cannot read the repository.
        InvalidParams: when there is no such revision.
        NotARepository: when the folder is not under version control.
        TimeLimitExceeded: when the job's time is up.
    """
    job = selection.job
    repository = find_repository(selection.folder, selection.root, selection.session.git_folders)
    with ExitStack() as stack:
        objects = stack.enter_context(open_objects(repository, job))
        states = _States(selection, repository, objects)
        title, before, after = states.compared(change)
        changed = [it for it in sorted({*before, *after}) if before.get(it) != after.get(it)]
        found = []
        for path in job.each(changed, "files"):
            if selection.accepts(path) and states.has_room(path):
                old, new = (states.content(path, side.get(path)) for side in (before, after))
                if path not in states.unreadable:
                    found.append(FileDelta(path, old, new))
        return Deltas(title, pair_renames(found), states.unreadable)


def patch_deltas(selection: FileSelection, patch: str) -> Deltas:
    """Return what a patch would change in the selected files, as they are on the disk.

    Raises:
        InvalidParams: when it is not a unified diff, or does not fit.
    """
    found: list[FileDelta] = []
    for part in selection.job.each(read_patch(patch), "files"):
        before = _on_disk(selection, part.old_path)
        try:
            after = apply_patch(before, part)
        except InvalidParams as error:
            _refuse_applied(selection, part, error)
            raise
        path = part.new_path or part.old_path
        _require_inside(selection, path)
        is_renamed = part.old_path and part.new_path and part.old_path != part.new_path
        found.append(FileDelta(path, before, after, part.old_path if is_renamed else ""))
    return Deltas("the patch", tuple(found), {})


def _on_disk(selection: FileSelection, path: str) -> bytes | None:
    if not path or not selection.accepts(path):
        return None
    try:
        return read_regular(os.fsencode(selection.root), path, _MAX_FILE_BYTES)[0]
    except Unreadable:
        return None


def _refuse_applied(selection: FileSelection, part: FilePatch, error: InvalidParams) -> None:
    """Say of a patch that does not fit that it is applied already, if it is."""
    path = part.new_path or part.old_path
    if selection.accepts(path) and is_applied(_on_disk(selection, path), part):
        raise InvalidParams(
            f"The patch is applied already: {sendable(path)!r} is as the patch would leave it",
            suggestion="Compare with the revision before it: give diff=REV, and no patch.",
            data=error.data,
        ) from error


def _require_inside(selection: FileSelection, path: str) -> None:
    """Refuse a patch of what is not, or may not be, in the workspace."""
    is_inside = path and not path.startswith("/") and ".." not in path.split("/")
    if not is_inside or not selection.may_read(path):
        raise InvalidParams(
            f"The patch changes {sendable(path[:200])!r}, which cannot be read or written here",
            suggestion="Give paths inside the workspace, as `git diff` prints them.",
        )


class _States:
    """The states that can be compared, each as the ids of its files."""

    def __init__(
        self, selection: FileSelection, repository: Repository, objects: ObjectReader
    ) -> None:
        self._selection = selection
        self._repository = repository
        self._objects = objects
        self._read: dict[str, bytes] = {}
        """Contents of files on the disk, by the id that git would give them."""
        self._object_bytes = self._disk_bytes = 0
        """Of all contents that were read from git, and from the disk."""
        self.unreadable: dict[str, str] = {}

    @property
    def _job(self) -> Job:
        return self._selection.job

    def compared(self, change: str) -> tuple[str, _Ids, _Ids]:
        """Return what a change compares: its name, and the ids before and after."""
        head = find_head(self._repository, self._job)
        committed = self._commit(head) if head else {}
        if change == STAGED:
            return "staged changes", committed, {it.path: it.object_id for it in self._index}
        if change == UNCOMMITTED:
            return "uncommitted changes", committed, self._disk
        first, dots, second = change.partition("..")
        if dots:
            old, new = (self._find(it.lstrip(".") or "HEAD") for it in (first, second))
            if second.startswith("."):
                old = merge_base(self._repository, old, new, self._job) or old
            title = f"changes from {first or 'HEAD'} to {second.lstrip('.') or 'HEAD'}"
            return title, self._commit(old), self._commit(new)
        named = self._find(change)
        base = merge_base(self._repository, named, head, self._job) if head else None
        return f"changes since {change}", self._commit(base or named), self._disk

    def has_room(self, path: str) -> bool:
        """Whether another file may be compared; one that may not is named."""
        return self._fits(path, self._object_bytes)

    def _fits(self, path: str, size_bytes: int) -> bool:
        if size_bytes >= _MAX_BYTES:
            self.unreadable[path] = f"after {_MAX_BYTES >> 20} MiB of other files"
        return size_bytes < _MAX_BYTES

    def content(self, path: str, object_id: str | None) -> bytes | None:
        """Return the content that has an id."""
        if object_id is None:
            return None
        found = self._read.get(object_id)
        if found is None:
            found = self._objects.read(object_id)
            self._object_bytes += len(found or b"")
        if found is None:
            is_missing = object_id in self._objects.missing
            self.unreadable[path] = "not in this clone" if is_missing else _TOO_LARGE
        return found

    def _find(self, revision: str) -> str:
        return find_commit(self._repository, revision, self._job)

    def _commit(self, commit: str) -> _Ids:
        entries = list_tree(self._repository, commit, self._job)
        return {it.path: it.object_id for it in entries if it.mode.startswith(_FILE)}

    @cached_property
    def _index(self) -> list[IndexEntry]:
        entries = read_index(self._repository, self._job)
        return [it for it in entries if it.mode.startswith(_FILE)]

    @cached_property
    def _disk(self) -> _Ids:
        """The ids that the files on the disk would have, tracked or not."""
        return dict(self._on_disk())

    def _on_disk(self) -> Iterator[tuple[str, str]]:
        known = {it.path: it for it in self._index}
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
        if entry is not None and self._is_unchanged(root / path, entry):
            return entry.object_id
        if file is None and entry is None:
            return ""
        try:
            content, _ = read_regular(os.fsencode(root), path, _MAX_FILE_BYTES)
        except Unreadable as error:
            if os.path.lexists(root / path):
                self.unreadable[path] = str(error)
                return entry.object_id if entry is not None else ""
            return ""
        object_id = blob_id(content, like)
        if entry is not None and object_id != entry.object_id and b"\r\n" in content:
            # Git may have converted the line ends, which is no change.
            unix = content.replace(b"\r\n", b"\n")
            if blob_id(unix, like) == entry.object_id:
                return entry.object_id
        if not self._fits(path, self._disk_bytes):
            return entry.object_id if entry is not None else ""
        self._disk_bytes += len(content)
        self._read[object_id] = content
        return object_id

    def _is_unchanged(self, place: Path, entry: IndexEntry) -> bool:
        try:
            status = os.lstat(place)
        except OSError:
            return False
        return entry.describes(status) and status.st_mtime_ns < self._index_time_ns

    @cached_property
    def _index_time_ns(self) -> int:
        return index_time_ns(self._repository)
