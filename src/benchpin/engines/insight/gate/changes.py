"""What changed in the files of a workspace since a revision, uncommitted work included.

Git only says what was in the revision: were it to compare files on disk, it would run the filters
that a repository names.
"""

import hashlib
import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core import InvalidParams, Job, PathError, plain
from benchpin.engines.anchors.diffing import map_lines
from benchpin.engines.source.git import (
    GitFailed,
    NotARepository,
    Repository,
    find_head,
    find_repository,
    stream,
)
from benchpin.engines.source.git_objects import ObjectReader, open_objects
from benchpin.engines.source.opening import Unreadable, read_regular

from .readings import Place

MAX_REVISION = 200
_MAX_FILE_BYTES = 16 << 20
_MOST_CANDIDATES = 50
_LEAST_ALIKE = 0.5
_PATH_CODEC = ("utf-8", "surrogateescape")
_SUBMODULE = b"160000"
_SHA1_DIGITS = 40
_HEAD = ("HEAD", "@")


@dataclass(frozen=True, slots=True)
class Span:
    """Lines that are new or differ; one that ends before it begins is between two lines."""

    start: int
    end: int


WHOLE = (Span(1, 1 << 40),)


@dataclass(frozen=True, slots=True)
class Changes:
    """The lines that changed, by file."""

    revision: str
    commit: str | None
    """None before the first commit: all is new."""
    spans: Mapping[str, tuple[Span, ...]]
    """Of files that changed, in order."""

    def touch(self, place: Place) -> bool:
        """Whether something changed at a place, or in a file that it is also a matter of."""
        if any(file in self.spans for file in place.also):
            return True
        spans = self.spans.get(place.file, ())
        if not place.name:
            return bool(spans)
        at = bisect_left(spans, place.line, key=lambda it: it.end)
        return at < len(spans) and spans[at].start <= place.end_line


def find_changes(
    revision: str, paths: Sequence[str], folder: Path, root: Path, job: Job
) -> Changes:
    """Return what changed in files of the workspace; a file that git does not know is new.

    Raises:
        Cancelled: when the job was.
        DependencyMissing: when git is not installed.
        GitFailed: when the repository lacks what the revision holds.
        InvalidParams: when the repository has no such revision.
        NotARepository: when the folder is not under version control.
        TimeLimitExceeded: when the job's time is up.
    """
    repository = find_repository(folder, root)
    if revision in _HEAD and find_head(repository, job) is None:
        new = {path: WHOLE for path in paths if path.startswith(repository.mount)}
        return Changes(revision, None, new)
    commit = _find_commit(repository, revision, job)
    return Changes(revision, commit, dict(_changed(repository, commit, paths, root, job)))


def _find_commit(repository: Repository, revision: str, job: Job) -> str:
    unknown = InvalidParams(
        f"The repository has no revision {plain(revision[:MAX_REVISION])!r}",
        suggestion="Give a commit, branch or tag that is here; a shallow clone lacks older ones: "
        "`git fetch --unshallow`.",
        data={"revision": revision[:MAX_REVISION]},
    )
    is_plain = revision.isprintable() and not revision.startswith("^")
    if not is_plain or not 0 < len(revision) <= MAX_REVISION:
        raise unknown
    wanted = (f"{revision}^{{commit}}",)
    try:
        answer = b"".join(stream(repository, "rev-parse", (), wanted, None, job))
    except GitFailed as error:
        raise unknown from error
    return answer.decode("ascii").strip()


def _changed(
    repository: Repository, commit: str, paths: Iterable[str], root: Path, job: Job
) -> Iterator[tuple[str, tuple[Span, ...]]]:
    tree = _Tree(repository, commit, job)
    wanted = [path for path in paths if tree.covers(path)]
    inner = {name: [it for it in wanted if it.startswith(f"{name}/")] for name in tree.submodules}
    own = set(wanted).difference(*inner.values())
    with open_objects(repository, job) as objects:
        before = _Before(tree, objects, root)
        for path in job.each(sorted(own), "files"):
            yield from ((path, it) for it in [before.spans(path)] if it)
    for name, beneath in inner.items():
        if beneath:
            recorded = tree.submodules[name]
            yield from _changed_inside(root / name, recorded, beneath, root, job)


