"""Read named artefacts: recognise each by its content, and join the halves of SPX reports."""

import hashlib
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import Annotated, BinaryIO

import msgspec
from pydantic import Field

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, InvalidParams, TimeLimitExceeded
from benchpin.core.results import Item
from benchpin.performance.calls import Budget
from benchpin.performance.pglog import LOG_FORMATS, read_postgres_log
from benchpin.performance.plans import Plans
from benchpin.performance.slowlog import digest_chunks, read_slow_log
from benchpin.performance.snapshots import Origin, normalised_hints
from benchpin.performance.spx import read_profile
from benchpin.performance.values import Profile, Reading, SlowLog, Source, Timings, derive
from benchpin.system.processes import HelperProcess, worker_count
from benchpin.workspace.files import OpenFile

from ._detect import SPX_TEXT_ENDINGS, Validation, spx_stem, validate, with_pairs
from ._reading_worker import (
    MAX_BYTES,
    DecodedArtifact,
    ReadAnswer,
    ReadRequest,
    kind_of,
    read_whole,
)
from ._unpacking import Unpacker

# Opens a path of the caller after checking that it may be read.
Opener = Callable[[str], AbstractContextManager[OpenFile]]
_HASHED_BYTES = 1 << 20
_STATEMENT_HINT = "query"
_MAX_METADATA_BYTES = 1 << 20
_MAX_UNPACKED_BYTES = 64 << 30
# Versions that are read in pieces, with a look at the clock between them.
_STREAMED = frozenset(
    {"callgrind", "chrome-trace", "collapsed", "perf-script", "csv-v1", "curl-json", "hey-csv"}
)
_MODULE = "benchpin.performance.reading._reading_worker"
# A file of this size is decoded in some tens of milliseconds.
_SMALL_BYTES = 1 << 20
# gzip packs at most 1,000 bytes into one.
_SMALL_PACKED_BYTES = 16 << 10
_POLL_S = 0.1
# How long after its limit the process may still answer with what it has.
_LATE_S = 2.0


# Read artefacts that are decoded whole: small ones at once, large ones in a process.


class ConfinedReader:
    """Reads the files of one call; the process is started for the first large one."""

    def __init__(self) -> None:
        self._worker: HelperProcess | None = None

    def close(self) -> None:
        """End the process."""
        if self._worker is not None:
            self._worker.close()

    def read(self, request: ReadRequest, source: OpenFile, job: Job) -> DecodedArtifact:
        """Read a file from its beginning.

        Raises:
            InvalidParams: when it cannot be read.
            TimeLimitExceeded: when it took too long, and not even a part is there.
        """
        if source.size_bytes <= _small_bytes(source.file):
            return read_whole(request, source.file, job)
        limited = msgspec.structs.replace(request, time_limit_s=job.time_left_s())
        answer = self._ask(limited, source.file.read(MAX_BYTES), job)
        if answer.problem:
            raise InvalidParams(answer.problem, suggestion=answer.suggestion)
        for what in answer.missing:
            job.leave_out(what)
        return msgspec.json.decode(answer.content, type=kind_of(request))

    def _ask(self, request: ReadRequest, content: bytes, job: Job) -> ReadAnswer:
        if self._worker is None or not self._worker.is_alive:
            self._worker = HelperProcess(_MODULE)
            self._worker.wait_ready()
        worker, started = self._worker, time.monotonic()
        answer: bytes | None = None
        try:
            worker.send(msgspec.json.encode(request))
            worker.send(content)
            limit_s = math.inf if request.time_limit_s is None else request.time_limit_s + _LATE_S
            while answer is None and time.monotonic() - started < limit_s:
                job.check()
                answer = worker.receive(_POLL_S)
        finally:
            if not answer:
                worker.close()
        if answer is None:
            raise TimeLimitExceeded(
                f"the file was not read within {request.time_limit_s:.0f} s",
                suggestion="Record a shorter time, or raise --tool-timeout.",
            )
        if not answer:
            raise InvalidParams(
                "the file crashes its reader", suggestion="Record it again; the file is damaged."
            )
        return msgspec.json.decode(answer, type=ReadAnswer)


def _small_bytes(file: BinaryIO) -> int:
    packing = Unpacker(file, 0).packing
    file.seek(0)
    return _SMALL_BYTES if packing == "plain" else _SMALL_PACKED_BYTES


