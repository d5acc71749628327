"""What two snapshots are compared by: each thing, a metric of it, and its repeated measurements."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, median
from typing import Literal, NamedTuple

from benchpin.core.errors import InvalidParams
from benchpin.performance.calls import Name
from benchpin.performance.snapshots import Snapshot, length_of, route_of, time_index
from benchpin.performance.values import Profile, ProfileOf, Query, Sample

Verdict = Literal["regressed", "improved", "unchanged", "unclear"]

# The probability that two snapshots of the same system show any change at all.
ERROR_RATE = 0.01
# Smaller changes, relative to the larger value, are not reported.
MIN_CHANGE_SHARE = 0.1
# With fewer values the variance is a guess.
MIN_COUNT = 5
# Noise relative to the larger value, where there are fewer values.
RULE_OF_THUMB = 0.3
# Fewer values have too little left when they are trimmed; of more, single ones matter little, and
# rare slow ones are part of what is measured.
_TRIMMED_COUNTS = range(10, 30)
# One value in this many is trimmed at each end.
_TRIMMED_SHARE = 5
# This factor leads from the median deviation to the standard deviation of a normal distribution.
_SIGMAS_PER_DEVIATION = 1.4826
# The variance that rounding to whole numbers adds.
_ROUNDING_VARIANCE = 1 / 12


@dataclass(frozen=True, slots=True)
class Group:
    """Repeated measurements of one thing, as the test needs them."""

    count: int
    mean: float
    centre: float
    """What is compared: the mean, trimmed where there are few values."""
    variance: float
    """Of the centre: the squared standard error."""
    freedom: int
    """Degrees of freedom; 0 where the variance is not known."""

    def divided_by(self, factor: float) -> "Group":
        """Return what the group would be with all values smaller by this factor."""
        return Group(
            self.count,
            self.mean / factor,
            self.centre / factor,
            self.variance / factor**2,
            self.freedom,
        )


def group_of_sums(count: int, total: int, squares: int) -> Group:
    """Return values of which only the sum and the sum of squares are known."""
    mean = total / count
    if count == 1:
        return Group(count, mean, mean, 0, 0)
    # Not below zero: a damaged log can have a sum of squares that does not fit its sum.
    variance = max(0, count * squares - total * total) / (count * (count - 1))
    return Group(count, mean, mean, (variance + _ROUNDING_VARIANCE) / count, count - 1)


def group_of(values: Sequence[int]) -> Group:
    count = len(values)
    if count not in _TRIMMED_COUNTS:
        return group_of_sums(count, sum(values), sum(each * each for each in values))
    cut = count // _TRIMMED_SHARE
    ordered = sorted(values)
    inner = ordered[cut : count - cut]
    winsorised = [*[inner[0]] * cut, *inner, *[inner[-1]] * cut]
    middle = fmean(winsorised)
    squares = sum((each - middle) ** 2 for each in winsorised)
    kept = len(inner)
    return Group(
        count=count,
        mean=fmean(values),
        centre=fmean(inner),
        variance=squares / (kept * (kept - 1)) + _ROUNDING_VARIANCE / kept,
        freedom=kept - 1,
    )


@dataclass(frozen=True, slots=True)
class Drift:
    """What changed for everything alike, such as the machine, and how unevenly."""

    factor: float = 1.0
    """How many times as long everything took."""
    spread: float = 0.0
    """How much single things differ from the factor, relative to it, without a reason."""


NO_DRIFT = Drift()


def drift_of(pairs: Iterable[tuple[Group, Group]]) -> Drift:
    """Estimate the drift from things that should not have changed, by medians.

    A few of them may have changed after all; with fewer than five there is no estimate.
    """
    ratios = sorted(after.centre / before.centre for before, after in pairs if before.centre > 0)
    if len(ratios) < MIN_COUNT:
        return NO_DRIFT
    factor = median(ratios)
    if not factor:
        return NO_DRIFT
    spread = _SIGMAS_PER_DEVIATION * median(abs(ratio - factor) for ratio in ratios) / factor
    return Drift(factor, spread)


def noise(before: Group, after: Group, comparisons: int) -> float:
    """Return the difference of the centres that chance explains."""
    if min(before.count, after.count) < MIN_COUNT:
        return RULE_OF_THUMB * max(before.centre, after.centre)
    one, other = before.variance, after.variance
    freedom = (one + other) ** 2 / (one**2 / before.freedom + other**2 / after.freedom)
    return student(1 - ERROR_RATE / comparisons / 2, freedom) * sqrt(one + other)


def judge(before: Group, after: Group, bound: float) -> Verdict:
    """Classify a change of something that should be small; with few values it is only unclear."""
    change = after.centre - before.centre
    if abs(change) <= max(bound, MIN_CHANGE_SHARE * max(before.centre, after.centre)):
        return "unchanged"
    if min(before.count, after.count) < MIN_COUNT:
        return "unclear"
    return "regressed" if change > 0 else "improved"


def student(probability: float, freedom: float) -> float:
    """Return a quantile of Student's t-distribution.

    Abramowitz and Stegun 26.7.5: within 1 % for four degrees of freedom and p = 0.995.
    """
    x = NormalDist().inv_cdf(probability)
    return x + sum(
        (
            (x**3 + x) / 4 / freedom,
            (5 * x**5 + 16 * x**3 + 3 * x) / 96 / freedom**2,
            (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384 / freedom**3,
            (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92_160 / freedom**4,
        )
    )


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


class RepeatedMeasure(NamedTuple):
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


def measured_queries(snapshot: Snapshot) -> Iterator[RepeatedMeasure]:
    """Measure query classes by their mean time, and by how often a connection ran them."""
    repeated = _repetitions(snapshot)
    for query in snapshot.queries:
        times = group_of_sums(query.count, query.total_time_us, _squares(query))
        item = RepeatedMeasure("query", query.query_id, query.fingerprint, "mean_us", times)
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


def measured_endpoints(snapshot: Snapshot) -> Iterator[RepeatedMeasure]:
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
                yield RepeatedMeasure("endpoint", route, route, metric, group_of(known))
        if endpoint.samples:
            failed = group_of_sums(endpoint.samples, endpoint.errors, endpoint.errors)
            yield RepeatedMeasure("endpoint", route, route, "error_rate", failed, price_us=None)


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
        return max(filled, key=lambda it: (length_of(it.profile), it.source))
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
