"""Snapshots in the order of time: where something changed permanently, beyond noise."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Literal

from benchpin.performance.calls import RepeatedFunctions
from benchpin.performance.snapshots import Snapshot
from benchpin.performance.values import Value

from ._change_points import MIN_VALUES, Step, find_steps
from ._measured import Kind, Measured, Metric, measured_endpoints, measured_queries


class ChangePoint(Value, frozen=True):
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
    rows: dict[_Key, list[tuple[str, Measured]]] = defaultdict(list)
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


def _point(snapshot: str, thing: Measured, step: Step) -> ChangePoint:
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


def _measured(snapshot: Snapshot) -> Iterator[Measured]:
    yield from measured_queries(snapshot)
    yield from measured_endpoints(snapshot)
    profiles = [each.profile for each in snapshot.profiles]
    # Compared with itself, a snapshot yields each of its functions once on either side.
    for route in RepeatedFunctions(profiles, profiles).routes():
        yield route.whole()[1]
        for _, function in route.pairs():
            yield function
