"""What a member is read from: a git repository at a commit, or a folder as it is.

A folder without git has no commits: what is measured is named by a hash of its content, and a file
by the id that git would give it, so that the same content is measured once wherever it is.
"""

import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Protocol

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, PathError
from benchpin.facts import May
from benchpin.facts.store import SECTIONS, engine_version
from benchpin.facts.workers import NO_CACHE, FileBatch, FileResult, WorkerPool
from benchpin.system.zstd import compress
from benchpin.workspace.files import read_whole
from benchpin.workspace.git import Repository, check, find_head
from benchpin.workspace.git_objects import MAX_OBJECT_BYTES, ObjectReader, blob_id, open_objects
from benchpin.workspace.walking import WalkOptions, walk

from ._members import is_repository
from ._trees import (
    MemberTree,
    TreeFile,
    is_measured,
    kind_of,
    language_of,
    open_member,
    read_tree,
    tree_of,
)

_HASH_BYTES = 20
# Ids are those of repositories with SHA-1, which nearly all are.
_LIKE = "0" * 40
BATCH_BLOBS = 500
_HEAD_BYTES = 8_192
_LEVEL = 3
_NOT_HERE = "files of its newest commit are not in this partial clone: get them with `git fetch`"


class MemberChanged(BenchpinError):
    """A folder is not any more what was measured of it."""

    kind = "member_changed"


class Contents(Protocol):
    """Reads files of a member."""

    @property
    def missing(self) -> Sequence[str]:
        """The ids of contents that were asked for and are not in this clone."""

    def read_each(self, files: Iterable[TreeFile]) -> Iterator[bytes | None]:
        """Yield the content of each; None if it is too large or not there.

        Raises:
            BenchpinError: when the member cannot be read, or has changed.
        """

    def read_path(self, commit: str, path: str) -> bytes | None:
        """Return a file of a commit by its path; None if it cannot be read."""


class MemberSource(Protocol):
    """One member; every method raises `BenchpinError` when it cannot be read."""

    @property
    def repository(self) -> Repository | None:
        """The git repository; None without git."""

    def head(self, may: May, job: Job) -> str | None:
        """Return the newest commit, or the hash of the content; None if there is nothing."""

    def tree(self, commit: str, may: May, job: Job) -> MemberTree:
        """Return what a commit has of which the paths may be read."""

    def opened(self, job: Job) -> AbstractContextManager[Contents]:
        """Open it for reading."""


def open_source(folder: Path) -> MemberSource:
    """Open a member by its folder.

    Raises:
        BenchpinError: when git would read something outside it.
    """
    if is_repository(folder):
        return GitSource(open_member(folder))
    return FolderSource(folder)


@dataclass(frozen=True, slots=True)
class GitSource:
    """A work tree or a bare mirror."""

    repository: Repository

    def head(self, may: May, job: Job) -> str | None:  # noqa: ARG002 - as declared
        """Return the newest commit."""
        return find_head(self.repository, job)

    def tree(self, commit: str, may: May, job: Job) -> MemberTree:
        """Return what a commit has of which the paths may be read."""
        return read_tree(self.repository, job, commit, may)

    @contextmanager
    def opened(self, job: Job) -> Iterator[Contents]:
        """Start git, which reads objects."""
        with open_objects(self.repository, job) as objects:
            yield _Objects(objects)


