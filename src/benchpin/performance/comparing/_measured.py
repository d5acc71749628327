"""What two snapshots are compared by: each thing, a metric of it, and its repeated measurements."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from benchpin.core.errors import InvalidParams
from benchpin.performance.calls import Name
from benchpin.performance.snapshots import Snapshot, route_of, time_index, wall_time_us
from benchpin.performance.values import Profile, ProfileOf, Query, Sample

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
SHORT_HASH = 12


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


# Choose a profile of a snapshot by a name, and all that were recorded of the same thing.


def filled_profiles(snapshot: Snapshot) -> list[ProfileOf]:
    """Return the profiles with at least one call; a crashed request leaves one without."""
    return [it for it in snapshot.profiles if it.profile.functions]


def profile_name(found: ProfileOf) -> str:
    """Return what people call a profile, after the beginning of its hash."""
    name = found.profile.request and found.profile.request.name
    return f"{found.source[:SHORT_HASH]} {name or found.profile.version}"


def select_profile(snapshot: Snapshot, wanted: str | None) -> ProfileOf:
    """Return the profile with this key, URI, command or hash; the longest by default.

    Raises:
        InvalidParams: when there is none, or several.
    """
    if not snapshot.profiles:
        raise InvalidParams(
            "The snapshot has no profile",
            suggestion="Ingest one first: SPX, pprof, speedscope, collapsed stacks or others.",
        )
    filled = filled_profiles(snapshot)
    if not filled:
        names = ", ".join(map(profile_name, snapshot.profiles))
        raise InvalidParams(
            f"No profile of the snapshot has a call: {names}",
            suggestion="Record them again.",
        )
    if wanted is None:
        return max(filled, key=lambda it: (wall_time_us(it.profile) or 0, it.source))
    found = [it for it in filled if it.source.startswith(wanted) or wanted in _names(it)]
    if len(found) == 1:
        return found[0]
    raise InvalidParams(
        f"{len(found) or 'No'} profiles match {wanted!r}",
        suggestion=f"Give one of {', '.join(it.source[:SHORT_HASH] for it in found or filled)}.",
        data={"path": "profile", "known": [profile_name(it) for it in filled]},
    )


def runs_by_subject(snapshot: Snapshot) -> dict[tuple[str, str], list[Profile]]:
    """Return the profiles with stacks by route or command, and by what they measured."""
    found: dict[tuple[str, str], list[Profile]] = defaultdict(list)
    for profile in (it.profile for it in filled_profiles(snapshot)):
        if profile.tree:
            metric = profile.metrics[time_index(profile) or 0]
            found[subject_of(profile), metric].append(profile)
    return found


def subject_of(profile: Profile) -> str:
    """Return the route or command that was profiled; empty if the profile does not name it."""
    return route_of(profile) or (profile.request and profile.request.command) or ""


def _names(found: ProfileOf) -> set[str | None]:
    request = found.profile.request
    return {request.key, request.uri, request.command} if request else set()
