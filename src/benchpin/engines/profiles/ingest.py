"""From named artefacts to what they hold: each told by its content, SPX's halves put together."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO

import msgspec

from benchpin.core import BenchpinError, InvalidParams, Job
from benchpin.engines.cores import worker_count
from benchpin.engines.files.reading import OpenFile

from .contents import Reading, Source
from .detect import SPX_METADATA, SPX_TEXT_ENDINGS, Validation, spx_stem, validate, with_pairs
from .model import SlowLog, Value
from .packed import Packed
from .runs import Origin
from .slowlog.reading import digest_chunks, read_slow_log
from .spx import Budget, read_profile
from .timings import read_timings

Opener = Callable[[str], AbstractContextManager[OpenFile]]
"""Opens what a caller named, once it is clear that it may be read."""

_HASHED_BYTES = 1 << 20
_MAX_METADATA_BYTES = 1 << 20
_MAX_UNPACKED_BYTES = 64 << 30


class Artifact(Value, frozen=True):
    """A file by the name that a caller gave it."""

    path: str
    hints: dict[str, object] = msgspec.field(default_factory=dict)
    sha256: str | None = None
    """What it must hash to; None where nobody said."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """What artefacts hold, and where each lay."""

    readings: tuple[Reading, ...]
    origins: tuple[Origin, ...]


def validate_all(paths: Iterable[str], open_artifact: Opener) -> dict[str, Validation]:
    """Say of every file what it is, or why it cannot be used."""
    found: dict[str, Validation] = {}
    for path in paths:
        try:
            with open_artifact(path) as source:
                found[path] = validate(source.file, path)
        except BenchpinError as error:
            found[path] = Validation(False, None, None, (f"{error.message}. {error.suggestion}",))
    return with_pairs(found, lambda path: _is_there(path, open_artifact))


def ingest(
    artifacts: Sequence[Artifact], open_artifact: Opener, budget: Budget, job: Job
) -> Ingested:
    """Read artefacts; halves of SPX reports that lie beside them are read with them.

    Raises:
        Cancelled: when the job was cancelled.
        InvalidParams: naming every file that cannot be used; nothing was read then.
    """
    hints = {artifact.path: artifact.hints for artifact in artifacts}
    found = validate_all(hints, open_artifact)
    beside = [path for path in _other_halves(found, open_artifact) if path not in hints]
    found |= validate_all([*found, *beside], open_artifact) if beside else {}
    _refuse_unusable(found)
    expected = {it.path: it.sha256 for it in artifacts if it.sha256 is not None}
    reader = _Reader(found, expected, open_artifact, budget, job)
    readings: list[Reading] = []
    origins: list[Origin] = []
    groups = list(_groups(found))
    for done, group in enumerate(groups):
        job.check()
        if job.is_expired:
            job.leave_out(f"{len(groups) - done} of {len(groups)} artefacts")
            break
        job.report(done, len(groups), group[0])
        reading, sources = reader.read(group)
        readings.append(reading)
        origins += [
            Origin(
                **msgspec.structs.asdict(source),
                path=path,
                hints=hints.get(path, {}) | _pair_hint(found[path]),
            )
            for path, source in sources
        ]
    return Ingested(tuple(readings), tuple(origins))


class _Reader:
    """Reads one group of files after the other."""

    def __init__(
        self,
        found: Mapping[str, Validation],
        expected: Mapping[str, str],
        open_artifact: Opener,
        budget: Budget,
        job: Job,
    ) -> None:
        self._found = found
        self._expected = expected
        self._open = open_artifact
        self._budget = budget
        self._job = job

    def read(self, group: tuple[str, ...]) -> tuple[Reading, list[tuple[str, Source]]]:
        """Read a file with its companion; return what they hold and what they are."""
        path = group[0]
        validation = self._found[path]
        with self._open(path) as source:
            sources = [(path, self._source(path, source))]
            for other in group[1:]:
                with self._open(other) as companion:
                    sources.append((other, self._source(other, companion)))
            described = tuple(each for _, each in sources)
            if validation.detected_version == SPX_METADATA:
                return Reading(described, None), sources
            if validation.detected_type == "spx":
                metadata = self._metadata(group[1]) if len(group) > 1 else None
                profile = read_profile(metadata, source.file, self._budget, self._job)
                return Reading(described, profile), sources
            if validation.detected_type == "mysql_slow_log":
                return Reading(described, self._slow_log(source)), sources
            return Reading(described, read_timings(source.file)), sources

    def _slow_log(self, source: OpenFile) -> SlowLog:
        packed = Packed(source.file, _MAX_UNPACKED_BYTES)
        if packed.packing == "plain":
            source.file.seek(0)
            return read_slow_log(source.file, source.size_bytes, self._job, workers=worker_count())
        log = digest_chunks(packed.chunks(), self._job)
        is_whole = log.is_complete and not packed.faults
        faults = (*log.faults, *packed.faults)
        return msgspec.structs.replace(log, is_complete=is_whole, faults=faults)

    def _source(self, path: str, source: OpenFile) -> Source:
        validation = self._found[path]
        sha256 = _sha256(source.file, self._job)
        if sha256 != self._expected.get(path, sha256):
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

    def _metadata(self, path: str) -> bytes:
        with self._open(path) as source:
            return source.file.read(_MAX_METADATA_BYTES)


def _sha256(file: BinaryIO, job: Job) -> str:
    """Hash a file from its beginning, and go back there."""
    digest = hashlib.sha256()
    while piece := file.read(_HASHED_BYTES):
        job.check()
        digest.update(piece)
    file.seek(0)
    return digest.hexdigest()


def _is_there(path: str, open_artifact: Opener) -> bool:
    try:
        with open_artifact(path):
            return True
    except BenchpinError:
        return False


def _other_halves(found: Mapping[str, Validation], open_artifact: Opener) -> list[str]:
    """Name the files beside that complete SPX reports of which one half was named."""
    halves: list[str] = []
    for path, validation in found.items():
        if validation.detected_type == "spx":
            is_metadata = validation.detected_version == SPX_METADATA
            endings = SPX_TEXT_ENDINGS if is_metadata else (".json",)
            beside = (spx_stem(path) + ending for ending in endings)
            halves += [it for it in beside if it not in found and _is_there(it, open_artifact)][:1]
    return halves


def _groups(found: Mapping[str, Validation]) -> list[tuple[str, ...]]:
    """Put the halves of SPX reports together, the text first."""
    metadata = {
        spx_stem(path): path for path, it in found.items() if it.detected_version == SPX_METADATA
    }
    texts = {
        spx_stem(path)
        for path, it in found.items()
        if it.detected_type == "spx" and it.detected_version != SPX_METADATA
    }
    groups: list[tuple[str, ...]] = []
    for path, validation in found.items():
        stem = spx_stem(path)
        if validation.detected_version == SPX_METADATA:
            if stem not in texts:
                groups.append((path,))
        elif validation.detected_type == "spx" and stem in metadata:
            groups.append((path, metadata[stem]))
        else:
            groups.append((path,))
    return groups


def _refuse_unusable(found: Mapping[str, Validation]) -> None:
    """Refuse what is no artefact; a damaged one is read as far as it goes."""
    unusable = {path: it.errors for path, it in found.items() if it.detected_type is None}
    if unusable:
        listed = "; ".join(f"{path}: {', '.join(errors)}" for path, errors in unusable.items())
        raise InvalidParams(
            f"{len(unusable)} of {len(found)} artefacts cannot be used: {listed}",
            suggestion="Leave them out or correct them; validate_artifacts says what each file is.",
            data={"artifacts": {path: list(errors) for path, errors in unusable.items()}},
        )


def _pair_hint(validation: Validation) -> dict[str, object]:
    return {"spx": validation.metadata} if validation.detected_type == "spx" else {}
