"""Find what became slower between two snapshots."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.tools import Effect, Rare, tool
from benchpin.performance.comparing import (
    COMPARISON_TABLES,
    ChangePoint,
    SnapshotComparison,
    change_points,
    compare,
    comparison_headline,
)
from benchpin.performance.exports import Flames, differences, flame_section, to_flame_svg
from benchpin.performance.snapshots import Snapshot, SnapshotStore
from benchpin.present import PICTURE_FORMATS, Format, Report, View
from benchpin.present.page import Section

from ._params import FromSnapshot, ReportParams, SnapshotId, store_of

# Each takes up to a megabyte of the page.
_MAX_FLAMES = 3


class CompareParams(ReportParams):
    """Which two snapshots."""

    before: SnapshotId
    """Its id, or the first 8 characters."""
    after: SnapshotId
    """The newer snapshot."""
    format: Rare[Literal[Format, "svg"]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; html and svg have flame graphs of what changed."""
    series: Rare[bool] = False
    """Also find change points, over all snapshots that were stored between the two."""


class Compared(FromSnapshot, SnapshotComparison, Report):
    """What differs, beyond what chance explains."""

    change_points: list[ChangePoint]
    """Of a series: the snapshots since which something is slower or faster, newest first."""

    view = View["Compared"](
        title="SnapshotComparison",
        headline=comparison_headline,
        tables=COMPARISON_TABLES,
    )

    flames: Annotated[list[Flames], Field(exclude=True, default_factory=list)]
    """What changed in the call trees, the longest run first; only for formats that show it."""

    def sections(self) -> list[Section]:
        """Return a flame graph for each thing that was profiled."""
        return [flame_section(it) for it in self.flames[:_MAX_FLAMES]]

    def svg(self) -> str:
        """Return the flame graph of the longest run.

        Raises:
            InvalidParams: when the snapshots share no profile with stacks.
        """
        if not self.flames:
            raise InvalidParams(
                "The snapshots have no route or command in common that was profiled with stacks",
                suggestion="Use format=full, or ingest profiles of the same route or command.",
            )
        return to_flame_svg(self.flames[0])


@tool(
    title="Compare snapshots",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "before and after, slower than last week, regression, did the deployment make it "
        "slower, difference between two measurements, faster, is the new release slower, two "
        "runs, did it get better"
    ),
)
def compare_snapshots(params: CompareParams, bench: Bench) -> Compared:
    """Find what became slower or faster between two snapshots."""
    store = store_of(bench)
    before, after = store.load(params.before), store.load(params.after)
    found = compare(before, after)
    points = change_points(_stored(found, store, bench)) if params.series else []
    flames = differences(before, after) if params.format in PICTURE_FORMATS else []
    return Compared(**dict(found), change_points=points, flames=flames, format=params.format)


def _stored(found: SnapshotComparison, store: SnapshotStore, bench: Bench) -> Iterator[Snapshot]:
    """Yield the snapshots from the one to the other, oldest first."""
    ids = [run.id for run in reversed(store.runs().runs)]
    first, last = sorted((ids.index(found.before), ids.index(found.after)))
    for each in bench.job.each(ids[first : last + 1], "snapshots"):
        yield store.load(each)
