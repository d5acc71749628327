"""List the snapshots that are stored."""

from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, Effect, Result, tool
from benchpin.engines.profiles.runs import Run

from ._params import PerformanceParams, store_of


class ListRunsParams(PerformanceParams):
    """Which part of the list."""

    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    """How many to return."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


class ListedRuns(Result):
    """Snapshots, newest first."""

    runs: list[Run]
    total: int
    next_cursor: str | None
    damaged: list[str]
    """Files that cannot be read."""

    def to_text(self) -> str:
        """Return a line for each."""
        if not self.total:
            return "No snapshot is stored; ingest_artifacts makes one."
        lines = [f"{self.total} snapshots, newest first:"]
        lines += [run.to_line() for run in self.runs]
        lines += [f"damaged: {path}" for path in self.damaged]
        if self.next_cursor:
            lines.append(f"More: cursor {self.next_cursor}")
        return "\n".join(lines)


@tool(title="List runs", effect=Effect.READ)
def list_runs(params: ListRunsParams, bench: Bench) -> ListedRuns:
    """List the snapshots that ingest_artifacts stored, newest first."""
    store = store_of(bench)
    page = store.page(params.limit, params.cursor)
    return ListedRuns(
        runs=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        damaged=list(store.runs().damaged),
    )
