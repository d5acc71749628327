"""What is kept of every ingest, and how long."""

import hashlib
from collections.abc import Sequence
from typing import ClassVar

from benchpin.core import BenchpinError, InvalidParams

from .contents import Counts, Source, Totals
from .model import Value
from .snapshot import Snapshot

_MIN_PREFIX = 8
_MAX_NAMED = 5


class SnapshotNotFound(BenchpinError):
    """No snapshot has that id."""

    kind: ClassVar[str] = "snapshot_not_found"


class SnapshotDamaged(BenchpinError):
    """What is stored is not what was written."""

    kind: ClassVar[str] = "snapshot_damaged"


class Run(Value, frozen=True):
    """A line of the index: an ingest and how much it brought."""

    id: str
    """The snapshot's."""
    ingested_at_us: int
    size_bytes: int
    counts: Counts
    totals: Totals
    environment_hints: dict[str, object]


class Origin(Source, frozen=True):
    """A source and where it lay when it was read."""

    path: str
    hints: dict[str, object]


class Metadata(Value, frozen=True):
    """What is known of a snapshot besides its content."""

    run: Run
    sources: tuple[Origin, ...]


class Index(Value, frozen=True):
    """All runs, newest first."""

    runs: tuple[Run, ...]


def describe(snapshot: Snapshot, origins: Sequence[Origin], now_us: int) -> Metadata:
    """Put together what is kept beside a snapshot."""
    run = Run(
        id=snapshot.id,
        ingested_at_us=now_us,
        size_bytes=len(snapshot.encoded),
        counts=snapshot.counts,
        totals=snapshot.totals,
        environment_hints=snapshot.environment_hints,
    )
    ordered = sorted(origins, key=lambda origin: (origin.path, origin.sha256))
    return Metadata(run=run, sources=tuple(ordered))


def newest_first(run: Run) -> tuple[int, str]:
    """Sort runs by this."""
    return -run.ingested_at_us, run.id


def full_id(ids: Sequence[str], wanted: str) -> str:
    """Return the one id that is, or begins with, what is wanted.

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


def verify(content: bytes, expected_id: str, name: str) -> None:
    """Hash content that was read back.

    Raises:
        SnapshotDamaged: when it is not what the id says.
    """
    actual = hashlib.sha256(content).hexdigest()
    if actual != expected_id:
        raise damaged(name, f"its SHA-256 is {actual}, not {expected_id}")


def damaged(name: str, problem: str) -> SnapshotDamaged:
    """Name the file that cannot be used, and the way out."""
    return SnapshotDamaged(
        f"{name} is damaged: {problem}",
        suggestion="Remove its folder and ingest the artefacts again; other snapshots are whole.",
        data={"path": name},
    )
