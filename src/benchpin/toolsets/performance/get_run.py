"""Tell what one stored snapshot was made from."""

from benchpin.core import Bench, Effect, Result, tool
from benchpin.engines.profiles.runs import Origin, Run

from ._params import PerformanceParams, SnapshotId, store_of


class GetRunParams(PerformanceParams):
    """Which run."""

    run_id: SnapshotId
    """A normalized_snapshot_id, or its first 8 or more characters."""


class FoundRun(Result):
    """A snapshot and the files that it was made from."""

    run: Run
    sources: list[Origin]

    def to_text(self) -> str:
        """Return the run and its files."""
        lines = [self.run.to_line(), f"id {self.run.run_id}"]
        lines += [
            f"{it.type} {it.version}  {it.path}  {it.size_bytes:,} bytes" for it in self.sources
        ]
        return "\n".join(lines)


@tool(title="Get a run", effect=Effect.READ)
def get_run(params: GetRunParams, bench: Bench) -> FoundRun:
    """Tell what a stored snapshot holds and which files it was made from."""
    found = store_of(bench).metadata(params.run_id)
    return FoundRun(run=found.run, sources=found.sources)
