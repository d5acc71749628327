"""What a snapshot merges from its artefacts: functions, endpoints, totals and counts."""

from benchpin.performance.values import CallerShare, Value


class Span(Value, frozen=True, omit_defaults=True):
    """A function over all profiles that measured the same thing.

    Times are wall time, or processor time where a profile has only that; they are None where it
    has neither, and then `metric` says what was measured instead.
    """

    function: str
    file: str | None
    line: int | None
    calls: int
    self_ns: int | None
    inclusive_ns: int | None
    profiles: int
    worst_self_ns: int | None
    """The most in one profile."""
    worst_inclusive_ns: int | None
    worst_source: str
    """Source of the profile in which it took longest."""
    deepest_recursion: int
    callers: tuple[CallerShare, ...]
    """The callers with the longest time."""
    metric: str = ""
    """What `self_cost` and `inclusive_cost` count, such as samples; empty where time is known."""
    self_cost: int = 0
    inclusive_cost: int = 0


class Spread(Value, frozen=True):
    """The distribution of some times; quantiles by nearest rank."""

    count: int
    total_us: int
    squares_us2: int
    p50_us: int
    p95_us: int
    max_us: int


class Endpoint(Value, frozen=True):
    """A route, timed from outside and profiled from within."""

    route: str
    samples: int
    errors: int
    """Samples that failed or got a status of 400 or above; their times are left out."""
    ttfb: Spread | None
    wall: Spread | None
    profiled_wall: Spread | None

    @property
    def times(self) -> Spread | None:
        """The best times known: of the whole answer, of the first byte, or under the profiler."""
        return self.wall or self.ttfb or self.profiled_wall


class Totals(Value, frozen=True):
    """Times over the whole snapshot."""

    query_time_us: int
    wall_time_us: int
    """Of all profiled and all timed requests; one that was both counts twice."""
    profiled_wall_time_us: int
    timed_wall_time_us: int


class Counts(Value, frozen=True, omit_defaults=True):
    """How much a snapshot holds."""

    endpoints: int
    queries: int
    """Query classes."""
    query_events: int
    spans: int
    profiles: int
    samples: int
    plans: int = 0
