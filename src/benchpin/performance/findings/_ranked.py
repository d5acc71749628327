"""Query classes and functions with the numbers that follow from their sums."""

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from benchpin.performance.snapshots import Span
from benchpin.performance.values import (
    CallerShare,
    Evidence,
    Query,
    QueryPart,
    Value,
    derive,
    to_us,
)

_MAX_EVIDENCE = 3


class RankedQuery(Value, frozen=True):
    """A query class with means, ratios and shares."""

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
    p95_range_us: tuple[int, int] | None
    """The lowest and highest 95th percentile among the logs that have the class."""
    max_us: int
    variance_to_mean_us: int | None
    """None for a single event."""
    rows_examined: int | None
    rows_sent: int | None
    rows_examined_per_row_sent: float | None
    """None when no row was sent."""
    full_scans: int | None
    lock_time_us: int | None
    errors: int | None
    first_seen_us: int | None
    last_seen_us: int | None
    databases: tuple[str, ...]
    evidence: tuple[Evidence, ...]


class RankedSpan(Value, frozen=True, kw_only=True):
    """A function with its time in all profiles and in the worst one."""

    function: str
    file: str | None
    line: int | None
    calls: int
    profiles: int
    self_ns: int | None
    inclusive_ns: int | None
    worst_self_ns: int | None
    worst_inclusive_ns: int | None
    callers: tuple[CallerShare, ...]
    evidence: tuple[Evidence, ...]
    share: float | None
    """Its self cost in that of all functions that were measured alike, from 0 to 1."""
    metric: str
    """What the costs count where no time was measured, such as samples; else empty."""
    self_cost: int
    inclusive_cost: int


def rank_query(query: Query, all_time_us: int) -> RankedQuery:
    """Compute means, ratios and shares of a class."""
    sent, examined = query.rows_sent, query.rows_examined
    p95s = [part.p95_us for part in query.parts if part.p95_us is not None]
    return derive(
        RankedQuery,
        query,
        share=round(query.total_time_us / all_time_us, 4) if all_time_us else None,
        mean_us=query.total_time_us // query.count,
        p95_range_us=(min(p95s), max(p95s)) if len(p95s) == len(query.parts) else None,
        variance_to_mean_us=_variance_to_mean(query),
        rows_examined_per_row_sent=None
        if not sent or examined is None
        else round(examined / sent, 2),
        evidence=_slowest(query.parts),
    )


def _variance_to_mean(query: Query) -> int | None:
    """Return the sample variance over the mean, in exact arithmetic."""
    count, total, squares = query.count, query.total_time_us, query.squares_us2
    if count < 2 or total == 0 or squares is None:  # noqa: PLR2004 - one value has no variance
        return None
    return (count * squares - total * total) // ((count - 1) * total)


def _slowest(parts: tuple[QueryPart, ...]) -> tuple[Evidence, ...]:
    events = [
        msgspec.structs.replace(event, source=part.source)
        for part in parts
        for event in part.evidence
    ]
    events.sort(key=lambda event: (-(event.time_us or 0), event.source, event.byte or 0))
    return tuple(events[:_MAX_EVIDENCE])


def rank_spans(spans: Iterable[Span], profile_keys: Mapping[str, str]) -> list[RankedSpan]:
    """Add to each function its share, and the profile in which it took longest."""
    found = list(spans)
    totals: Counter[str] = Counter()
    for span in found:
        totals[span.metric] += span.self_ns or span.self_cost
    return [_ranked(span, profile_keys, totals[span.metric]) for span in found]


def _ranked(span: Span, profile_keys: Mapping[str, str], total: int) -> RankedSpan:
    worst = derive(
        Evidence,
        span,
        source=span.worst_source,
        byte=None,
        profile=profile_keys.get(span.worst_source),
        time_us=to_us(span.worst_self_ns),
    )
    own = span.self_ns or span.self_cost
    share = round(own / total, 4) if total else None
    return derive(RankedSpan, span, evidence=(worst,), share=share)
