"""Compare two snapshots: what became slower, what became faster, and what is noise.

Means of events, requests and connections are compared, because totals depend on the log's length.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import expm1
from typing import Annotated, Any, Literal

from pydantic import Field

from benchpin.core.results import Item
from benchpin.core.text import counted, plain
from benchpin.performance.calls import Pair, RepeatedFunctions, measured_route
from benchpin.performance.findings import metric_name, readable_time
from benchpin.performance.snapshots import Snapshot, time_index
from benchpin.performance.values import PublishedValue
from benchpin.present import Column, Table

from ._measured import (
    MIN_COUNT,
    Group,
    Kind,
    Metric,
    RepeatedMeasure,
    Verdict,
    judge,
    measured_endpoints,
    measured_queries,
    noise,
)

# Functions may differ from the drift of the machine by this many of its spreads.
_DRIFT_SPREADS = 4
# What to do about snapshots with nothing in common.
MEASURE_ALIKE = (
    "Measure the same commands, with the same arguments, profiler and clock, or the same routes or "
    "queries on both sides."
)
_MAX_LISTED = 3
_OWN_COSTS = frozenset({"self_us", "self_cost"})
_MAX_NAMED = 200
_METRIC_NAMES: dict[Metric, str] = {
    "mean_us": "mean time",
    "events_per_connection": "events per connection",
    "self_us": "self time",
    "self_cost": "self cost",
    "calls": "calls",
    "profiled_us": "whole run",
    "ttfb_us": "first byte",
    "wall_us": "full response",
    "error_rate": "error rate",
}


class MetricChange(PublishedValue, frozen=True):
    """One metric of one thing, before and after."""

    kind: Kind
    subject: str
    """The query's id, the route, or the route and the function."""
    title: str
    metric: Metric
    before: float
    after: float
    delta: float
    noise: float
    """The difference that chance explains."""
    before_count: int
    after_count: int
    impact_us: int | None
    """The change times the count after it; None for what is not time."""
    verdict: Verdict
    basis: Literal["welch", "rule_of_thumb"]
    """A rule of thumb, 30 %, where there are fewer than five values."""
    effect: float | None
    """The change relative to what it was before; None where that was nothing."""
    low: float
    """With `high` the interval of the change, 99 % sure for all comparisons together. Few values
    are trimmed for it, and of functions a change of the whole machine is taken out."""
    high: float
    file: str | None = None
    line: int | None = None
    origin: str | None = None
    """Of a function: itself, or the nearest caller that was not called more often, where the change
    probably began."""

    @property
    def metric_name(self) -> str:
        return _METRIC_NAMES[self.metric]

    def shown(self, value: float) -> str:
        if self.metric == "error_rate":
            return f"{value:.1%}"
        if self.metric in {"events_per_connection", "calls", "self_cost"}:
            return f"{value:,.1f}".removesuffix(".0")
        return readable_time(round(value))


class Presence(PublishedValue, frozen=True):
    """Something that only one of the snapshots has."""

    kind: Kind
    subject: str
    title: str
    time_us: int


class SnapshotComparison(Item):
    """What differs between two snapshots."""

    before: str
    after: str
    verdict: Literal["regressed", "improved", "mixed", "unchanged", "not_comparable"]
    regressions: list[MetricChange]
    """More errors first, then the most expensive."""
    improvements: list[MetricChange]
    unclear: list[MetricChange]
    """Large changes with too few values for a test."""
    unchanged: int
    appeared: list[Presence]
    disappeared: list[Presence]
    comparisons: int
    """How many metrics were compared."""
    whole_runs: list[MetricChange]
    """The whole of each profiled route or command; not among the changes above."""
    reason: Annotated[str, Field(exclude_if=lambda it: not it)] = ""
    """What each measured, if they are not comparable."""


