"""What a reader wants to know of a query class, a function or a route, worked out."""

from .contents import Caller, Query, QueryPart, Span
from .model import Value

_NS_PER_US = 1000


class Place(Value, frozen=True, omit_defaults=True):
    """Where a claim can be checked."""

    source: str
    """SHA-256 of the artefact."""
    line: int | None = None
    """In the slow log, or of the function in its file."""
    byte: int | None = None
    time_us: int | None = None
    profile: str | None = None
    function: str | None = None
    file: str | None = None
    callers: tuple[Caller, ...] = ()


class QueryRow(Value, frozen=True):
    """A query class with what follows from its sums."""

    query_id: str
    fingerprint: str
    example: str
    count: int
    total_time_us: int
    share: float | None
    """Of the time of all queries, from 0 to 1."""
    mean_us: int
    p50_us: int | None
    p95_us: int | None
    p95_range_us: tuple[int, int]
    """Where the 95th percentile lies when the class was merged over several logs."""
    max_us: int
    variance_to_mean_us: int | None
    """None for a single event."""
    rows_examined: int
    rows_sent: int
    rows_examined_per_row_sent: float | None
    """None when no row was sent."""
    full_scans: int | None
    lock_time_us: int
    errors: int | None
    first_seen_us: int | None
    last_seen_us: int | None
    databases: tuple[str, ...]
    evidence: tuple[Place, ...]


class SpanRow(Value, frozen=True):
    """A function with what it took in all profiles and in its worst."""

    function: str
    file: str | None
    line: int | None
    calls: int
    profiles: int
    self_ns: int | None
    inclusive_ns: int | None
    worst_self_ns: int | None
    worst_inclusive_ns: int | None
    callers: tuple[Caller, ...]
    evidence: tuple[Place, ...]


def query_row(query: Query, all_time_us: int) -> QueryRow:
    """Work out means, ratios and shares of a class."""
    sent = query.rows_sent
    p95s = [part.p95_us for part in query.parts]
    return QueryRow(
        query_id=query.query_id,
        fingerprint=query.fingerprint,
        example=query.example,
        count=query.count,
        total_time_us=query.total_time_us,
        share=round(query.total_time_us / all_time_us, 4) if all_time_us else None,
        mean_us=query.total_time_us // query.count,
        p50_us=query.p50_us,
        p95_us=query.p95_us,
        p95_range_us=(min(p95s), max(p95s)),
        max_us=query.max_us,
        variance_to_mean_us=_variance_to_mean(query),
        rows_examined=query.rows_examined,
        rows_sent=sent,
        rows_examined_per_row_sent=round(query.rows_examined / sent, 2) if sent else None,
        full_scans=query.full_scans,
        lock_time_us=query.lock_time_us,
        errors=query.errors,
        first_seen_us=query.first_seen_us,
        last_seen_us=query.last_seen_us,
        databases=query.databases,
        evidence=_slowest(query.parts),
    )


def _variance_to_mean(query: Query) -> int | None:
    """Return the sample variance over the mean, in exact arithmetic."""
    count, total = query.count, query.total_time_us
    if count < 2 or total == 0:  # noqa: PLR2004 - one value has no variance
        return None
    return (count * query.squares_us2 - total * total) // ((count - 1) * total)


def _slowest(parts: tuple[QueryPart, ...], limit: int = 3) -> tuple[Place, ...]:
    places = [
        Place(source=part.source, line=event.line, byte=event.byte, time_us=event.time_us)
        for part in parts
        for event in part.evidence
    ]
    places.sort(key=lambda place: (-(place.time_us or 0), place.source, place.byte or 0))
    return tuple(places[:limit])


def span_row(span: Span, profile_keys: dict[str, str]) -> SpanRow:
    """Name the profile in which a function took most."""
    worst = Place(
        source=span.worst_source,
        profile=profile_keys.get(span.worst_source),
        function=span.function,
        file=span.file,
        line=span.line,
        callers=span.callers,
        time_us=None if span.worst_self_ns is None else span.worst_self_ns // _NS_PER_US,
    )
    return SpanRow(
        function=span.function,
        file=span.file,
        line=span.line,
        calls=span.calls,
        profiles=span.profiles,
        self_ns=span.self_ns,
        inclusive_ns=span.inclusive_ns,
        worst_self_ns=span.worst_self_ns,
        worst_inclusive_ns=span.worst_inclusive_ns,
        callers=span.callers,
        evidence=(worst,),
    )
