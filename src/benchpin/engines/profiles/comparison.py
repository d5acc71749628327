"""Compare two snapshots: what became slower, what became faster, and what is noise.

Means of events, requests and connections are compared, because totals depend on the log's length.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from benchpin.core import Item

from .merged import Endpoint, Spread
from .merging import route_of, time_index
from .noise import LEAST_COUNT, Moments, Verdict, judge, noise
from .snapshot import Snapshot
from .values import NS_PER_US, Value
from .wording import readable_time

Kind = Literal["query", "span", "endpoint"]
Metric = Literal["mean_us", "events_per_connection", "self_us", "ttfb_us", "wall_us", "error_rate"]
_METRIC_NAMES: dict[Metric, str] = {
    "mean_us": "mean time",
    "events_per_connection": "events per connection",
    "self_us": "self time",
    "ttfb_us": "first byte",
    "wall_us": "full response",
    "error_rate": "error rate",
}
_LEAST_SPAN_US = 1000
"""Functions with less self time in both snapshots are not compared."""


class Change(Value, frozen=True):
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
    """The change times the count after it; None for errors."""
    verdict: Verdict
    basis: Literal["welch", "rule_of_thumb"]
    """A rule of thumb, 30 %, where there are fewer than five values."""

    @property
    def metric_name(self) -> str:
        """The metric in words."""
        return _METRIC_NAMES[self.metric]

    def shown(self, value: float) -> str:
        """Return a value of the metric with its unit."""
        if self.metric == "error_rate":
            return f"{value:.1%}"
        if self.metric == "events_per_connection":
            return f"{value:,.1f}"
        return readable_time(round(value))


class Presence(Value, frozen=True):
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
    regressions: list[Change]
    """More errors first, then the most expensive."""
    improvements: list[Change]
    unclear: list[Change]
    """Large changes with too few values for a test."""
    unchanged: int
    appeared: list[Presence]
    disappeared: list[Presence]
    comparisons: int
    """How many metrics were compared."""


class _Measurement(NamedTuple):
    kind: Kind
    subject: str
    title: str
    metric: Metric
    measured: Moments
    scale: int = 1
    """The divisor from measured to published values."""
    price_us: float | None = 1
    """The time of one unit; None for errors, which have no price in time."""


_Key = tuple[Kind, str, Metric]


def compare(before: Snapshot, after: Snapshot) -> SnapshotComparison:
    """Compare every query class, function and route that both snapshots have."""
    old, new = _items(before), _items(after)
    shared = [key for key in new if key in old and _is_relevant(old[key], new[key])]
    changes = [_change(old[key], new[key], len(shared)) for key in shared]
    changes.sort(key=_by_errors_and_impact)
    by_verdict: dict[Verdict, list[Change]] = defaultdict(list)
    for change in changes:
        by_verdict[change.verdict].append(change)
    regressed, improved = by_verdict["regressed"], by_verdict["improved"]
    return SnapshotComparison(
        before=before.id,
        after=after.id,
        verdict=_verdict(changes, regressed, improved),
        regressions=regressed,
        improvements=improved,
        unclear=by_verdict["unclear"],
        unchanged=len(by_verdict["unchanged"]),
        appeared=_only_in(after, before),
        disappeared=_only_in(before, after),
        comparisons=len(shared),
    )


def _verdict(
    changes: list[Change], regressed: list[Change], improved: list[Change]
) -> Literal["regressed", "improved", "mixed", "unchanged", "not_comparable"]:
    if not changes:
        return "not_comparable"
    if regressed:
        return "mixed" if improved else "regressed"
    return "improved" if improved else "unchanged"


def _by_errors_and_impact(change: Change) -> tuple[bool, int, str, str]:
    return (
        change.impact_us is not None,
        -abs(change.impact_us or 0),
        change.subject,
        change.metric,
    )


def _change(before: _Measurement, after: _Measurement, comparisons: int) -> Change:
    bound = noise(before.measured, after.measured, comparisons)
    fewest = min(before.measured.count, after.measured.count)
    delta = (after.measured.mean - before.measured.mean) / after.scale
    price = after.price_us
    return Change(
        *after[:4],
        before=round(before.measured.mean / before.scale, 3),
        after=round(after.measured.mean / after.scale, 3),
        delta=round(delta, 3),
        noise=round(bound / after.scale, 3),
        before_count=before.measured.count,
        after_count=after.measured.count,
        impact_us=None if price is None else round(delta * price * after.measured.count),
        verdict=judge(before.measured, after.measured, bound),
        basis="welch" if fewest >= LEAST_COUNT else "rule_of_thumb",
    )


def _is_relevant(before: _Measurement, after: _Measurement) -> bool:
    if before.kind != "span":
        return True
    least = _LEAST_SPAN_US * NS_PER_US
    return max(before.measured.mean, after.measured.mean) >= least


def _items(snapshot: Snapshot) -> dict[_Key, _Measurement]:
    found = (*_queries(snapshot), *_endpoints(snapshot.endpoints), *_spans(snapshot))
    return {(item.kind, item.subject, item.metric): item for item in found}


def _queries(snapshot: Snapshot) -> Iterator[_Measurement]:
    repeated = _repetitions(snapshot)
    for query in snapshot.queries:
        times = Moments(query.count, query.total_time_us, query.squares_us2)
        item = _Measurement("query", query.query_id, query.fingerprint, "mean_us", times)
        yield item
        if repeated is not None:
            counts = repeated.counts.get(query.query_id, [])
            runs = _per_connection(query.count, counts, repeated.connections)
            yield item._replace(metric="events_per_connection", measured=runs, price_us=times.mean)


def _per_connection(events: int, counts: Sequence[int], connections: int) -> Moments:
    """Distribute events over connections: repeated ones as counted, the rest evenly."""
    rest, others = events - sum(counts), connections - len(counts)
    squares = sum(count * count for count in counts)
    if others:
        each, more = divmod(rest, others)
        squares += (others - more) * each**2 + more * (each + 1) ** 2
    return Moments(connections, events, squares)


class _Repetitions(NamedTuple):
    connections: int
    counts: dict[str, list[int]]
    """How often connections ran a class, if more than once."""


def _repetitions(snapshot: Snapshot) -> _Repetitions | None:
    """Return the repetitions of connections; None when some connections are unknown."""
    if not snapshot.slow_logs or not all(log.has_all_connections for log in snapshot.slow_logs):
        return None
    counts: dict[str, list[int]] = defaultdict(list)
    connections = [each for log in snapshot.slow_logs for each in log.connections]
    for repetition in (it for connection in connections for it in connection.repetitions):
        counts[repetition.query_id].append(repetition.count)
    return _Repetitions(len(connections), counts)


def _endpoints(endpoints: Iterable[Endpoint]) -> Iterator[_Measurement]:
    for endpoint in endpoints:
        times: tuple[tuple[Metric, Spread | None], ...] = (
            ("ttfb_us", endpoint.ttfb),
            ("wall_us", endpoint.wall),
        )
        for metric, spread in times:
            if spread is not None:
                measured = Moments(spread.count, spread.total_us, spread.squares_us2)
                yield _Measurement("endpoint", endpoint.route, endpoint.route, metric, measured)
        if endpoint.samples:
            failed = Moments(endpoint.samples, endpoint.errors, endpoint.errors)
            route = endpoint.route
            yield _Measurement("endpoint", route, route, "error_rate", failed, price_us=None)


def _spans(snapshot: Snapshot) -> Iterator[_Measurement]:
    """Measure functions for each route, because routes call them for different reasons."""
    profiles: dict[str, int] = defaultdict(int)
    taken: dict[tuple[str, str], list[int]] = defaultdict(list)
    for profile in (each.profile for each in snapshot.profiles):
        wall = time_index(profile)
        if wall is None:
            continue
        route = route_of(profile) or (profile.request.command if profile.request else None) or "-"
        profiles[route] += 1
        in_profile: dict[str, int] = defaultdict(int)
        for cost in profile.functions:
            in_profile[cost.function] += cost.self[wall]
        for function, time in in_profile.items():
            taken[route, function].append(time)
    for (route, function), times in taken.items():
        measured = Moments(profiles[route], sum(times), sum(time * time for time in times))
        yield _Measurement("span", f"{route} {function}", function, "self_us", measured, NS_PER_US)


def _only_in(snapshot: Snapshot, other: Snapshot) -> list[Presence]:
    """Return what one snapshot has and the other lacks, longest time first."""
    queries = {each.query_id for each in other.queries}
    routes = {each.route for each in other.endpoints}
    functions = {each.function for each in other.spans}
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
    found += [
        Presence("span", each.function, each.function, (each.self_ns or 0) // NS_PER_US)
        for each in snapshot.spans
        if other.profiles
        and (each.worst_self_ns or 0) >= _LEAST_SPAN_US * NS_PER_US
        and each.function not in functions
    ]
    return sorted(found, key=lambda it: (-it.time_us, it.kind, it.subject))
