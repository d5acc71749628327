"""Requests that were timed or profiled: their route, and when they ran."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchpin.performance.snapshots import Snapshot, route_of, wall_time_us
from benchpin.performance.values import Connection

_SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True)
class ObservedRequest:
    """A timed or profiled request."""

    route: str
    earliest_us: int
    """The earliest moment at which it can have begun."""
    latest_us: int
    """The latest moment at which it can have ended."""
    wall_us: int
    sample: tuple[str, int] | None = None
    profile: str | None = None

    @property
    def is_exact(self) -> bool:
        """Whether its start is known more exactly than to the second."""
        return self.latest_us - self.earliest_us == self.wall_us

    def can_contain(self, connection: Connection) -> bool:
        first, last = connection.first_seen_us, connection.last_seen_us
        if first is None or last is None or connection.query_time_us > self.wall_us:
            return False
        return first + grain_us(first) > self.earliest_us and last <= self.latest_us

    def overlaps(self, other: "ObservedRequest") -> bool:
        return self.earliest_us <= other.latest_us and other.earliest_us <= self.latest_us


def grain_us(moment_us: int) -> int:
    """Return the precision of a moment: most logs write whole seconds."""
    return 1 if moment_us % _SECOND_US else _SECOND_US


def timed_requests(snapshot: Snapshot) -> list[ObservedRequest]:
    """Return the successful samples that have a start and an end."""
    return [
        ObservedRequest(
            route=sample.route,
            earliest_us=sample.started_at_us,
            latest_us=sample.started_at_us + sample.wall_us,
            wall_us=sample.wall_us,
            sample=(timings.source, place),
        )
        for timings in snapshot.timings
        for place, sample in enumerate(timings.samples)
        if sample.started_at_us is not None and sample.wall_us is not None and not sample.is_error
    ]


def profiled_requests(snapshot: Snapshot) -> list[ObservedRequest]:
    """Return the profiles of web requests that have a start and a duration."""
    found = []
    for each in snapshot.profiles:
        route, wall = route_of(each.profile), wall_time_us(each.profile)
        started = None if each.profile.request is None else each.profile.request.started_at_us
        if route is not None and wall is not None and started is not None:
            latest = started + grain_us(started) - 1 + wall
            found.append(ObservedRequest(route, started, latest, wall, profile=each.source))
    return found


def follow_one_another(requests: Sequence[ObservedRequest]) -> bool:
    return all(before.latest_us <= after.earliest_us for before, after in pairwise(requests))


# Match requests with the connections that fit them.


def can_all_be_matched(candidates: Sequence[Sequence[int]]) -> bool:
    """Whether every request can have a connection of its own, by augmenting paths."""
    holder: dict[int, int] = {}

    def place(request: int, tried: set[int]) -> bool:
        for candidate in candidates[request]:
            if candidate not in tried:
                tried.add(candidate)
                if candidate not in holder or place(holder[candidate], tried):
                    holder[candidate] = request
                    return True
        return False

    return all(place(request, set()) for request in range(len(candidates)))


def only_candidates(candidates: Sequence[Sequence[int]], *, in_order: bool) -> list[int | None]:
    """Return the only possible connection of each request, or None where there are several.

    Requests that follow one another have connections in ascending order: then the leftmost and the
    rightmost assignment enclose all others, and agree where there is no choice.
    """
    if not in_order:
        return [_only_taker(candidates, request) for request in range(len(candidates))]
    leftmost = _in_order(candidates)
    mirrored = [[-place for place in reversed(places)] for places in reversed(candidates)]
    rightmost = [-place for place in reversed(_in_order(mirrored))]
    if len(leftmost) != len(candidates) or len(rightmost) != len(candidates):
        return [None] * len(candidates)
    return [
        left if left == right else None for left, right in zip(leftmost, rightmost, strict=True)
    ]


def _in_order(candidates: Sequence[Sequence[int]]) -> list[int]:
    """Give each request the first connection after the previous one, while there are any."""
    placed: list[int] = []
    for places in candidates:
        later = [place for place in places if not placed or place > placed[-1]]
        if not later:
            break
        placed.append(later[0])
    return placed


def _only_taker(candidates: Sequence[Sequence[int]], request: int) -> int | None:
    """Return the single candidate of a request, if no other request can have it."""
    if len(candidates[request]) != 1:
        return None
    (place,) = candidates[request]
    takers = sum(place in places for places in candidates)
    return place if takers == 1 else None