class Artifact(Item):
    """A file."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    """In the workspace or in --artifacts."""
    hints: dict[str, object] = Field(default_factory=dict)
    """Such as {"type": "mysql_slow_log"}; query has the statement of a plan."""


@dataclass(frozen=True, slots=True)
class IngestedArtifacts:
    """The content of artefacts, and where each was."""

    readings: tuple[Reading, ...]
    origins: tuple[Origin, ...]


def validate_all(paths: Iterable[str], open_artifact: Opener) -> dict[str, Validation]:
    """Recognise every file, or say why it cannot be used."""
    found: dict[str, Validation] = {}
    for path in paths:
        try:
            with open_artifact(path) as source:
                found[path] = validate(source.file, path)
        except BenchpinError as error:
            problem = f"{error.message}. {error.suggestion}"
            found[path] = Validation(path, False, None, None, (problem,))
    return with_pairs(found, lambda path: _can_open(path, open_artifact))


def conflicts_with_hints(
    artifacts: Iterable[Artifact], found: Mapping[str, Validation]
) -> dict[str, str]:
    """Return the artefacts that are something else than their hint says, by path."""
    return {
        it.path: f"the hint says {it.hints['type']}, and it is {detected}"
        for it in artifacts
        if (detected := found[it.path].detected_type) and it.hints.get("type", detected) != detected
    }


def ingest(
    artifacts: Sequence[Artifact],
    open_artifact: Opener,
    budget: Budget,
    job: Job,
    hashes: Mapping[str, str] | None = None,
) -> IngestedArtifacts:
    """Read artefacts, and the halves of SPX reports beside them; refuse all if one is unusable.

    `hashes` has the SHA-256 that files must have, by path.
    """
    hints = {artifact.path: artifact.hints for artifact in artifacts}
    found = validate_all(hints, open_artifact)
    conflicts = conflicts_with_hints(artifacts, found)
    beside = [path for path in _other_halves(found, open_artifact) if path not in hints]
    found |= validate_all([*found, *beside], open_artifact) if beside else {}
    _refuse_unusable(found, conflicts)
    with closing(ConfinedReader()) as confined:
        reader = _Reader(found, hints, hashes or {}, open_artifact, budget, job, confined)
        return _read_groups(reader)


def _read_groups(reader: "_Reader") -> IngestedArtifacts:
    found, hints, job = reader.found, reader.hints, reader.job
    readings: list[Reading] = []
    origins: list[Origin] = []
    groups = _groups(found)
    for done, group in enumerate(groups):
        job.check()
        if job.is_expired:
            job.leave_out(f"{len(groups) - done} of {len(groups)} artefacts")
            break
        job.report(done, len(groups), group[0])
        reading = reader.read(group)
        readings.append(reading)
        origins += [
            derive(
                Origin,
                source,
                path=path,
                hints=_kept_hints(hints.get(path, {})) | _pair_hint(found[path]),
            )
            for path, source in zip(group, reading.sources, strict=True)
        ]
    return IngestedArtifacts(tuple(readings), tuple(origins))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one group of files after the other."""

    found: Mapping[str, Validation]
    hints: Mapping[str, Mapping[str, object]]
    hashes: Mapping[str, str]
    open: Opener
    budget: Budget
    job: Job
    confined: ConfinedReader

    def read(self, group: tuple[str, ...]) -> Reading:
        """Read a file with its companion."""
        path, *companions = group
        with self.open(path) as source:
            sources = [self._source(path, source)]
            for other in companions:
                with self.open(other) as companion:
                    sources.append(self._source(other, companion))
            return Reading(tuple(sources), self._content(self.found[path], source, companions))

    def _content(
        self, validation: Validation, source: OpenFile, companions: Sequence[str]
    ) -> Profile | SlowLog | Timings | Plans | None:
        if validation.is_spx_metadata:
            return None
        if validation.is_spx_text:
            metadata = None
            for path in companions:
                with self.open(path) as companion:
                    metadata = companion.file.read(_MAX_METADATA_BYTES)
            return read_profile(metadata, source.file, self.budget, self.job)
        if validation.detected_type == "postgresql_log":
            return self._postgres_log(source, validation.detected_version)
        if validation.detected_type == "mysql_slow_log":
            return self._slow_log(source)
        request = self._request(validation)
        if request.version in _STREAMED:
            return read_whole(request, source.file, self.job)
        return self.confined.read(request, source, self.job)

    def _request(self, validation: Validation) -> ReadRequest:
        asked = self.hints.get(validation.path, {}).get(_STATEMENT_HINT)
        return ReadRequest(
            validation.detected_type or "ttfb_timings",
            validation.detected_version or "",
            self.budget,
            asked if isinstance(asked, str) else None,
        )

    def _slow_log(self, source: OpenFile) -> SlowLog:
        unpacker = Unpacker(source.file, _MAX_UNPACKED_BYTES)
        if unpacker.packing == "plain":
            source.file.seek(0)
            return read_slow_log(source.file, source.size_bytes, self.job, workers=worker_count())
        return _with_faults(digest_chunks(unpacker.chunks(), self.job), unpacker)

    def _postgres_log(self, source: OpenFile, version: str | None) -> SlowLog:
        [form] = [it for it in LOG_FORMATS if it == version]
        unpacker = Unpacker(source.file, _MAX_UNPACKED_BYTES)
        log = read_postgres_log(form, unpacker.chunks(), self.job)
        return _with_faults(log, unpacker)

    def _source(self, path: str, source: OpenFile) -> Source:
        validation = self.found[path]
        sha256 = _sha256(source.file, self.job)
        if sha256 != self.hashes.get(path, sha256):
            raise InvalidParams(
                f"{path} is not what the manifest of its bundle says: its SHA-256 is {sha256}",
                suggestion="Collect again, or give the files themselves as artifacts.",
                data={"path": path, "sha256": sha256},
            )
        return Source(
            sha256=sha256,
            size_bytes=source.size_bytes,
            type=validation.detected_type or "spx",
            version=validation.detected_version or "",
        )


