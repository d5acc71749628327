"""Find what became slower between two snapshots."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.tools import Effect, Rare, tool
from benchpin.performance.comparing import (
    MEASURE_ALIKE,
    ChangePoint,
    MetricChange,
    SnapshotComparison,
    change_points,
    compare,
)
from benchpin.performance.exports import Flames, differences, flame_section, to_flame_svg
from benchpin.performance.snapshots import Snapshot, SnapshotStore
from benchpin.present import PICTURE_FORMATS, Column, Format, Report, Table, View
from benchpin.present.page import Section

from ._params import INGESTED, ReportParams, SnapshotId, store_of

_SUMMARY_ROWS = 20
_MAX_TITLE_CHARS = 100
_ID_SHOWN = 12
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
    """Whether to find change points too, over all snapshots stored from the one to the other."""


_TITLE: Column[Any] = Column(
    "title", lambda it: it.title[:_MAX_TITLE_CHARS], parts=(Column("title"),)
)
_PRESENCE: tuple[Column[Any], ...] = (
    Column("kind"),
    Column("time_us", heading="time in µs"),
    _TITLE,
)


_PLACE: tuple[Column[Any], ...] = (Column("origin"), Column("file"), Column("line"))


def _effect(change: MetricChange) -> str | None:
    return None if change.effect is None else f"{change.effect:+.0%}"


def _origin(change: MetricChange) -> str | None:
    """Say where a change began, if its title does not."""
    return None if change.origin == change.title else change.origin


def _headline(found: SnapshotComparison) -> Iterator[str]:
    yield (
        f"{found.verdict}: {len(found.regressions)} regressions, "
        f"{len(found.improvements)} improvements, {len(found.unclear)} unclear, "
        f"{found.unchanged} within noise of {found.comparisons} compared"
    )
    if found.reason:
        yield f"The snapshots have no query, function or endpoint in common: {found.reason}."
        yield MEASURE_ALIKE
    for whole in found.whole_runs:
        if whole.verdict != "unchanged":
            change = f"{whole.shown(whole.before)} to {whole.shown(whole.after)}"
            yield f"{whole.verdict}: the whole of {whole.title}, {change}"


class Compared(SnapshotComparison, Report):
    """What differs, beyond what chance explains."""

    change_points: list[ChangePoint]
    """Of a series: the snapshots since which something is slower or faster, newest first."""

    view = View["Compared"](
        title="SnapshotComparison",
        headline=_headline,
        tables=(
            Table(
                rows=lambda it: [*it.regressions, *it.improvements, *it.unclear],
                columns=(
                    Column("verdict"),
                    Column("kind"),
                    Column("metric", lambda it: it.metric_name, parts=(Column("metric"),)),
                    Column("before", lambda it: it.shown(it.before), parts=(Column("before"),)),
                    Column("after", lambda it: it.shown(it.after), parts=(Column("after"),)),
                    Column("effect", _effect, heading="change", parts=(Column("effect"),)),
                    Column(
                        "interval",
                        lambda it: f"{it.shown(it.low)} to {it.shown(it.high)}",
                        is_detail=True,
                        parts=(Column("low"), Column("high")),
                    ),
                    Column(
                        "noise",
                        lambda it: f"±{it.shown(it.noise)}",
                        parts=(Column("noise"), Column("impact_us"), Column("basis")),
                    ),
                    Column(
                        "values",
                        lambda it: f"{it.before_count:,} and {it.after_count:,}",
                        parts=(Column("before_count"), Column("after_count")),
                    ),
                    _TITLE,
                    Column("origin", _origin, heading="began in", parts=_PLACE),
                ),
                title="Changes",
                summary_rows=_SUMMARY_ROWS,
            ),
            Table(
                rows=lambda it: it.appeared,
                columns=_PRESENCE,
                title="New in the second snapshot",
                summary_rows=_SUMMARY_ROWS,
            ),
            Table(
                rows=lambda it: it.disappeared,
                columns=_PRESENCE,
                title="Only in the first snapshot",
                summary_rows=_SUMMARY_ROWS,
            ),
            Table(
                rows=lambda it: it.change_points,
                columns=(
                    Column("snapshot", lambda it: it.snapshot[:_ID_SHOWN]),
                    Column("verdict"),
                    Column("kind"),
                    Column("metric"),
                    Column("before"),
                    Column("after"),
                    Column("noise"),
                    Column("before_count", heading="snapshots before"),
                    Column("after_count", heading="after"),
                    _TITLE,
                ),
                title="Change points, newest first",
                summary_rows=_SUMMARY_ROWS,
            ),
        ),
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

    def as_of(self) -> str:
        """Return when it is from."""
        return INGESTED


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
    """Find what became slower or faster between two snapshots, beyond noise."""
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
