"""Find what is too slow: why it is a finding, where to check it, and what to do first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from benchpin.core.text import counted
from benchpin.performance.formats import QueryPlan
from benchpin.performance.slowlog import RepeatedQuery
from benchpin.performance.snapshots import Endpoint, Snapshot
from benchpin.performance.values import (
    Dialect,
    Evidence,
    PublishedValue,
    SlowLog,
    Timings,
)

from ._advice import (
    IndexAdvice,
    explain_of,
    first_step_for_plan,
    first_step_for_query,
    index_for,
    plan_index,
)
from ._correlation import RouteQueries
from ._ranked import (
    SEVERITIES,
    Metric,
    RankedQuery,
    Rule,
    Severity,
    Signal,
    Thresholds,
    query_signals,
    readable_time,
)

# Share of the first byte in the full response, below which sending takes too long.
_SERVER_SIDE = 0.8
# Share of queries in the full response from which on they come first.
_MOSTLY_QUERIES = 0.5
# Share of a connection's query time from which on repetition is a finding.
_MIN_REPETITION_SHARE = 0.1
_TITLE_LENGTH = 80
# Smaller shares would be shown as 0%.
_MIN_SHARE = 0.005


_SIGNAL_TITLES: Mapping[Rule, str] = {
    "share_of_time": "Most of the query time",
    "full_scans": "Scans whole tables",
    "rows_examined": "Reads many rows for few",
    "lock_wait": "Waits for locks",
    "two_speeds": "Sometimes much slower",
}
_QUERY_TITLES = {
    "query": "High total time",
    "n_plus_one": "N+1, one query for each row of another query",
    "repetition": "Repeated query",
}


class Exceeded(PublishedValue, frozen=True):
    """A threshold that was reached."""

    metric: Metric
    value_us: int
    threshold_ms: int
    severity: Severity

    @property
    def verdict(self) -> str:
        value = readable_time(self.value_us)
        return f"is {value}; {self.severity} begins at {self.threshold_ms:,} ms"


class PerformanceFinding(PublishedValue, frozen=True):
    """Something to fix."""

    severity: Severity
    kind: Literal["endpoint", "failure", "plan", "query", "n_plus_one", "repetition", "span"]
    subject: str
    """The route, the query's id or the function."""
    title: str
    why: str
    first_step: str
    exceeded: tuple[Exceeded, ...] = ()
    """Empty for what is a finding regardless of its time."""
    signals: tuple[Signal, ...] = ()
    """What stands out in proportion to the rest, the largest saving first."""
    evidence: tuple[Evidence, ...] = ()
    time_us: int = 0
    """Its time, in total or in the worst case; longer ones come first."""
    example: str | None = None
    """A query to try, its literals redacted."""
    explain: str | None = None
    """A statement to paste that shows its plan; of MySQL with samples for the redacted values."""
    index: IndexAdvice | None = None
    """The index to try, or why none helps, where the query reads too many rows."""


