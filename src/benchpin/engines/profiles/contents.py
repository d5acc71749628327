"""What a snapshot is made of: artefacts by content, and what was merged over them."""

from .model import (
    ArtifactType,
    Connection,
    Evidence,
    Fault,
    Profile,
    QueryTotals,
    Sample,
    SlowLog,
    Timings,
    Value,
)


class Source(Value, frozen=True):
    """A file by its content; where it lay is not part of a snapshot."""

    sha256: str
    size_bytes: int
    type: ArtifactType
    version: str


class Reading(Value, frozen=True):
    """What was read from one file, or from files that belong together."""

    sources: tuple[Source, ...]
    """First the file that the content stands in, then its companions, such as SPX's metadata."""
    content: Profile | SlowLog | Timings | None
    """None when the file says nothing alone, such as SPX's metadata without its text."""


class SourceFault(Fault, frozen=True):
    """Something in a source that could not be read."""

    source: str


class ProfileOf(Value, frozen=True):
    """A profile and the SHA-256 of its source."""

    source: str
    profile: Profile


class SlowLogOf(Value, frozen=True):
    """A slow log but for its classes, which are merged over all logs."""

    source: str
    version: str
    server: str | None
    events: int
    total_time_us: int
    lock_time_us: int
    first_seen_us: int | None
    last_seen_us: int | None
    connections: tuple[Connection, ...]
    connection_count: int
    is_complete: bool


class TimingsOf(Value, frozen=True):
    """Timed requests and the SHA-256 of their source."""

    source: str
    version: str
    samples: tuple[Sample, ...]
    is_complete: bool


class QueryPart(Value, frozen=True):
    """A query class in one slow log."""

    source: str
    count: int
    total_time_us: int
    max_us: int
    p50_us: int
    p95_us: int
    evidence: tuple[Evidence, ...]


class Query(QueryTotals, frozen=True, kw_only=True):
    """A query class over all slow logs."""

    p50_us: int | None
    """None when the class stands in several logs: quantiles do not add up; see `parts`."""
    p95_us: int | None
    parts: tuple[QueryPart, ...]


class Caller(Value, frozen=True):
    """Who called a function, and what those calls took."""

    function: str
    calls: int
    inclusive_ns: int | None


class Span(Value, frozen=True):
    """A function over all profiles; times are None where no profile measured wall time."""

    function: str
    file: str | None
    line: int | None
    calls: int
    self_ns: int | None
    inclusive_ns: int | None
    profiles: int
    worst_self_ns: int | None
    """The most that it took in one profile."""
    worst_inclusive_ns: int | None
    worst_source: str
    """Source of the profile in which it took most."""
    deepest_recursion: int
    callers: tuple[Caller, ...]
    """Those that called it for the longest time."""


class Spread(Value, frozen=True):
    """How a number of times lie; quantiles by nearest rank."""

    count: int
    total_us: int
    squares_us2: int
    p50_us: int
    p95_us: int
    max_us: int


class Endpoint(Value, frozen=True):
    """A route as it was timed from outside and profiled from within."""

    route: str
    samples: int
    errors: int
    """Samples that failed or were answered with a status from 400; their times are left out."""
    ttfb: Spread | None
    wall: Spread | None
    profiled_wall: Spread | None


class Totals(Value, frozen=True):
    """Times over the whole snapshot."""

    query_time_us: int
    wall_time_us: int
    """Of all profiled and all timed requests; one that was both counts twice."""
    profiled_wall_time_us: int
    timed_wall_time_us: int


class Counts(Value, frozen=True):
    """How much of everything a snapshot holds."""

    endpoints: int
    queries: int
    """Query classes."""
    query_events: int
    spans: int
    profiles: int
    samples: int
