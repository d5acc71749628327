"""List the stored snapshots."""

from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.performance.snapshots import Run
from benchpin.present import MACHINE_FORMATS, Column, ListParams, Report, Table, View

from ._params import PerformanceParams, store_of

_DEFAULT_ROWS = 50
# More than retention keeps.
_MAX_ROWS = 100_000


class ListRunsParams(ListParams, PerformanceParams):
    """Which part of the list."""

    limit: Rare[Annotated[int, Field(ge=1, le=1000)] | None] = None
    """Rows to return; 50 by default, all of them in csv."""


class ListedRuns(Report):
    """Snapshots, newest first."""

    runs: list[Run]
    total: int
    next_cursor: str | None
    damaged: list[str]
    """Stored files that cannot be read."""

    view = View["ListedRuns"](
        title="Snapshots",
        headline=lambda it: [
            f"{counted(it.total, 'snapshot')}, newest first"
            if it.total
            else it.text_style.hint("No snapshot is stored; ingest_artifacts makes one.")
        ],
        tables=(
            Table(
                rows=lambda it: it.runs,
                columns=(
                    Column("run", lambda it: it.short_id, parts=(Column("run_id"),)),
                    Column("ingested_at", lambda it: f"{it.ingested_at:%Y-%m-%d %H:%M:%S}"),
                    Column("name", lambda it: it.name or None),
                    Column("queries", lambda it: it.counts.queries, heading="query classes"),
                    Column("query_events", lambda it: it.counts.query_events, is_detail=True),
                    Column("spans", lambda it: it.counts.spans, heading="functions"),
                    Column("profiles", lambda it: it.counts.profiles, is_detail=True),
                    Column("endpoints", lambda it: it.counts.endpoints),
                    Column("samples", lambda it: it.counts.samples, is_detail=True),
                    Column("size_bytes", is_detail=True),
                ),
            ),
        ),
        notes=lambda it: [f"damaged: {path}" for path in it.damaged],
    )


@tool(
    title="List runs",
    effect=Effect.READ,
    also=(
        "earlier measurements, snapshots so far, history of performance runs, which "
        "measurements exist, what did we measure before"
    ),
)
def list_runs(params: ListRunsParams, bench: Bench) -> ListedRuns:
    """List the stored snapshots, newest first."""
    store = store_of(bench)
    default = _MAX_ROWS if params.format in MACHINE_FORMATS else _DEFAULT_ROWS
    page = store.page(params.limit or default, params.cursor)
    return ListedRuns(
        runs=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        damaged=store.runs().damaged,
        format=params.format,
    )