@dataclass(frozen=True, slots=True)
class _Objects:
    objects: ObjectReader

    @property
    def missing(self) -> Sequence[str]:
        return self.objects.missing

    def read_each(self, files: Iterable[TreeFile]) -> Iterator[bytes | None]:
        return self.objects.read_each(it.blob for it in files)

    def read_path(self, commit: str, path: str) -> bytes | None:
        return self.objects.read(f"{commit}:{path}")


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A folder without git; no link in it is followed."""

    folder: Path
    repository: None = None

    def head(self, may: May, job: Job) -> str | None:
        """Return a hash of the paths and contents of what is measured; None if there is nothing."""
        return self._now(may, job).commit or None

    def tree(self, commit: str, may: May, job: Job) -> MemberTree:
        """Return what it has.

        Raises:
            MemberChanged: when that is something else now.
        """
        now = self._now(may, job)
        if now.commit != commit:
            raise _changed(self.folder.name)
        return now

    def opened(self, job: Job) -> AbstractContextManager[Contents]:
        """Return what reads it."""
        return nullcontext(_Files(self.folder, job))

    def _now(self, may: May, job: Job) -> MemberTree:
        walked = walk(self.folder, "", WalkOptions(), job)
        check(job)  # a walk that was cut short is not the folder
        paths = [it.path for it in walked.files if may(it.path)]
        reader = _Files(self.folder, job)
        digest = hashlib.blake2b(digest_size=_HASH_BYTES)
        files: list[TreeFile] = []
        for path in filter(is_measured, paths):
            content = reader.read(path)
            if content is not None:
                files.append(TreeFile(path, _id(content), kind_of(path)))
                digest.update(f"{path}\0{files[-1].blob}\0".encode("utf-8", "surrogateescape"))
        return tree_of(digest.hexdigest() if files else "", files, paths)


@dataclass(frozen=True, slots=True)
class _Files:
    folder: Path
    job: Job
    missing: tuple[str, ...] = ()

    def read_each(self, files: Iterable[TreeFile]) -> Iterator[bytes | None]:
        for file in files:
            content = self.read(file.path)
            if content is None or _id(content) != file.blob:
                raise _changed(file.path)
            yield content

    def read_path(self, commit: str, path: str) -> bytes | None:  # noqa: ARG002 - as declared
        return self.read(path)

    def read(self, path: str) -> bytes | None:
        check(self.job)
        try:
            return read_whole(self.folder, PurePosixPath(path), MAX_OBJECT_BYTES, self.job)
        except PathError:
            return None


def _id(content: bytes) -> str:
    return blob_id(content, _LIKE)


def _changed(name: str) -> MemberChanged:
    return MemberChanged(
        f"{name!r} has changed since it was measured", suggestion="Measure it again."
    )


# The map step: a batch of blobs in, their facts out. A pure function, which can run anywhere.
#
# Blobs are read through one `git cat-file --batch`, or as files, and parsed by a process of the
# worker pool, so that a file on which a parser crashes or hangs costs itself, not the batch.


class BlobBatch(msgspec.Struct, frozen=True):
    """Blobs of one repository to measure."""

    folder: str
    """The repository, where every worker finds it under this path."""
    blobs: tuple[TreeFile, ...]
    """One file for each content."""
    engine: str = ""
    """The version of the engine that asks; a worker with another one refuses."""


class BlobFacts(msgspec.Struct, frozen=True, array_like=True):
    """What is known of one blob."""

    language: str
    """Empty when it is in no language that is known here."""
    size_bytes: int
    problem: str
    """Why there are no facts; empty if there are."""
    sections: dict[str, bytes]


class Measured(msgspec.Struct, frozen=True, array_like=True):
    """The facts of one blob as they are stored."""

    key: str
    crc: int
    record: bytes
    """`BlobFacts`, packed."""


class MeasuredBatch(msgspec.Struct, frozen=True, array_like=True):
    """What became of a batch."""

    folder: str
    """The repository."""
    records: list[Measured]
    problem: str = ""
    """Why there are no records of some blobs; empty if there are of all."""


def measure_batch(batch: BlobBatch, pool: WorkerPool) -> MeasuredBatch:
    """Return the facts of the blobs of a batch, in order."""
    if batch.engine != engine_version():
        return MeasuredBatch(batch.folder, [], "a worker has another version of Benchpin")
    try:
        return _measure(batch, pool)
    except BenchpinError as error:
        return MeasuredBatch(batch.folder, [], error.message)


def _measure(batch: BlobBatch, pool: WorkerPool) -> MeasuredBatch:
    job = Job()
    with open_source(Path(batch.folder)).opened(job) as source:
        contents = list(source.read_each(batch.blobs))
        missing = frozenset(source.missing)
    known: dict[int, BlobFacts] = {}
    with TemporaryDirectory(prefix="benchpin-fleet-") as folder:
        files: list[tuple[str, str]] = []
        for number, (blob, content) in enumerate(zip(batch.blobs, contents, strict=True)):
            if blob.blob in missing:
                continue  # another repository may have it
            if content is None:
                known[number] = BlobFacts("", 0, "too large", {})
                continue
            language = language_of(blob.kind, content[:_HEAD_BYTES])
            if language is None:
                known[number] = BlobFacts("", len(content), "in no known language", {})
                continue
            Path(folder, str(number)).write_bytes(content)
            files.append((str(number), language))
        order = FileBatch(os.fsencode(folder), NO_CACHE, tuple(files), SECTIONS)
        for result in pool.map([order] if files else [], job, 1):
            known[int(result.path)] = _facts(result, dict(files)[result.path])
    records = [_stored(batch.blobs[number], facts) for number, facts in sorted(known.items())]
    return MeasuredBatch(batch.folder, records, _NOT_HERE if missing else "")


def _facts(result: FileResult, language: str) -> BlobFacts:
    sections = {} if result.problem else result.sections
    return BlobFacts(language, result.size_bytes, result.problem, sections)


def _stored(blob: TreeFile, facts: BlobFacts) -> Measured:
    record = compress(msgspec.msgpack.encode(facts), _LEVEL)
    return Measured(blob.key, zlib.crc32(record), record)
