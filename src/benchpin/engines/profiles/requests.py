"""Requests as timings and profiles tell of them: their route, and when they were."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from .merging import is_error, route_of, wall_time_us
from .model import Connection
from .snapshot import Snapshot

_SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Request:
    """A timed or profiled request."""

    route: str
    earliest_us: int
    """When it began, at the earliest."""
    latest_us: int
    """When it ended, at the latest."""
    wall_us: int
    sample: tuple[str, int] | None = None
    profile: str | None = None

    @property
    def is_exact(self) -> bool:
        """Whether its beginning is known better than to a second."""
        return self.latest_us - self.earliest_us == self.wall_us

    def may_hold(self, connection: Connection) -> bool:
        """Tell whether all queries of a connection can lie within."""
        first, last = connection.first_seen_us, connection.last_seen_us
        if first is None or last is None or connection.query_time_us > self.wall_us:
            return False
        return first + grain_us(first) > self.earliest_us and last <= self.latest_us

    def overlaps(self, other: "Request") -> bool:
        """Tell whether both can have run at one time."""
        return self.earliest_us <= other.latest_us and other.earliest_us <= self.latest_us


def grain_us(moment_us: int) -> int:
    """Return how exact a moment is: whole seconds are what most logs write."""
    return 1 if moment_us % _SECOND_US else _SECOND_US


def timed_requests(snapshot: Snapshot) -> list[Request]:
    """Return the samples that were answered and tell when."""
    return [
        Request(
            route=sample.route,
            earliest_us=sample.started_at_us,
            latest_us=sample.started_at_us + sample.wall_us,
            wall_us=sample.wall_us,
            sample=(timings.source, place),
        )
        for timings in snapshot.timings
        for place, sample in enumerate(timings.samples)
        if sample.started_at_us is not None and sample.wall_us is not None and not is_error(sample)
    ]


def profiled_requests(snapshot: Snapshot) -> list[Request]:
    """Return the profiles of web requests that tell when they were."""
    found = []
    for each in snapshot.profiles:
        route, wall = route_of(each.profile), wall_time_us(each.profile)
        started = None if each.profile.request is None else each.profile.request.started_at_us
        if route is not None and wall is not None and started is not None:
            latest = started + grain_us(started) - 1 + wall
            found.append(Request(route, started, latest, wall, profile=each.source))
    return found


def follow_one_another(requests: Sequence[Request]) -> bool:
    """Tell whether each request ended before the next began."""
    return all(before.latest_us <= after.earliest_us for before, after in pairwise(requests))