def compare(before: Snapshot, after: Snapshot) -> SnapshotComparison:
    """Compare every query class, function and route that both snapshots have."""
    functions = RepeatedFunctions(
        [each.profile for each in before.profiles], [each.profile for each in after.profiles]
    )
    routes = functions.routes()
    pairs = [
        *_in_both(measured_queries(before), measured_queries(after)),
        *_in_both(measured_endpoints(before), measured_endpoints(after)),
        *(pair for route in routes for pair in route.pairs()),
    ]
    changes = sorted((_change(*pair, len(pairs)) for pair in pairs), key=_by_errors_and_impact)
    by_verdict: dict[Verdict, list[MetricChange]] = defaultdict(list)
    for change in changes:
        by_verdict[change.verdict].append(change)
    wholes = [_change(*route.whole(), len(routes)) for route in routes]
    verdict = _verdict([*changes, *wholes])
    return SnapshotComparison(
        before=before.id,
        after=after.id,
        verdict=verdict,
        regressions=by_verdict["regressed"],
        improvements=by_verdict["improved"],
        unclear=by_verdict["unclear"],
        unchanged=len(by_verdict["unchanged"]),
        appeared=_only_in(after, before, functions.only_after()),
        disappeared=_only_in(before, after, functions.only_before()),
        comparisons=len(pairs),
        whole_runs=wholes,
        reason=f"the older snapshot has {_contents(before)}; the newer one has {_contents(after)}"
        if verdict == "not_comparable"
        else "",
    )


def largest_moves(before: Snapshot, after: Snapshot) -> list[MetricChange]:
    """Return the functions whose own cost differs, beyond noise or not, largest change first."""
    functions = RepeatedFunctions(
        [each.profile for each in before.profiles], [each.profile for each in after.profiles]
    )
    pairs = [pair for route in functions.routes() for pair in route.pairs()]
    changes = (_change(*pair, len(pairs)) for pair in pairs if pair[1].metric in _OWN_COSTS)
    return sorted(changes, key=lambda it: (-abs(it.delta * it.after_count), it.subject))


def _contents(snapshot: Snapshot) -> str:
    profiles = (each.profile for each in snapshot.profiles if each.profile.functions)
    runs = (
        f"{measured_route(it)} ({metric_name(it.metrics[time_index(it) or 0])})" for it in profiles
    )
    routes = (each.route for each in snapshot.endpoints if each.times)
    found = list(dict.fromkeys(plain(it)[:_MAX_NAMED] for it in (*runs, *routes)))
    if snapshot.queries:
        found.append(counted(len(snapshot.queries), "query class", "query classes"))
    more = [f"{len(found) - _MAX_LISTED} more"] if len(found) > _MAX_LISTED else []
    return ", ".join((*found[:_MAX_LISTED], *more)) or "nothing that was measured"


def _verdict(
    changes: list[MetricChange],
) -> Literal["regressed", "improved", "mixed", "unchanged", "not_comparable"]:
    if not changes:
        return "not_comparable"
    found = {change.verdict for change in changes}
    if "regressed" in found:
        return "mixed" if "improved" in found else "regressed"
    return "improved" if "improved" in found else "unchanged"


def _by_errors_and_impact(change: MetricChange) -> tuple[bool, float, str, str]:
    price_less = change.delta * change.after_count
    impact = price_less if change.impact_us is None else change.impact_us
    return change.metric != "error_rate", -abs(impact), change.subject, change.metric


def _in_both(before: Iterable[RepeatedMeasure], after: Iterable[RepeatedMeasure]) -> Iterator[Pair]:
    known = {(it.kind, it.subject, it.metric): it for it in before}
    for measured in after:
        earlier = known.get((measured.kind, measured.subject, measured.metric))
        if earlier is not None:
            yield earlier, measured


def _change(before: RepeatedMeasure, after: RepeatedMeasure, comparisons: int) -> MetricChange:
    one, other, scale = before.group, after.group, after.scale
    level = _without_drift(one, other, after.drift.factor)
    # By a factor, not by an amount: a function may take ten times as long on any machine.
    uneven = min(one.centre, level.centre) * expm1(_DRIFT_SPREADS * after.drift.spread)
    bound = max(noise(one, level, comparisons), uneven)
    shift = level.centre - one.centre
    delta = (other.mean - one.mean) / scale
    price = after.price_us
    return MetricChange(
        *after[:4],
        before=round(one.mean / scale, 3),
        after=round(other.mean / scale, 3),
        delta=round(delta, 3),
        noise=round(bound / scale, 3),
        before_count=one.count,
        after_count=other.count,
        impact_us=None if price is None else round(delta * price * other.count),
        verdict=judge(one, level, bound),
        basis="welch" if min(one.count, other.count) >= MIN_COUNT else "rule_of_thumb",
        effect=round(shift / one.centre, 4) if one.centre else None,
        low=round((shift - bound) / scale, 3),
        high=round((shift + bound) / scale, 3),
        file=after.origin and after.origin.file,
        line=after.origin and after.origin.line,
        origin=after.origin and after.origin.function,
    )


