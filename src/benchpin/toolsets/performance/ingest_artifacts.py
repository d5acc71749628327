"""Read artefacts into a snapshot and keep it."""

from typing import Annotated

from pydantic import Field, InstanceOf

from benchpin.core import Bench, Effect, InvalidParams, Item, Result, TimeLimitExceeded, tool
from benchpin.engines.profiles.contents import Counts, Totals
from benchpin.engines.profiles.ingest import Artifact, ingest
from benchpin.engines.profiles.runs import Origin
from benchpin.engines.profiles.snapshot import build_snapshot
from benchpin.engines.profiles.spx import Budget

from ._artifacts import ArtifactParam, opener
from ._bundle import Chosen, artifacts_of
from ._common import PerformanceParams, now_us, store_of
from ._published import AS_LIST, AS_OBJECT
from .settings import PerformanceSettings

_MOST_UNREADABLE = 50
_SHOWN = 10


class IngestParams(PerformanceParams):
    """Which files to read: a list of them, or a bundle."""

    artifacts: Annotated[tuple[ArtifactParam, ...], Field(max_length=1000)] = ()
    """The files, such as [{"path": "slow.log"}]."""
    bundle_dir: Annotated[str, Field(min_length=1, max_length=4096)] | None = None
    """Instead: a folder that collect_artifacts made, or any folder with artefacts in it."""
    environment_hints: dict[str, object] = Field(default_factory=dict)
    """What to know of the environment, such as {"env": "staging"}; part of the snapshot."""


class Unreadable(Item):
    """Something in a file that could not be read."""

    source: str
    place: str
    problem: str


class Ingested(Result):
    """The snapshot that was stored."""

    normalized_snapshot_id: str
    is_new: bool
    """False when the same content was stored before."""
    counts: Annotated[InstanceOf[Counts], AS_OBJECT]
    """queries are query classes, query_events their events, spans functions."""
    totals: Annotated[InstanceOf[Totals], AS_OBJECT]
    sources: Annotated[list[InstanceOf[Origin]], AS_LIST]
    unreadable: list[Unreadable]
    """What in the files could not be read, at most 50 places."""
    total_unreadable: int
    dropped: list[str]
    """Snapshots that had to go, as retention says."""

    def to_text(self) -> str:
        """Return the id and what it holds."""
        counts = self.counts
        lines = [
            f"Snapshot {self.normalized_snapshot_id}{'' if self.is_new else ' (stored before)'}",
            (
                f"{counts.query_events:,} events in {counts.queries:,} query classes, "
                f"{counts.spans:,} functions of {counts.profiles:,} profiles, "
                f"{counts.samples:,} requests to {counts.endpoints:,} endpoints"
            ),
            (
                f"query time {self.totals.query_time_us / 1e6:.3f} s, "
                f"profiled {self.totals.profiled_wall_time_us / 1e6:.3f} s, "
                f"timed {self.totals.timed_wall_time_us / 1e6:.3f} s"
            ),
        ]
        lines += [
            f"warning: {it.source}, {it.place}: {it.problem}" for it in self.unreadable[:_SHOWN]
        ]
        if self.total_unreadable > _SHOWN:
            lines.append(f"{self.total_unreadable} warnings in all")
        lines.append("Next: run_analysis, or benchpin perf analyze")
        return "\n".join(lines)


@tool(title="Ingest artefacts", effect=Effect.RECORD)
def ingest_artifacts(params: IngestParams, bench: Bench) -> Ingested:
    """Read profiles, slow logs and timings into a snapshot whose id depends on content alone."""
    chosen = _chosen(params, bench)
    found = ingest(chosen.artifacts, opener(bench), _budget(bench), bench.job)
    _require_all(bench)
    snapshot = build_snapshot(found.readings, params.environment_hints)
    saved = store_of(bench).save(snapshot, found.origins, now_us(bench))
    names = {origin.sha256: origin.path for origin in found.origins}
    return Ingested(
        normalized_snapshot_id=snapshot.id,
        is_new=saved.is_new,
        counts=snapshot.counts,
        totals=snapshot.totals,
        sources=sorted(found.origins, key=lambda it: it.path),
        unreadable=[
            *(Unreadable(source=path, place="file", problem=it) for path, it in chosen.skipped),
            *(
                Unreadable(
                    source=names.get(fault.source, fault.source),
                    place=fault.place,
                    problem=fault.problem,
                )
                for fault in snapshot.faults
            ),
        ][:_MOST_UNREADABLE],
        total_unreadable=len(snapshot.faults) + len(chosen.skipped),
        dropped=list(saved.dropped),
    )


def _require_all(bench: Bench) -> None:
    """Store nothing that is not whole: its id would be that of something else."""
    if bench.job.missing:
        raise TimeLimitExceeded(
            f"Time ran out before everything was read: {'; '.join(bench.job.missing)}",
            suggestion="Nothing was stored. Allow more time with --tool-timeout, or in a file with "
            "tool_timeouts.ingest_artifacts.",
        )


def _chosen(params: IngestParams, bench: Bench) -> Chosen:
    if bool(params.artifacts) == (params.bundle_dir is not None):
        raise InvalidParams(
            "Give either artifacts or bundle_dir",
            suggestion='For example {"artifacts": [{"path": "slow.log"}]}.',
            data={"path": "artifacts"},
        )
    if params.bundle_dir is not None:
        return artifacts_of(params.bundle_dir, bench)
    return Chosen([Artifact(path=it.path, hints=it.hints) for it in params.artifacts])


def _budget(bench: Bench) -> Budget:
    spx = bench.settings(PerformanceSettings).spx
    return Budget(text_bytes=spx.text_max_bytes, events=spx.max_events, tree_nodes=spx.max_nodes)
