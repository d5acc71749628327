"""Rank the content of a snapshot, and find what is too slow."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.performance.causes import Cause
from benchpin.performance.formats import Plans, QueryPlan
from benchpin.performance.slowlog import RepeatedQuery, find_repeated
from benchpin.performance.snapshots import Counts, Endpoint, FunctionSpan, Snapshot, Totals
from benchpin.performance.values import Evidence, PublishedValue, SourceFault

from ._advice import first_step_for_plan, plan_index, plan_signals, plans_by_query
from ._correlation import RequestCorrelation, correlate
from ._findings import (
    PerformanceFinding,
    endpoint_findings,
    exceeded_limits,
    query_findings,
    severity_order,
    shortened,
    worst_severity,
)
from ._ranked import (
    SEVERITIES,
    Metric,
    RankedQuery,
    RankedSpan,
    Rule,
    Severity,
    Signal,
    Threshold,
    Thresholds,
    open_questions,
    rank_query,
    rank_spans,
    readable_time,
    shares_of,
    thresholds_from,
)
from ._sent_queries import QuerySource
from ._span_findings import span_findings

MIN_TOP_N, MAX_TOP_N, DEFAULT_TOP_N = 1, 20, 5
MAX_FAULTS = 50
# Smaller shares say nothing.
_MIN_PERMILLE = 5
_MAX_FUNCTIONS = 200
_MAX_CHARS = 500
_TITLES: Mapping[Rule, str] = {
    "full_scans": "The plan scans a whole table",
    "nested_loop": "The plan loops over many rows",
    "sort_on_disk": "The plan sorts on disk",
    "wrong_estimate": "The plan is based on wrong estimates",
}


# Functions that take much of a profile, and what the workspace knows about them.


class HotSpan(PublishedValue, frozen=True, omit_defaults=True):
    """A function by its name in the profile, and its share of all self costs that it measured."""

    function: str
    file: str | None
    line: int | None
    share_permille: int
    metric: str = ""
    """What was counted where no time was measured."""


class HotFunction(Item):
    """A function of the workspace that takes much of a profile."""

    share: float
    """Its own cost in that of all functions, from 0 to 1."""
    function: str
    """Its name in the profile."""
    file: str
    symbol: str
    line: int
    certainty: Literal["certain", "likely"]
    """Likely where only its name, or only the name of its file, fits."""
    cyclomatic: int
    cognitive: int
    last_change: str | None = None
    """The date, who and why, of its newest line."""
    owner: str | None = None
    """Who wrote most of its lines."""
    tests: list[str] = Field(default_factory=list)
    """The most closely related ones."""
    tests_total: int = 0
    comments: list[str] = Field(default_factory=list)
    """Open comments on it."""


def hottest(spans: Iterable[FunctionSpan]) -> tuple[HotSpan, ...]:
    """Return the functions that take most themselves, the largest share first."""
    found = [
        HotSpan(
            function=it.function[:_MAX_CHARS],
            file=it.file[:_MAX_CHARS] if it.file else None,
            line=it.line,
            share_permille=permille,
            metric=it.metric,
        )
        for it, share in shares_of(spans)
        if (permille := round((share or 0) * 1000)) >= _MIN_PERMILLE
    ]
    return tuple(sorted(found, key=lambda it: (-it.share_permille, it.function))[:_MAX_FUNCTIONS])


class Summary(PublishedValue, frozen=True):
    """The most important counts."""

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


class Aggregates(PublishedValue, frozen=True):
    """The heaviest queries, functions and endpoints, and linked records."""

    counts: Counts
    totals: Totals
    endpoints: tuple[Endpoint, ...]
    """Slowest first, by the 95th percentile."""
    queries: tuple[RankedQuery, ...]
    """By total time."""
    spans: tuple[RankedSpan, ...]
    """By self time."""
    spans_by_inclusive: tuple[RankedSpan, ...]
    repeated_queries: tuple[RepeatedQuery, ...]
    """Longest total time first."""
    correlation: RequestCorrelation
    faults: tuple[SourceFault, ...]
    """The first of them."""


class Analysis(Item):
    """What to fix first, and the numbers behind it."""

    normalized_snapshot_id: str
    summary: Summary
    ranking_thresholds: dict[Metric, Threshold]
    open_questions: list[str]
    aggregates: Aggregates
    """The heaviest queries, functions and endpoints, repeated queries, and linked records."""
    findings: list[PerformanceFinding]
    """What exceeds a threshold, worst first; top_n of each kind, where the summary counts all."""
    findings_by_severity: dict[Severity, list[PerformanceFinding]]
    notices: list[str]
    """What was clamped or left out."""
    hot_functions: Annotated[list[HotFunction], Field(exclude_if=lambda it: not it)] = Field(
        default_factory=list
    )
    """Functions of the workspace, where they were asked for."""
    causes: Annotated[list[Cause], Field(exclude_if=lambda it: not it)] = Field(
        default_factory=list
    )
    """Why they are slow, the largest saving first."""
    query_sources: Annotated[list[QuerySource], Field(exclude_if=lambda it: not it)] = Field(
        default_factory=list
    )
    """Where the queries of findings are sent from, where that was asked for."""


def analyze(
    snapshot: Snapshot,
    *,
    top_n: int = DEFAULT_TOP_N,
    thresholds: Mapping[str, object] | None = None,
) -> Analysis:
    limits = thresholds_from(thresholds)
    limit = min(max(top_n, MIN_TOP_N), MAX_TOP_N)
    notices = []
    if limit != top_n:
        notices.append(f"top_n {top_n} was clamped to {limit} ({MIN_TOP_N} to {MAX_TOP_N}).")
    queries = [rank_query(each, snapshot.totals.query_time_us) for each in snapshot.queries]
    keys = {
        each.source: each.profile.request.key for each in snapshot.profiles if each.profile.request
    }
    spans, correlation = rank_spans(snapshot.spans, keys), correlate(snapshot)
    repeated = find_repeated(
        (connection for log in snapshot.slow_logs for connection in log.connections),
        snapshot.queries,
    )
    found = {
        "endpoints": endpoint_findings(snapshot, correlation.routes, limits),
        "queries": query_findings(
            queries, repeated, limits, snapshot.slow_logs, plans_by_query(snapshot.plans)
        ),
        "plans": plan_findings(snapshot.plans, limits),
        "functions": span_findings(spans, snapshot.spans, limits),
    }
    findings: list[PerformanceFinding] = []
    for name, each in found.items():
        findings += sorted(each, key=severity_order)[:limit]
        if len(each) > limit:
            more = counted(
                len(each) - limit, f"more finding about {name}", f"more findings about {name}"
            )
            notices.append(f"{more}; top_n is {limit}.")
    findings.sort(key=severity_order)
    return Analysis(
        normalized_snapshot_id=snapshot.id,
        summary=_summary(snapshot, [it for each in found.values() for it in each], limit),
        ranking_thresholds=limits,
        open_questions=open_questions(thresholds),
        aggregates=Aggregates(
            counts=snapshot.counts,
            totals=snapshot.totals,
            endpoints=tuple(sorted(snapshot.endpoints, key=slowest_first)[:limit]),
            queries=tuple(queries[:limit]),
            spans=tuple(spans[:limit]),
            spans_by_inclusive=tuple(sorted(spans, key=_longest_first)[:limit]),
            repeated_queries=tuple(repeated[:limit]),
            correlation=correlation,
            faults=snapshot.faults[:MAX_FAULTS],
        ),
        findings=findings,
        findings_by_severity={
            severity: [each for each in findings if each.severity == severity]
            for severity in SEVERITIES
        },
        notices=notices,
    )


def _summary(snapshot: Snapshot, findings: Sequence[PerformanceFinding], top_n: int) -> Summary:
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


def slowest_first(endpoint: Endpoint) -> tuple[int, str]:
    """Return the sort key of endpoints: by the 95th percentile, then by name."""
    return -endpoint.times.p95_us if endpoint.times else 0, endpoint.route


def _longest_first(row: RankedSpan) -> tuple[int, str]:
    return -(row.inclusive_ns or row.inclusive_cost), row.function


# Findings about plans.


def plan_findings(
    snapshot_plans: Iterable[Plans], thresholds: Thresholds
) -> list[PerformanceFinding]:
    return [
        _finding(plan, signals, each.source, thresholds)
        for each in snapshot_plans
        for plan in each.plans
        if (signals := plan_signals(plan))
    ]


def _finding(
    plan: QueryPlan, signals: tuple[Signal, ...], source: str, thresholds: Thresholds
) -> PerformanceFinding:
    exceeded = exceeded_limits(thresholds, {"query_total_time_ms": plan.time_us})
    tables = list(dict.fromkeys(step.table for step in plan.steps if step.table))
    subject = plan.fingerprint or f"a query of {', '.join(tables[:5]) or 'no table'}"
    said = " ".join(dict.fromkeys(signal.says for signal in signals))
    took = "" if plan.time_us is None else f"It took {readable_time(plan.time_us)}. "
    return PerformanceFinding(
        severity=worst_severity(exceeded),
        kind="plan",
        subject=plan.query_id or subject,
        title=f"{_TITLES[signals[0].rule]}: {shortened(subject)}",
        why=took + said,
        first_step=first_step_for_plan(plan),
        exceeded=exceeded,
        signals=signals,
        evidence=(Evidence(source=source, time_us=plan.time_us),),
        time_us=plan.time_us or 0,
        index=plan_index(plan),
    )