def _changed_inside(
    folder: Path, commit: str, paths: Sequence[str], root: Path, job: Job
) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Compare a submodule with the commit that was recorded of it; all is new if it lacks that."""
    try:
        repository = find_repository(folder, root)
        yield from list(_changed(repository, commit, paths, root, job))
    except (GitFailed, NotARepository, PathError):
        yield from ((path, WHOLE) for path in paths)


class _Tree:
    """What a commit holds, by paths of the workspace."""

    def __init__(self, repository: Repository, commit: str, job: Job) -> None:
        self._prefix = repository.prefix.encode(*_PATH_CODEC)
        self._mount = repository.mount
        self.ids: dict[str, str] = {}
        self.submodules: dict[str, str] = {}
        listed = b"".join(stream(repository, "ls-tree", (), (commit,), None, job))
        for entry in listed.split(b"\0")[:-1]:
            head, _, name = entry.partition(b"\t")
            if name.startswith(self._prefix):
                path = self._mount + name.removeprefix(self._prefix).decode(*_PATH_CODEC)
                mode, _, object_id = head.split()
                into = self.submodules if mode == _SUBMODULE else self.ids
                into[path] = object_id.decode("ascii")

    def covers(self, path: str) -> bool:
        """Whether a file is in the repository."""
        return path.startswith(self._mount)


class _Before:
    """Compares files with what they were."""

    def __init__(self, tree: _Tree, objects: ObjectReader, root: Path) -> None:
        self._tree = tree
        self._objects = objects
        self._root = root
        self._vanished: dict[str, str] | None = None

    def spans(self, path: str) -> tuple[Span, ...]:
        """Return the lines of a file that changed."""
        try:
            now, _ = read_regular(os.fsencode(self._root), path, _MAX_FILE_BYTES)
        except Unreadable:
            return WHOLE
        before = self._tree.ids.get(path) or self._former(path, now)
        if before is None:
            return WHOLE
        if before == _blob_id(now, len(before)):
            return ()
        old = self._objects.read(before)
        return WHOLE if old is None else _differing(old, now)

    def _former(self, path: str, now: bytes) -> str | None:
        """Return what a file was under another name: the most alike of those that are gone."""
        if self._vanished is None:
            self._vanished = {
                name: object_id
                for name, object_id in self._tree.ids.items()
                if not os.path.lexists(self._root / name)
            }
        place = PurePosixPath(path)
        alike = [it for it in self._vanished if PurePosixPath(it).suffix == place.suffix]
        alike.sort(key=lambda it: (PurePosixPath(it).name != place.name, it))
        lines = Counter(_lines(now))
        best = (_LEAST_ALIKE, "")
        for name in alike[:_MOST_CANDIDATES]:
            old = Counter(_lines(self._objects.read(self._vanished[name]) or b""))
            most = max(old.total(), lines.total())
            best = max(best, ((old & lines).total() / most if most else 0.0, name))
        return self._vanished.get(best[1])


def _blob_id(content: bytes, digits: int) -> str:
    algorithm = "sha1" if digits == _SHA1_DIGITS else "sha256"
    digest = hashlib.new(algorithm, b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def _lines(content: bytes) -> list[bytes]:
    """Return the lines; how they end may be git's doing."""
    return [line.rstrip(b"\r") for line in content.removesuffix(b"\n").split(b"\n")]


def _differing(old: bytes, new: bytes) -> tuple[Span, ...]:
    numbers: dict[bytes, int] = {}

    def keys(content: bytes) -> list[int]:
        return [numbers.setdefault(line, len(numbers)) for line in _lines(content)]

    hunks = map_lines(keys(old), keys(new)).hunks
    return tuple(Span(it.new_start + 1, it.new_end) for it in hunks)
