"""Snapshots in the order of time: where something changed permanently, beyond noise."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import inf, log, sqrt
from statistics import fmean, median
from typing import Literal, NamedTuple

from benchpin.performance.calls import RepeatedFunctions
from benchpin.performance.snapshots import Snapshot
from benchpin.performance.values import PublishedValue

from ._measured import (
    ERROR_RATE,
    MIN_CHANGE_SHARE,
    Kind,
    Metric,
    RepeatedMeasure,
    measured_endpoints,
    measured_queries,
    student,
)

# Values in a segment: a single one is an outlier.
_MIN_VALUES_PER_PART = 2
# The noise of a shorter series is not known.
MIN_VALUES = 7
# The price of a segment, for each unit of log(count) and in units of the noise's variance.
_PRICE = 3.0
# This factor leads from the median difference of neighbours to the standard deviation of a normal
# distribution.
_SIGMAS_PER_DIFFERENCE = 1.4826 / sqrt(2)
# The noise of whole numbers.
_MIN_SIGMA = sqrt(1 / 12)


# Find where the level of a series changes.
#
# The series is divided into segments so that the squared distances from their means, with a fixed
# price for each segment, are smallest (optimal partitioning: exact, and quick for hundreds of
# values). Then each boundary is tested: Student's t between its two segments, whose noise is
# pooled.


class Segment(NamedTuple):
    """Neighbouring values of the same level."""

    start: int
    end: int
    """The position after the last."""
    mean: float


class Step(NamedTuple):
    """A change of level."""

    before: Segment
    after: Segment
    noise: float
    """The difference of the means that chance explains."""


def find_steps(values: Sequence[float], comparisons: int = 1) -> list[Step]:
    """Return the changes of level in a series, in its order.

    `comparisons` is how many series are searched, so that all together rarely find one by chance.
    """
    if len(values) < MIN_VALUES:
        return []
    starts = _partition(values)
    while True:
        segments = _segments(values, starts)
        steps = [
            Step(one, other, _bound(values, one, other, comparisons))
            for one, other in pairwise(segments)
        ]
        weak = [step for step in steps if _excess(step) <= 0]
        if not weak:
            return steps
        # One at a time: without the weakest boundary, the segments beside it are longer.
        starts.remove(min(weak, key=_excess).after.start)


def _partition(values: Sequence[float]) -> list[int]:
    """Return the starts of the best segments, the first of which is 0."""
    count = len(values)
    sums = [0.0, *accumulate(values)]
    squares = [0.0, *accumulate(value * value for value in values)]
    changes = [abs(after - before) for before, after in pairwise(values)]
    sigma = max(_SIGMAS_PER_DIFFERENCE * median(changes), _MIN_SIGMA)
    price = _PRICE * log(count) * sigma**2
    best = [0.0, *[inf] * count]
    start_of = [0] * (count + 1)
    for end in range(_MIN_VALUES_PER_PART, count + 1):
        for start in range(end - _MIN_VALUES_PER_PART + 1):
            total, length = sums[end] - sums[start], end - start
            cost = best[start] + squares[end] - squares[start] - total**2 / length + price
            if cost < best[end]:
                best[end], start_of[end] = cost, start
    starts, end = [], count
    while end:
        end = start_of[end]
        starts.append(end)
    return starts[::-1]


def _segments(values: Sequence[float], starts: Sequence[int]) -> list[Segment]:
    ends = [*starts[1:], len(values)]
    return [Segment(it, end, fmean(values[it:end])) for it, end in zip(starts, ends, strict=True)]


def _bound(values: Sequence[float], one: Segment, other: Segment, comparisons: int) -> float:
    squares = sum(
        (value - segment.mean) ** 2
        for segment in (one, other)
        for value in values[segment.start : segment.end]
    )
    first, second = one.end - one.start, other.end - other.start
    freedom = first + second - 2
    variance = squares / freedom + _MIN_SIGMA**2
    # The boundary was chosen among all: each counts as a comparison.
    probability = 1 - ERROR_RATE / (comparisons * len(values)) / 2
    return student(probability, freedom) * sqrt(variance * (1 / first + 1 / second))


def _excess(step: Step) -> float:
    """Return by how much a change is larger than what is ignored."""
    one, other = step.before.mean, step.after.mean
    return abs(other - one) - max(step.noise, MIN_CHANGE_SHARE * max(abs(one), abs(other)))


class ChangePoint(PublishedValue, frozen=True):
    """The first snapshot with a new level of something."""

    snapshot: str
    kind: Kind
    subject: str
    title: str
    metric: Metric
    before: float
    """The mean of the snapshots since the change point before."""
    after: float
    """The mean of the snapshots until the next one."""
    noise: float
    before_count: int
    """How many snapshots."""
    after_count: int
    verdict: Literal["regressed", "improved"]
    effect: float | None
    """The change relative to what it was before; None where that was nothing."""


_Key = tuple[Kind, str, Metric]


def change_points(snapshots: Iterable[Snapshot]) -> list[ChangePoint]:
    """Return where something changed permanently, newest first; snapshots are given oldest first.

    What few snapshots have is left out.
    """
    ids: list[str] = []
    rows: dict[_Key, list[tuple[str, RepeatedMeasure]]] = defaultdict(list)
    for snapshot in snapshots:
        ids.append(snapshot.id)
        for measurement in _measured(snapshot):
            rows[measurement.kind, measurement.subject, measurement.metric].append(
                (snapshot.id, measurement)
            )
    long = {key: found for key, found in rows.items() if len(found) >= MIN_VALUES}
    points = [
        _point(found[step.after.start][0], found[-1][1], step)
        for _, found in sorted(long.items())
        for step in find_steps([it.group.centre for _, it in found], len(long))
    ]
    return sorted(points, key=lambda it: -ids.index(it.snapshot))


def _point(snapshot: str, thing: RepeatedMeasure, step: Step) -> ChangePoint:
    before, after = step.before, step.after
    change = after.mean - before.mean
    return ChangePoint(
        snapshot,
        *thing[:4],
        before=round(before.mean / thing.scale, 3),
        after=round(after.mean / thing.scale, 3),
        noise=round(step.noise / thing.scale, 3),
        before_count=before.end - before.start,
        after_count=after.end - after.start,
        verdict="regressed" if change > 0 else "improved",
        effect=round(change / before.mean, 4) if before.mean else None,
    )


def _measured(snapshot: Snapshot) -> Iterator[RepeatedMeasure]:
    yield from measured_queries(snapshot)
    yield from measured_endpoints(snapshot)
    profiles = [each.profile for each in snapshot.profiles]
    # Compared with itself, a snapshot yields each of its functions once on either side.
    for route in RepeatedFunctions(profiles, profiles).routes():
        yield route.whole()[1]
        for _, function in route.pairs():
            yield function
