"""What two snapshots are compared by: each thing, a metric of it, and its repeated measurements."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from benchpin.performance.calls import Name
from benchpin.performance.snapshots import Snapshot
from benchpin.performance.values import Query, Sample

from ._noise import NO_DRIFT, Drift, Group, group_of, group_of_sums

Kind = Literal["query", "span", "endpoint"]
Metric = Literal[
    "mean_us",
    "events_per_connection",
    "self_us",
    "self_cost",
    "calls",
    "profiled_us",
    "ttfb_us",
    "wall_us",
    "error_rate",
]


class Measured(NamedTuple):
    """One metric of one thing in one snapshot."""

    kind: Kind
    subject: str
    title: str
    metric: Metric
    group: Group
    scale: int = 1
    """The divisor from measured to published values."""
    price_us: float | None = 1
    """The time of one unit; None where it has no price in time, such as errors."""
    origin: Name | None = None
    """Where a change of a function began."""
    drift: Drift = NO_DRIFT
    """What changed for reasons outside of the program."""


def measured_queries(snapshot: Snapshot) -> Iterator[Measured]:
    """Measure query classes by their mean time, and by how often a connection ran them."""
    repeated = _repetitions(snapshot)
    for query in snapshot.queries:
        times = group_of_sums(query.count, query.total_time_us, _squares(query))
        item = Measured("query", query.query_id, query.fingerprint, "mean_us", times)
        yield item
        if repeated is not None:
            counts = repeated.counts.get(query.query_id, [])
            runs = _per_connection(query.count, counts, repeated.connections)
            yield item._replace(metric="events_per_connection", group=runs, price_us=times.mean)


def _squares(query: Query) -> int:
    """Return the sum of squares, or the most that it can be between the known extremes.

    Bhatia and Davis (2000): the variance is at most (max - mean) (mean - min).
    """
    if query.squares_us2 is not None:
        return query.squares_us2
    count, total = query.count, query.total_time_us
    spread = (query.max_us * count - total) * (total - query.min_us * count)
    return (total * total + max(0, spread)) // count


def _per_connection(events: int, counts: Sequence[int], connections: int) -> Group:
    """Distribute events over connections: repeated ones as counted, the rest evenly."""
    rest, others = events - sum(counts), connections - len(counts)
    squares = sum(count * count for count in counts)
    if others:
        each, more = divmod(rest, others)
        squares += (others - more) * each**2 + more * (each + 1) ** 2
    return group_of_sums(connections, events, squares)


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


def measured_endpoints(snapshot: Snapshot) -> Iterator[Measured]:
    """Measure routes by the times of their requests, and by how many failed."""
    good: dict[str, list[Sample]] = defaultdict(list)
    for sample in (it for timings in snapshot.timings for it in timings.samples):
        if not sample.is_error:
            good[sample.route].append(sample)
    for endpoint in snapshot.endpoints:
        route = endpoint.route
        times: tuple[tuple[Metric, Iterable[int | None]], ...] = (
            ("ttfb_us", (it.ttfb_us for it in good[route])),
            ("wall_us", (it.wall_us for it in good[route])),
        )
        for metric, values in times:
            known = [it for it in values if it is not None]
            if known:
                yield Measured("endpoint", route, route, metric, group_of(known))
        if endpoint.samples:
            failed = group_of_sums(endpoint.samples, endpoint.errors, endpoint.errors)
            yield Measured("endpoint", route, route, "error_rate", failed, price_us=None)
