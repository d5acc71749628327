"""The map step: a batch of blobs in, their facts out. A pure function, which can run anywhere.

Blobs are read through one `git cat-file --batch`, or as files, and parsed by a process of the
worker pool, so that a file on which a parser crashes or hangs costs itself, not the batch.
"""

import os
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.facts.store import SECTIONS, engine_version
from benchpin.facts.workers import NO_CACHE, FileBatch, FileResult, WorkerPool
from benchpin.system.zstd import compress

from ._sources import open_source
from ._trees import TreeFile, language_of

BATCH_BLOBS = 500
_HEAD_BYTES = 8_192
_LEVEL = 3
_NOT_HERE = "files of its newest commit are not in this partial clone: get them with `git fetch`"


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
