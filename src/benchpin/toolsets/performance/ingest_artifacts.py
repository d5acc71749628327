"""Read artefacts into a snapshot and store it."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec
from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import Effect, PathArgument, Rare, tool
from benchpin.performance.findings import describe_counts, readable_time
from benchpin.performance.reading import Artifact, IngestedArtifacts, ingest
from benchpin.performance.snapshots import Counts, Origin, Totals, build_snapshot
from benchpin.performance.values import SourceFault

from ._artifacts import budget_of, halves_without_text, opener, selection_of
from ._params import PerformanceParams, store_of

_MAX_UNREADABLE_FILES = 50
# Warnings in the text; the result has more.
_SHOWN = 10


class IngestParams(PerformanceParams):
    """Which files to read: a list of them, or a bundle."""

    artifacts: Annotated[tuple[Artifact, ...], Field(max_length=1000)] = ()
    """The files; [{"path": "slow.log"}], for example."""
    bundle_dir: PathArgument[Annotated[str, Field(min_length=1, max_length=4096)] | None] = None
    """Instead of artifacts: a folder with artefacts; collect_artifacts makes one."""
    environment_hints: Rare[dict[str, object]] = Field(default_factory=dict)
    """Facts about the environment, such as {"env": "staging"}; part of the snapshot."""


class Ingested(Result):
    """The snapshot that was stored."""

    normalized_snapshot_id: str
    is_new: bool
    """False when the same content was stored before."""
    counts: Counts
    """queries are query classes, query_events their events, spans are functions."""
    totals: Totals
    sources: list[Origin]
    unreadable: list[SourceFault]
    """What could not be read, at most 50 places."""
    total_unreadable: int
    dropped: list[str]
    """Snapshots that retention removed."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was read: such a snapshot would pass every analysis and every gate."""
        return self.counts.is_empty

    def is_failure(self) -> bool:
        """Whether nothing was read."""
        return self.is_empty

    def failure_note(self) -> str:
        """Say that there is nothing in the files."""
        named = ", ".join(it.path for it in self.sources[:_SHOWN])
        return (
            f"Nothing was read from {named}: no query, call, plan or timed request. Check that "
            "they were written while the program ran."
        )

    def lacks(self) -> list[str]:
        """Return what could not be read."""
        first = [f"{it.source}, {it.place}: {it.problem}" for it in self.unreadable[:_SHOWN]]
        more = self.total_unreadable - _SHOWN
        return [*first, *([f"{more:,} more"] if more > 0 else [])]

    def to_text(self) -> str:
        """Return the id, the counts and the warnings."""
        if self.is_empty:
            return f"{self.failure_note()}\nSnapshot {self.normalized_snapshot_id} is empty."
        lines = [
            f"Snapshot {self.normalized_snapshot_id}{'' if self.is_new else ' (stored before)'}",
            describe_counts(self.counts),
            ", ".join(
                f"{name} {readable_time(time_us)}"
                for name, time_us in (
                    ("query time", self.totals.query_time_us),
                    ("profiled", self.totals.profiled_wall_time_us),
                    ("timed", self.totals.timed_wall_time_us),
                )
                if time_us
            )
            or "no times",
        ]
        lines.append(self.text_style.hint("Next: run_analysis"))
        return "\n".join(lines)


@tool(
    title="Ingest artefacts",
    effect=Effect.RECORD,
    is_heavy=True,
    also=(
        "load a slow log, import profiles, read MySQL log, SPX, upload measurements, parse a "
        "log file, here is the slow query log, here is a profile, take in these files"
    ),
)
def ingest_artifacts(params: IngestParams, bench: Bench) -> Ingested:
    """Read profiles, slow logs and timings into a snapshot; its id is a hash of the content."""
    selected = selection_of(params.artifacts, params.bundle_dir, bench)
    found = ingest(selected.artifacts, opener(bench), budget_of(bench), bench.job, selected.hashes)
    skipped = [*selected.skipped, *halves_without_text(found)]
    return stored(found, params.environment_hints, skipped, bench)


def stored(
    found: IngestedArtifacts,
    environment_hints: Mapping[str, object],
    skipped: Sequence[SourceFault],
    bench: Bench,
) -> Ingested:
    """Store what was read as a snapshot."""
    snapshot = build_snapshot(found.readings, environment_hints, bench.job)
    saved = store_of(bench).save(
        snapshot, found.origins, round(bench.now().timestamp() * 1_000_000)
    )
    paths = {origin.sha256: origin.path for origin in found.origins}
    faults = (
        msgspec.structs.replace(fault, source=paths.get(fault.source, fault.source))
        for fault in snapshot.faults
    )
    unreadable = [*skipped, *faults]
    return Ingested(
        normalized_snapshot_id=snapshot.id,
        is_new=saved.is_new,
        counts=snapshot.counts,
        totals=snapshot.totals,
        sources=sorted(found.origins, key=lambda it: it.path),
        unreadable=unreadable[:_MAX_UNREADABLE_FILES],
        total_unreadable=len(unreadable),
        dropped=list(saved.dropped),
    )