def _without_drift(before: Group, after: Group, factor: float) -> Group:
    """Return what is compared: as measured or without the drift, whichever changed less.

    Where the two disagree about the direction, nothing changed.
    """
    level = after.divided_by(factor)
    measured, corrected = after.centre - before.centre, level.centre - before.centre
    if measured * corrected < 0:
        return after.divided_by(after.centre / before.centre)
    return after if abs(measured) < abs(corrected) else level


def _only_in(
    snapshot: Snapshot, other: Snapshot, functions: Iterable[tuple[str, int]]
) -> list[Presence]:
    """Return what one snapshot has and the other lacks, longest time first."""
    queries = {each.query_id for each in other.queries}
    routes = {each.route for each in other.endpoints}
    found = [
        Presence("query", each.query_id, each.fingerprint, each.total_time_us)
        for each in snapshot.queries
        if other.slow_logs and each.query_id not in queries
    ]
    found += [
        Presence("endpoint", each.route, each.route, times.total_us)
        for each in snapshot.endpoints
        if (times := each.times) and other.endpoints and each.route not in routes
    ]
    found += [Presence("span", function, function, time_us) for function, time_us in functions]
    return sorted(found, key=lambda it: (-it.time_us, it.kind, it.subject))


# How changes are shown: by the comparison, and by the gate.

_MAX_TITLE_CHARS = 100
_SUMMARY_ROWS = 20
_ID_SHOWN = 12
_TITLE: Column[Any] = Column(
    "title", lambda it: it.title[:_MAX_TITLE_CHARS], parts=(Column("title"),)
)
_PRESENCE: tuple[Column[Any], ...] = (
    Column("kind"),
    Column("time_us", heading="time in µs"),
    _TITLE,
)
_PLACE: tuple[Column[Any], ...] = (Column("origin"), Column("file"), Column("line"))
_METRIC: tuple[Column[Any], ...] = (
    Column("kind"),
    Column("metric", lambda it: it.metric_name, parts=(Column("metric"),)),
    Column("before", lambda it: it.shown(it.before), parts=(Column("before"),)),
    Column("after", lambda it: it.shown(it.after), parts=(Column("after"),)),
)


def _noise(*parts: str) -> Column[Any]:
    return Column("noise", lambda it: f"±{it.shown(it.noise)}", parts=tuple(map(Column, parts)))


def comparison_headline(found: SnapshotComparison) -> Iterator[str]:
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


COMPARISON_TABLES: tuple[Table[Any, Any], ...] = (
    Table(
        rows=lambda it: [*it.regressions, *it.improvements, *it.unclear],
        columns=(
            Column("verdict"),
            *_METRIC,
            Column(
                "effect",
                lambda it: None if it.effect is None else f"{it.effect:+.0%}",
                heading="change",
                parts=(Column("effect"),),
            ),
            Column(
                "interval",
                lambda it: f"{it.shown(it.low)} to {it.shown(it.high)}",
                is_detail=True,
                parts=(Column("low"), Column("high")),
            ),
            _noise("noise", "impact_us", "basis"),
            Column(
                "values",
                lambda it: f"{it.before_count:,} and {it.after_count:,}",
                parts=(Column("before_count"), Column("after_count")),
            ),
            _TITLE,
            Column(
                "origin",
                lambda it: None if it.origin == it.title else it.origin,
                heading="began in",
                parts=_PLACE,
            ),
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
)
REGRESSION_COLUMNS: tuple[Column[Any], ...] = (
    *_METRIC,
    Column("effect", spec="+.0%", heading="change"),
    _noise("noise"),
    _TITLE,
    Column("origin", heading="began in"),
    Column("file", is_detail=True),
    Column("line", is_detail=True),
)
