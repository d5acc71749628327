"""Read named artefacts: recognise each by its content, and join the halves of SPX reports."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import BinaryIO

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.performance.formats import Content, format_of
from benchpin.performance.snapshots import Origin, normalised_hints
from benchpin.performance.values import Reading, Source, derive
from benchpin.system.processes import HelperPool
from benchpin.workspace.files import OpenFile

from ._reading_worker import ReadAnswer
from ._source import ArtifactSource, Budget, ReadRequest
from ._unpacking import Unpacker
from ._validation import (
    SPX_TEXT_ENDINGS,
    Artifact,
    Opener,
    Validation,
    can_open,
    conflicts_with_hints,
    spx_stem,
    validate_all,
)

_HASHED_BYTES = 1 << 20
_STATEMENT_HINT = "query"
_MAX_METADATA_BYTES = 1 << 20
_MODULE = "benchpin.performance.reading._reading_worker"
# A file of this size is decoded in some tens of milliseconds.
_SMALL_BYTES = 1 << 20
# gzip packs at most 1,000 bytes into one.
_SMALL_PACKED_BYTES = 16 << 10


# Read artefacts that are decoded whole: small ones at once, large ones in a process.


class ConfinedReader:
    """Reads the files of one call; the process is started for the first large one."""

    def __init__(self) -> None:
        self._pool = HelperPool(_MODULE)
        self.close = self._pool.close

    def read(self, request: ReadRequest, source: OpenFile, job: Job) -> Content | None:
        """Read a file from its beginning.

        Raises:
            InvalidParams: when it cannot be read.
            TimeLimitExceeded: when it took too long.
        """
        found = format_of(request.version)
        limit = found.max_document_bytes
        if limit is None or source.size_bytes <= _small_bytes(source.file):
            return found.read(ArtifactSource(source.file, request, job))
        limited = msgspec.structs.replace(request, time_limit_s=job.time_left_s())
        with self._pool.borrow() as worker:
            worker.send(msgspec.json.encode(limited))
            # One byte more than is read, so that the reader says so.
            worker.send(source.file.read(limit + 1))
            left_s = job.time_left_s()  # to send it took time too
            written = worker.wait(job, math.inf if left_s is None else left_s)
        job.require_time()
        if not written:
            raise InvalidParams(
                "the file crashes its reader", suggestion="Record it again; the file is damaged."
            )
        answer = msgspec.json.decode(written, type=ReadAnswer)
        if answer.problem:
            raise InvalidParams(answer.problem, suggestion=answer.suggestion)
        return msgspec.json.decode(answer.content, type=found.content)


def _small_bytes(file: BinaryIO) -> int:
    packing = Unpacker(file, 0).packing
    file.seek(0)
    return _SMALL_BYTES if packing == "plain" else _SMALL_PACKED_BYTES


@dataclass(frozen=True, slots=True)
class IngestedArtifacts:
    """The content of artefacts, and where each was."""

    readings: tuple[Reading, ...]
    origins: tuple[Origin, ...]


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
    found = validate_all(hints, open_artifact, job)
    conflicts = conflicts_with_hints(artifacts, found)
    beside = [path for path in _other_halves(found, open_artifact) if path not in hints]
    found |= validate_all([*found, *beside], open_artifact, job) if beside else {}
    _refuse_unusable(found, conflicts)
    with closing(ConfinedReader()) as confined:
        return _Reader(found, hints, hashes or {}, open_artifact, budget, job, confined).read_all()


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

    def read_all(self) -> IngestedArtifacts:
        readings: list[Reading] = []
        origins: list[Origin] = []
        groups = _groups(self.found)
        for done, group in enumerate(groups):
            self.job.require_time()
            self.job.report(done, len(groups), group[0])
            readings.append(self.read(group))
            for path, source in zip(group, readings[-1].sources, strict=True):
                hints = _kept_hints(self.hints.get(path, {}), self.found[path])
                origins.append(derive(Origin, source, path=path, hints=hints))
        return IngestedArtifacts(tuple(readings), tuple(origins))

    def read(self, group: tuple[str, ...]) -> Reading:
        path, *companions = group
        with self.open(path) as source:
            sources = [self._source(path, source)]
            for other in companions:
                with self.open(other) as companion:
                    sources.append(self._source(other, companion))
            return Reading(tuple(sources), self._content(self.found[path], source, companions))

    def _content(
        self, validation: Validation, source: OpenFile, companions: Sequence[str]
    ) -> Content | None:
        asked = self.hints.get(validation.path, {}).get(_STATEMENT_HINT)
        metadata = None
        for path in companions:
            with self.open(path) as companion:
                metadata = companion.file.read(_MAX_METADATA_BYTES)
        request = ReadRequest(
            validation.detected_version or "spx-text",  # an empty file has no version
            self.budget,
            asked if isinstance(asked, str) else None,
            metadata,
        )
        return self.confined.read(request, source, self.job)

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


def _sha256(file: BinaryIO, job: Job) -> str:
    """Hash a file from its beginning, and return to it."""
    digest = hashlib.sha256()
    while piece := file.read(_HASHED_BYTES):
        job.require_time()
        digest.update(piece)
    file.seek(0)
    return digest.hexdigest()


def _other_halves(found: Mapping[str, Validation], open_artifact: Opener) -> list[str]:
    """Find the missing halves of SPX reports in the folders of the halves that were named."""
    halves: list[str] = []
    for path, validation in found.items():
        if validation.detected_type == "spx":
            endings = SPX_TEXT_ENDINGS if validation.is_spx_metadata else (".json",)
            beside = (spx_stem(path) + ending for ending in endings)
            halves += [it for it in beside if it not in found and can_open(it, open_artifact)][:1]
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


def _kept_hints(hints: Mapping[str, object], validation: Validation) -> dict[str, object]:
    """Return the hints to store: not a statement, whose values may be private."""
    kept = normalised_hints({name: it for name, it in hints.items() if name != _STATEMENT_HINT})
    return kept | ({"spx": validation.metadata} if validation.detected_type == "spx" else {})
