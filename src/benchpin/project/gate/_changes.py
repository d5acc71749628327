"""What changed in the files of a workspace since a revision, uncommitted work included.

Git only lists what the revision contains. It never compares files on disk, since for that it would
run the filters that the repository configures.
"""

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath

from benchpin.code.changes import MAX_COMPARED_FILES, MIN_SIMILARITY, similarity
from benchpin.core.calls import Job
from benchpin.core.errors import PathError
from benchpin.facts import FileFacts, FileSelection
from benchpin.facts.store import key_of
from benchpin.memory import FileMeasure
from benchpin.workspace.diffs import changed_hunks
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.git import (
    GitFailed,
    NotARepository,
    Repository,
    find_commit,
    find_head,
    find_repository,
)
from benchpin.workspace.git_objects import ObjectReader, blob_id, list_tree, open_objects

from ._values import GateValue

_MAX_FILE_BYTES = 16 << 20
_SUBMODULE = "160000"
_HEAD = ("HEAD", "@")

# Returns the id that git gives the content of a file, in the format of another id, if known.
KnownId = Callable[[str, str], str | None]


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines that are new or differ; one that ends before it starts marks deleted lines."""

    start: int
    end: int


# Every line of a file, however long it is.
WHOLE = (LineRange(1, 1 << 40),)


@dataclass(frozen=True, slots=True)
class Changes:
    """The lines that changed since a revision."""

    revision: str
    commit: str | None
    """None before the first commit: everything is new."""
    lines: Mapping[str, tuple[LineRange, ...]]
    """By path, in order; only files that changed."""

    def touch(self, value: GateValue) -> bool:
        """Whether something changed where a value was measured, or in another file of its cycle."""
        if any(file in self.lines for file in value.also):
            return True
        ranges = self.lines.get(value.file, ())
        if not value.name:
            return bool(ranges)
        at = bisect_left(ranges, value.line, key=lambda one: one.end)
        return at < len(ranges) and ranges[at].start <= value.end_line


def find_changes(
    revision: str,
    paths: Sequence[str],
    folder: Path,
    root: Path,
    job: Job,
    git_folders: tuple[Path, ...] = (),
    known_id: KnownId = lambda _path, _like: None,
) -> Changes:
    """Return what changed in files of the workspace; a file that git does not track is new.

    Files whose `known_id` is that of the revision are not read.

    Raises:
        Cancelled: when the job was cancelled.
        DependencyMissing: when git is not installed.
        GitFailed: when the repository lacks objects of the revision.
        InvalidParams: when the repository has no such revision.
        NotARepository: when the folder is not under version control.
        TimeLimitExceeded: when the job's time is up.
    """
    repository = find_repository(folder, root, git_folders)
    if revision in _HEAD and find_head(repository, job) is None:
        new = {path: WHOLE for path in paths if path.startswith(repository.mount)}
        return Changes(revision, None, new)
    commit = find_commit(repository, revision, job)
    return Changes(revision, commit, dict(_changed(repository, commit, paths, job, known_id)))


def ids_by_content(selection: FileSelection, files: Sequence[FileFacts]) -> KnownId:
    """Return the ids of files, kept by content: only files that changed are read."""

    @cache
    def ids(length: int) -> dict[str, str]:
        return _BLOB_IDS.of(selection, files, length)

    return lambda path, like: ids(len(like)).get(path)


def _blob_ids(
    files: Sequence[FileFacts], selection: FileSelection, length: float
) -> dict[str, str]:
    found = {}
    for file in selection.job.each(files, "files"):
        with suppress(Unreadable):
            root = os.fsencode(selection.root)
            text, _ = read_regular(root, file.path, _MAX_FILE_BYTES)
            if key_of(text, file.language) == file.key:
                # An id of another hash is longer; of one length, any stands for all.
                found[file.path] = blob_id(text, "0" * int(length))
    return found


_BLOB_IDS = FileMeasure[str]("blob ids", str, _blob_ids)


_ChangedFile = tuple[str, tuple[LineRange, ...]]


def _changed(
    repository: Repository, commit: str, paths: Iterable[str], job: Job, known_id: KnownId
) -> Iterator[_ChangedFile]:
    root = repository.workspace_root
    entries = list_tree(repository, commit, job)
    submodules = {it.path: it.object_id for it in entries if it.mode == _SUBMODULE}
    ids = {it.path: it.object_id for it in entries if it.mode != _SUBMODULE}
    wanted = [path for path in paths if path.startswith(repository.mount)]
    inner = {name: [it for it in wanted if it.startswith(f"{name}/")] for name in submodules}
    own = set(wanted).difference(*inner.values())
    with open_objects(repository, job) as objects:
        revision = _Revision(ids, objects, root)
        for path in job.each(sorted(own), "files"):
            before = ids.get(path)
            if before is not None and known_id(path, before) == before:
                continue
            if changed := revision.compare(path):
                yield path, changed
    for name, beneath in inner.items():
        if beneath:
            yield from _changed_inside(repository, name, submodules[name], beneath, job, known_id)


def _changed_inside(
    outer: Repository,
    name: str,
    commit: str,
    paths: Sequence[str],
    job: Job,
    known_id: KnownId,
) -> Iterator[_ChangedFile]:
    """Compare a submodule with its recorded commit; everything is new where that is missing."""
    try:
        root = outer.workspace_root
        repository = find_repository(root / name, root, outer.git_folders)
        yield from list(_changed(repository, commit, paths, job, known_id))
    except (GitFailed, NotARepository, PathError):
        yield from ((path, WHOLE) for path in paths)


class _Revision:
    """Compares files with a revision."""

    def __init__(self, ids: Mapping[str, str], objects: ObjectReader, root: Path) -> None:
        self._ids = ids
        self._objects = objects
        self._root = root

    @cached_property
    def _deleted(self) -> dict[str, str]:
        """The files of the revision that are gone, with the ids of their contents."""
        return {
            path: object_id
            for path, object_id in self._ids.items()
            if not os.path.lexists(self._root / path)
        }

    def compare(self, path: str) -> tuple[LineRange, ...]:
        """Return the lines of a file that changed."""
        try:
            now, _ = read_regular(os.fsencode(self._root), path, _MAX_FILE_BYTES)
        except Unreadable:
            return WHOLE
        before = self._ids.get(path) or self._renamed(path, now)
        if before is None:
            return WHOLE
        if before == blob_id(now, before):
            return ()
        old = self._objects.read(before)
        return WHOLE if old is None else _differing(old, now)

    def _renamed(self, path: str, now: bytes) -> str | None:
        """Return the id of the deleted file that is most similar, if one is similar enough."""
        place = PurePosixPath(path)
        candidates = [it for it in self._deleted if PurePosixPath(it).suffix == place.suffix]
        candidates.sort(key=lambda it: (PurePosixPath(it).name != place.name, it))
        best = (MIN_SIMILARITY, "")
        for name in candidates[:MAX_COMPARED_FILES]:
            old = self._objects.read(self._deleted[name]) or b""
            best = max(best, (similarity(old, now), name))
        return self._deleted.get(best[1])


def _differing(old: bytes, new: bytes) -> tuple[LineRange, ...]:
    return tuple(LineRange(it.new_start + 1, it.new_end) for it in changed_hunks(old, new))
