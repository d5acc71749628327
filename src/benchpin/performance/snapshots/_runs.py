"""The record of an ingest, and the errors about stored snapshots."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, ClassVar

import msgspec
from pydantic import Field, PlainSerializer

from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.performance.findings import HotSpan, hottest
from benchpin.performance.values import Source, Value

from ._merged import Counts, Totals
from ._snapshot import Snapshot

_MIN_PREFIX = 8
_SHOWN_PREFIX = 12
_US_PER_DAY = 86_400_000_000
# The end of the year 9999, the last that a datetime has.
_LAST_MOMENT_US = 253_402_300_799_000_000
_MAX_NAMED = 5
_MAX_NAME_CHARS = 200


class SnapshotNotFound(BenchpinError):
    """No snapshot has that id."""

    kind: ClassVar[str] = "snapshot_not_found"


class SnapshotDamaged(BenchpinError):
    """A stored file is not what was written."""

    kind: ClassVar[str] = "snapshot_damaged"
    is_server_fault = True


def _moment(us: int) -> datetime:
    return datetime.fromtimestamp(us / 1_000_000, UTC)


@dataclass(frozen=True, slots=True)
class Run:
    """A stored snapshot and how much it holds."""

    id: Annotated[str, Field(serialization_alias="run_id")]
    """The same as normalized_snapshot_id."""
    ingested_at_us: Annotated[
        int,
        msgspec.Meta(ge=0, le=_LAST_MOMENT_US),
        PlainSerializer(_moment, return_type=datetime),
        Field(serialization_alias="ingested_at"),
    ]
    size_bytes: int
    counts: Counts
    totals: Totals
    environment_hints: dict[str, object]
    name: str = ""
    """What was measured, as people call it: a command or a URL, where the sources say it."""

    @property
    def run_id(self) -> str:
        """The id under its published name."""
        return self.id

    @property
    def ingested_at(self) -> datetime:
        """The moment of the last ingest."""
        return _moment(self.ingested_at_us)

    @property
    def short_id(self) -> str:
        """The first characters of the id, enough to name the run."""
        return self.id[:_SHOWN_PREFIX]


class Origin(Source, frozen=True):
    """A source and its path at the time of the ingest."""

    path: str
    hints: dict[str, object]


class RunMetadata(Value, frozen=True, omit_defaults=True):
    """What is stored beside the content of a snapshot."""

    run: Run
    sources: tuple[Origin, ...]
    functions: tuple[HotSpan, ...] = ()
    """The hottest ones, so that others need not read the whole snapshot."""

    @property
    def names(self) -> dict[str, str]:
        """The paths of the files by their SHA-256."""
        return {origin.sha256: origin.path for origin in self.sources}


class RunIndex(Value, frozen=True):
    """All runs, newest first."""

    runs: tuple[Run, ...]


def describe(snapshot: Snapshot, origins: Sequence[Origin], now_us: int) -> RunMetadata:
    """Make what is stored beside a snapshot."""
    run = Run(
        id=snapshot.id,
        ingested_at_us=now_us,
        size_bytes=len(snapshot.encoded),
        counts=snapshot.counts,
        totals=snapshot.totals,
        environment_hints=snapshot.environment_hints,
        name=_name(snapshot),
    )
    ordered = sorted(origins, key=lambda origin: (origin.path, origin.sha256))
    return RunMetadata(run=run, sources=tuple(ordered), functions=hottest(snapshot.spans))


def _name(snapshot: Snapshot) -> str:
    """Name a snapshot after its commands and URLs: the first, and how many more."""
    requests = [each.profile.request for each in snapshot.profiles]
    named = [it.uri or it.command for it in requests if it is not None]
    names = sorted({it for it in named if it} | {it.route for it in snapshot.endpoints})
    if not names:
        return ""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0][:_MAX_NAME_CHARS]}{more}"


def newest_first(run: Run) -> tuple[int, str]:
    """Return the key that sorts runs, newest first."""
    return -run.ingested_at_us, run.id


def full_id(ids: Sequence[str], wanted: str) -> str:
    """Return the one id that equals or begins with `wanted`.

    Raises:
        InvalidParams: when too few characters are given, or several ids begin with them.
        SnapshotNotFound: when no id does.
    """
    asked = wanted.strip().lower().removeprefix("snapshot_")
    if asked in ids:
        return asked
    if len(asked) < _MIN_PREFIX:
        raise InvalidParams(
            f"{wanted!r} is too short for a snapshot id",
            suggestion=f"Give at least the first {_MIN_PREFIX} characters; list_runs shows them.",
            data={"normalized_snapshot_id": wanted},
        )
    found = [each for each in ids if each.startswith(asked)]
    if len(found) > 1:
        raise InvalidParams(
            f"{len(found)} snapshots begin with {asked!r}",
            suggestion="Give more of the id: " + ", ".join(sorted(found)[:_MAX_NAMED]) + ".",
            data={"normalized_snapshot_id": wanted, "candidates": sorted(found)[:_MAX_NAMED]},
        )
    if not found:
        raise SnapshotNotFound(
            f"No snapshot {wanted!r} is stored",
            suggestion="list_runs shows the stored ones; ingest_artifacts makes new ones.",
            data={"normalized_snapshot_id": wanted},
        )
    return found[0]


def damaged(name: str, problem: str) -> SnapshotDamaged:
    """Return the error for a stored file that cannot be used."""
    return SnapshotDamaged(
        f"{name} is damaged: {problem}",
        suggestion="Remove its folder and ingest the artefacts again; other snapshots are whole.",
        data={"path": name},
    )


def of_another_version(name: str, written: str) -> SnapshotDamaged:
    """Return the error for a snapshot whose format is not ours: it is left as it is."""
    return SnapshotDamaged(
        f"{name} was written by another version of Benchpin, in the format {written!r:.50}",
        suggestion="Update Benchpin (pip install -U benchpin); the snapshot was not changed.",
        data={"path": name},
    )


@dataclass(frozen=True, slots=True)
class Retention:
    """How many are kept, and for how long; the newest is always kept."""

    keep_last_n: int = 50
    ttl_days: int | None = None

    def is_over(self, place: int, made_at_us: int, now_us: int) -> bool:
        """Whether to remove something; its place counts from the newest, which is 0."""
        if place == 0:
            return False
        is_too_old = self.ttl_days is not None and now_us - made_at_us > self.ttl_days * _US_PER_DAY
        return is_too_old or place >= max(1, self.keep_last_n)