def _with_faults(log: SlowLog, unpacker: Unpacker) -> SlowLog:
    """Add what was wrong with a packed file."""
    is_whole = log.is_complete and not unpacker.faults
    faults = (*log.faults, *unpacker.faults)
    return msgspec.structs.replace(log, is_complete=is_whole, faults=faults)


def _sha256(file: BinaryIO, job: Job) -> str:
    """Hash a file from its beginning, and return to it."""
    digest = hashlib.sha256()
    while piece := file.read(_HASHED_BYTES):
        job.check()
        digest.update(piece)
    file.seek(0)
    return digest.hexdigest()


def _can_open(path: str, open_artifact: Opener) -> bool:
    try:
        with open_artifact(path):
            return True
    except BenchpinError:
        return False


def _other_halves(found: Mapping[str, Validation], open_artifact: Opener) -> list[str]:
    """Find the missing halves of SPX reports in the folders of the halves that were named."""
    halves: list[str] = []
    for path, validation in found.items():
        if validation.detected_type == "spx":
            endings = SPX_TEXT_ENDINGS if validation.is_spx_metadata else (".json",)
            beside = (spx_stem(path) + ending for ending in endings)
            halves += [it for it in beside if it not in found and _can_open(it, open_artifact)][:1]
    return halves


def _groups(found: Mapping[str, Validation]) -> list[tuple[str, ...]]:
    """Join the halves of SPX reports, the text first."""
    metadata = {spx_stem(path): path for path, it in found.items() if it.is_spx_metadata}
    texts = {spx_stem(path) for path, it in found.items() if it.is_spx_text}
    groups: list[tuple[str, ...]] = []
    for path, validation in found.items():
        stem = spx_stem(path)
        if validation.is_spx_text and stem in metadata:
            groups.append((path, metadata[stem]))
        elif not validation.is_spx_metadata or stem not in texts:
            groups.append((path,))
    return groups


def _refuse_unusable(found: Mapping[str, Validation], conflicts: Mapping[str, str]) -> None:
    """Refuse what is no artefact or not the expected one; read damaged ones as far as possible."""
    unusable = {path: it.errors for path, it in found.items() if it.detected_type is None}
    unusable |= {path: (problem,) for path, problem in conflicts.items()}
    if unusable:
        listed = "; ".join(f"{path}: {', '.join(errors)}" for path, errors in unusable.items())
        raise InvalidParams(
            f"{len(unusable)} of {len(found)} artefacts cannot be used: {listed}",
            suggestion="Leave them out or correct them; validate_artifacts says what each file is.",
            data={"artifacts": {path: list(errors) for path, errors in unusable.items()}},
        )


def _kept_hints(hints: Mapping[str, object]) -> dict[str, object]:
    """Return the hints to store: not a statement, whose values may be private."""
    return normalised_hints({name: it for name, it in hints.items() if name != _STATEMENT_HINT})


def _pair_hint(validation: Validation) -> dict[str, object]:
    return {"spx": validation.metadata} if validation.detected_type == "spx" else {}
