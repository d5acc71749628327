"""Rank what a snapshot holds, and find what is too slow."""

from collections import Counter
from collections.abc import Mapping, Sequence

from .contents import Counts, Endpoint, SourceFault, Totals
from .correlation import Correlation, correlate
from .findings import (
    Finding,
    endpoint_findings,
    query_findings,
    severity_order,
    span_findings,
)
from .model import Value
from .rows import QueryRow, SpanRow, query_row, span_row
from .slowlog.nplusone import Repeated, find_repeated
from .snapshot import Snapshot
from .thresholds import SEVERITIES, Metric, Severity, Threshold, open_questions, thresholds_from

MIN_TOP_N, MAX_TOP_N, DEFAULT_TOP_N = 1, 20, 5
MAX_FAULTS = 50


class Summary(Value, frozen=True):
    """The numbers that come first."""

    endpoint_count: int
    query_count: int
    query_event_count: int
    span_count: int
    finding_count: int
    p0_count: int
    p1_count: int
    p2_count: int
    top_n: int
    fault_count: int
    """Places in the artefacts that could not be read."""


class Aggregates(Value, frozen=True):
    """The heaviest of everything, and what belongs together."""

    counts: Counts
    totals: Totals
    endpoints: tuple[Endpoint, ...]
    """Slowest first, by the 95th percentile of the whole answer."""
    queries: tuple[QueryRow, ...]
    """By total time."""
    spans: tuple[SpanRow, ...]
    """By time of their own."""
    spans_by_inclusive: tuple[SpanRow, ...]
    repeated_queries: tuple[Repeated, ...]
    """What takes longest first."""
    correlation: Correlation
    faults: tuple[SourceFault, ...]
    """The first of them."""


class Analysis(Value, frozen=True):
    """What to fix first, and what that is based on."""

    normalized_snapshot_id: str
    summary: Summary
    ranking_thresholds: dict[Metric, Threshold]
    open_questions: tuple[str, ...]
    aggregates: Aggregates
    findings: tuple[Finding, ...]
    """Worst first."""
    findings_by_severity: dict[Severity, tuple[Finding, ...]]
    notices: tuple[str, ...]
    """What was clamped or cut."""


def analyze(
    snapshot: Snapshot,
    *,
    top_n: int = DEFAULT_TOP_N,
    thresholds: Mapping[str, object] | None = None,
) -> Analysis:
    """Rank queries, functions and routes, and find those over the limits.

    Raises:
        InvalidParams: when the thresholds cannot be used.
    """
    limits = thresholds_from(thresholds)
    limit = min(max(top_n, MIN_TOP_N), MAX_TOP_N)
    notices = []
    if limit != top_n:
        notices.append(f"top_n {top_n} was clamped to {limit} ({MIN_TOP_N} to {MAX_TOP_N}).")
    queries, spans, correlation = _query_rows(snapshot), _span_rows(snapshot), correlate(snapshot)
    repeated = find_repeated(
        (connection for log in snapshot.slow_logs for connection in log.connections),
        snapshot.queries,
    )
    found = {
        "endpoints": endpoint_findings(snapshot, correlation.routes, limits),
        "queries": query_findings(queries, repeated, limits),
        "functions": span_findings(spans, snapshot.spans, limits),
    }
    findings: list[Finding] = []
    for name, each in found.items():
        findings += sorted(each, key=severity_order)[:limit]
        if len(each) > limit:
            notices.append(f"{len(each) - limit} more {name} are findings; top_n is {limit}.")
    findings.sort(key=severity_order)
    return Analysis(
        normalized_snapshot_id=snapshot.id,
        summary=_summary(snapshot, findings, limit),
        ranking_thresholds=limits,
        open_questions=tuple(open_questions(thresholds)),
        aggregates=Aggregates(
            counts=snapshot.counts,
            totals=snapshot.totals,
            endpoints=tuple(sorted(snapshot.endpoints, key=_slowest_first)[:limit]),
            queries=tuple(queries[:limit]),
            spans=tuple(spans[:limit]),
            spans_by_inclusive=tuple(sorted(spans, key=_longest_first)[:limit]),
            repeated_queries=tuple(repeated[:limit]),
            correlation=correlation,
            faults=snapshot.faults[:MAX_FAULTS],
        ),
        findings=tuple(findings),
        findings_by_severity={
            severity: tuple(each for each in findings if each.severity == severity)
            for severity in SEVERITIES
        },
        notices=tuple(notices),
    )


def _query_rows(snapshot: Snapshot) -> list[QueryRow]:
    return [query_row(each, snapshot.totals.query_time_us) for each in snapshot.queries]


def _span_rows(snapshot: Snapshot) -> list[SpanRow]:
    keys = {
        each.source: each.profile.request.key for each in snapshot.profiles if each.profile.request
    }
    return [span_row(each, keys) for each in snapshot.spans]


def _summary(snapshot: Snapshot, findings: Sequence[Finding], top_n: int) -> Summary:
    severities = Counter(each.severity for each in findings)
    return Summary(
        endpoint_count=snapshot.counts.endpoints,
        query_count=snapshot.counts.queries,
        query_event_count=snapshot.counts.query_events,
        span_count=snapshot.counts.spans,
        finding_count=len(findings),
        p0_count=severities["P0"],
        p1_count=severities["P1"],
        p2_count=severities["P2"],
        top_n=top_n,
        fault_count=len(snapshot.faults),
    )


def _slowest_first(endpoint: Endpoint) -> tuple[int, str]:
    times = endpoint.wall or endpoint.ttfb or endpoint.profiled_wall
    return -times.p95_us if times else 0, endpoint.route


def _longest_first(row: SpanRow) -> tuple[int, str]:
    return -(row.inclusive_ns or 0), row.function
