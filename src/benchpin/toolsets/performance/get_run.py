"""Show one stored snapshot and the files that it was made from."""

import json
from collections.abc import Mapping

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool
from benchpin.performance.findings import describe_counts
from benchpin.performance.snapshots import Origin, Run
from benchpin.present import Column, Report, Table, View

from ._params import FromSnapshot, ReportParams, SnapshotId, store_of


class GetRunParams(ReportParams):
    """Which run."""

    run_id: SnapshotId
    """Its id, or the first 8 characters."""


class FoundRun(FromSnapshot, Report):
    """A snapshot and the files that it was made from."""

    run: Run
    sources: list[Origin]

    view = View["FoundRun"](
        title="Snapshot",
        headline=lambda it: [
            f"Snapshot {it.run.id}",
            f"ingested {it.run.ingested_at:%Y-%m-%d %H:%M:%S}, {it.run.size_bytes:,} bytes",
            describe_counts(it.run.counts),
        ],
        tables=(
            Table(
                rows=lambda it: it.sources,
                columns=(
                    Column("type"),
                    Column("version"),
                    Column("size_bytes", heading="bytes"),
                    Column("path"),
                    Column("hints", lambda it: _hints(it.hints)),
                    Column("sha256", is_detail=True),
                ),
                title="Sources",
            ),
        ),
    )


def _hints(hints: Mapping[str, object]) -> str | None:
    """Return what the caller said about a file; that it has both halves is in the type."""
    said = {name: hint for name, hint in hints.items() if name != "spx"}
    return json.dumps(said, ensure_ascii=False) if said else None


@tool(
    title="Get a run",
    effect=Effect.READ,
    also=("details of one measurement, what is in a snapshot, which files is this snapshot from"),
)
def get_run(params: GetRunParams, bench: Bench) -> FoundRun:
    """Show what a stored snapshot holds and which files it was made from."""
    found = store_of(bench).metadata(params.run_id)
    return FoundRun(run=found.run, sources=found.sources, format=params.format)