def severity_order(finding: PerformanceFinding) -> tuple[int, int, int, str, str]:
    """Return the sort key: severity, excess over the threshold, time, name."""
    excess = max((limit.value_us // limit.threshold_ms for limit in finding.exceeded), default=0)
    severity = SEVERITIES.index(finding.severity)
    return severity, -excess, -finding.time_us, finding.kind, finding.subject


def query_findings(
    rows: Iterable[RankedQuery],
    repeated: Iterable[RepeatedQuery],
    thresholds: Thresholds,
    logs: Iterable[SlowLog] = (),
    plans: Mapping[str, QueryPlan] | None = None,
) -> list[PerformanceFinding]:
    """Find classes with a high total time, and ones that connections run in a loop.

    `logs` are where they come from, which says in which dialect advice is written; the advice for a
    class that has a plan follows the plan.
    """
    dialects: dict[str, Dialect] = {
        it.source: "postgres" if it.version.startswith("postgresql") else "mysql" for it in logs
    }
    # A single query would help where the loop takes much time, and for N+1, which grows.
    loops = {
        it.query_id: it
        for it in repeated
        if it.kind == "n_plus_one" or it.time_us >= _MIN_REPETITION_SHARE * it.connections_time_us
    }
    found = []
    for row in rows:
        exceeded = exceeded_limits(thresholds, {"query_total_time_ms": row.total_time_us})
        loop, signals = loops.get(row.query_id), query_signals(row)
        if exceeded or loop or signals:
            dialect = dialects.get(row.evidence[0].source, "mysql") if row.evidence else "mysql"
            finding = _query_finding(row, loop, exceeded, signals, dialect)
            plan = (plans or {}).get(row.query_id)
            if plan is not None:  # the advice follows it instead of the text of the query
                step = finding.first_step if loop else first_step_for_plan(plan)
                index = plan_index(plan)
                finding = msgspec.structs.replace(finding, index=index, first_step=step)
            found.append(finding)
    return found


def _query_finding(
    row: RankedQuery,
    loop: RepeatedQuery | None,
    exceeded: tuple[Exceeded, ...],
    signals: tuple[Signal, ...],
    dialect: Dialect,
) -> PerformanceFinding:
    why = [
        f"{counted(row.count, 'event')} took {readable_time(row.total_time_us)} in total"
        + (f", {row.share:.0%} of all query time" if (row.share or 0) >= _MIN_SHARE else "")
        + f"; mean {readable_time(row.mean_us)}, slowest {readable_time(row.max_us)}."
    ]
    if loop is not None:
        why.append(
            f"{counted(loop.connections, 'connection')} ran it {loop.events:,} times, "
            f"connection {loop.worst_connection} alone {loop.most:,} times: {loop.reason}."
        )
    reported = {signal.rule for signal in signals}
    why += [signal.says for signal in signals if signal.rule != "share_of_time"]
    if row.full_scans and "full_scans" not in reported:
        why.append(f"{counted(row.full_scans, 'event')} scanned a whole table.")
    ratio = row.rows_examined_per_row_sent
    if ratio is not None and ratio > 1 and "rows_examined" not in reported:
        why.append(f"{ratio:,.1f} rows were examined per row sent.")
    kind = "query" if loop is None else loop.kind
    index = index_for(row, dialect)
    return PerformanceFinding(
        severity=worst_severity(exceeded),
        kind=kind,
        subject=row.query_id,
        title=f"{_query_title(kind, exceeded, signals)}: {shortened(row.fingerprint)}",
        why=" ".join(why),
        first_step=first_step_for_query(row, index, is_loop=loop is not None),
        exceeded=exceeded,
        signals=signals,
        evidence=row.evidence,
        time_us=row.total_time_us,
        example=row.example,
        explain=explain_of(row, dialect),
        index=index,
    )


def _query_title(kind: str, exceeded: tuple[Exceeded, ...], signals: tuple[Signal, ...]) -> str:
    """Return what is wrong in a few words: what was found in proportion if no limit is exceeded."""
    if kind == "query" and not exceeded and signals:
        causes = [signal.rule for signal in signals if signal.rule != "share_of_time"]
        return _SIGNAL_TITLES[causes[0] if causes else "share_of_time"]
    return _QUERY_TITLES[kind]


def endpoint_findings(
    snapshot: Snapshot, asked: Sequence[RouteQueries], thresholds: Thresholds
) -> list[PerformanceFinding]:
    """Find routes whose 95th percentile exceeds a threshold; `asked` has their queries."""
    queries = {each.route: each for each in asked}
    found = []
    for endpoint in snapshot.endpoints:
        wall = endpoint.wall or endpoint.profiled_wall
        times: dict[Metric, int | None] = {
            "endpoint_ttfb_ms": endpoint.ttfb.p95_us if endpoint.ttfb else None,
            "endpoint_wall_ms": wall.p95_us if wall else None,
        }
        exceeded = exceeded_limits(thresholds, times)
        if endpoint.errors:
            found.append(_failure(endpoint))
        if exceeded:
            evidence = _slowest_samples(endpoint.route, snapshot.timings)
            found.append(
                _endpoint_finding(endpoint, queries.get(endpoint.route), exceeded, evidence)
            )
    return found


def _failure(endpoint: Endpoint) -> PerformanceFinding:
    is_all = endpoint.errors == endpoint.samples
    return PerformanceFinding(
        severity="P1" if is_all else "P2",
        kind="failure",
        subject=endpoint.route,
        title=f"{'Always fails' if is_all else 'Sometimes fails'}: {shortened(endpoint.route)}",
        why=f"{endpoint.errors:,} of {counted(endpoint.samples, 'request')} failed or returned a "
        "status of 400 or above; their times are left out.",
        first_step="Fix the errors before looking at speed.",
    )


def _endpoint_finding(
    endpoint: Endpoint,
    asked: RouteQueries | None,
    exceeded: tuple[Exceeded, ...],
    evidence: tuple[Evidence, ...],
) -> PerformanceFinding:
    ttfb, wall = endpoint.ttfb, endpoint.wall
    why = [f"{counted(endpoint.samples, 'sample')}, {counted(endpoint.errors, 'error')}."]
    for name, times in (("First byte", ttfb), ("Full response", wall)):
        if times is not None:
            why.append(
                f"{name}: p50 {readable_time(times.p50_us)}, p95 {readable_time(times.p95_us)}, "
                f"max {readable_time(times.max_us)}."
            )
    profiled = endpoint.profiled_wall
    if wall is None and profiled is not None:
        why.append(
            f"Under the profiler, which adds time: p95 {readable_time(profiled.p95_us)} in "
            f"{counted(profiled.count, 'profile')}."
        )
    if asked is not None:
        why.append(
            f"On average its {asked.events:,} queries take {readable_time(asked.query_time_us)} of "
            f"{readable_time(asked.wall_time_us)}."
        )
    return PerformanceFinding(
        severity=worst_severity(exceeded),
        kind="endpoint",
        subject=endpoint.route,
        title=f"Slow endpoint: {shortened(endpoint.route)}",
        why=" ".join(why),
        first_step=_first_step_for_endpoint(endpoint, asked),
        exceeded=exceeded,
        evidence=evidence,
        time_us=max(limit.value_us for limit in exceeded),
    )


def _first_step_for_endpoint(endpoint: Endpoint, asked: RouteQueries | None) -> str:
    ttfb, wall = endpoint.ttfb, endpoint.wall
    if ttfb is not None and wall is not None and ttfb.p95_us < _SERVER_SIDE * wall.p95_us:
        return "Much of the time is spent after the first byte: send less data, or compress it."
    if asked is not None and asked.query_time_us >= _MOSTLY_QUERIES * asked.wall_time_us:
        return "Most of the time is spent in queries: start with the slowest."
    if endpoint.profiled_wall is not None:
        return "The time is spent on the server: look at the flame graph of this route."
    return "The time is spent on the server: profile this route."


def _slowest_samples(route: str, timings: Sequence[Timings]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(source=each.source, time_us=max(times))
        for each in timings
        if (times := [it.wall_us or it.ttfb_us or 0 for it in each.samples if it.route == route])
    )


def exceeded_limits(
    thresholds: Thresholds, times_us: Mapping[Metric, int | None]
) -> tuple[Exceeded, ...]:
    return tuple(
        Exceeded(metric, time_us, threshold_ms=found[1], severity=found[0])
        for metric, time_us in times_us.items()
        if time_us is not None and (found := thresholds[metric].exceeded_by(time_us))
    )


def worst_severity(exceeded: Iterable[Exceeded]) -> Severity:
    """Return the worst severity; a finding below every threshold is P2."""
    return min((limit.severity for limit in exceeded), default="P2")


def shortened(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _TITLE_LENGTH else one_line[: _TITLE_LENGTH - 1] + "…"
