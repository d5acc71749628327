"""Query classes and functions with the numbers that follow from their sums."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import msgspec

from benchpin.core.errors import InvalidParams
from benchpin.core.text import counted, plain
from benchpin.performance.snapshots import Counts, FunctionSpan
from benchpin.performance.values import (
    CallerShare,
    Evidence,
    PublishedValue,
    Query,
    QueryPart,
    derive,
    to_us,
)

Severity = Literal["P0", "P1", "P2"]
SEVERITIES: tuple[Severity, ...] = ("P0", "P1", "P2")
Metric = Literal[
    "endpoint_ttfb_ms",
    "endpoint_wall_ms",
    "query_total_time_ms",
    "span_self_ms",
    "span_total_ms",
]
# The names of metrics for people.
METRIC_NAMES: Mapping[Metric, str] = {
    "endpoint_ttfb_ms": "Time to the first byte of an endpoint",
    "endpoint_wall_ms": "Full response of an endpoint",
    "query_total_time_ms": "Total time of a query",
    "span_self_ms": "Own time of a function",
    "span_total_ms": "Time of a function with its callees",
}
_US_PER_MS = 1000


class Threshold(PublishedValue, frozen=True):
    """The limits of a metric in milliseconds."""

    P0: int
    P1: int
    P2: int
    source: Literal["default_conservative", "provided"]

    def exceeded_by(self, time_us: int) -> tuple[Severity, int] | None:
        """Return the severity of a time and its limit in ms, or None below every limit."""
        limits: dict[Severity, int] = {"P0": self.P0, "P1": self.P1, "P2": self.P2}
        return next((it for it in limits.items() if time_us >= it[1] * _US_PER_MS), None)


Thresholds = Mapping[Metric, Threshold]

DEFAULTS: Thresholds = {
    "endpoint_ttfb_ms": Threshold(1500, 800, 300, "default_conservative"),
    "endpoint_wall_ms": Threshold(2000, 1000, 400, "default_conservative"),
    "query_total_time_ms": Threshold(10_000, 3000, 1000, "default_conservative"),
    "span_self_ms": Threshold(800, 300, 100, "default_conservative"),
    "span_total_ms": Threshold(1500, 700, 250, "default_conservative"),
}


def thresholds_from(given: Mapping[str, object] | None) -> dict[Metric, Threshold]:
    """Merge given limits into the defaults; they must be positive whole numbers in order."""
    unknown = sorted(set(given or {}) - set(DEFAULTS))
    if unknown:
        raise InvalidParams(
            f"thresholds has no metric {unknown[0]!r}",
            suggestion=f"Use any of {', '.join(DEFAULTS)}.",
            data={"field": f"thresholds.{unknown[0]}"},
        )
    return {
        metric: _provided(metric, given[metric]) if given and metric in given else default
        for metric, default in DEFAULTS.items()
    }


def _provided(metric: Metric, value: object) -> Threshold:
    if not isinstance(value, Mapping) or set(value) != set(SEVERITIES):
        raise _refused(metric, "needs exactly P0, P1 and P2")
    limits = [value[severity] for severity in SEVERITIES]
    if any(isinstance(each, bool) or not isinstance(each, int) or each < 1 for each in limits):
        raise _refused(metric, "takes only positive whole numbers")
    if not limits[0] >= limits[1] >= limits[2]:
        raise _refused(metric, "must have P0 >= P1 >= P2")
    p0, p1, p2 = limits
    return Threshold(p0, p1, p2, "provided")


def _refused(metric: Metric, rule: str) -> InvalidParams:
    default = DEFAULTS[metric]
    return InvalidParams(
        f"thresholds.{metric} {rule}",
        suggestion=(
            f'Give milliseconds, such as {{"P0":{default.P0},"P1":{default.P1},"P2":{default.P2}}}.'
        ),
        data={"field": f"thresholds.{metric}"},
    )


def open_questions(given: Mapping[str, object] | None) -> list[str]:
    if given:
        return []
    return [
        f'OPEN_QUESTION: provide params.thresholds.{metric} as {{"P0":int,"P1":int,"P2":int}} '
        "to replace conservative defaults."
        for metric in DEFAULTS
    ]


_MAX_EVIDENCE = 3
_FINE_BELOW_US = 10_000
_SECONDS_FROM_US = 10_000_000
_METRICS = {"wt": "wall time", "ct": "CPU time", "it": "idle time", "zm": "memory"}
Rule = Literal[
    "share_of_time",
    "full_scans",
    "rows_examined",
    "lock_wait",
    "two_speeds",
    "many_calls",
    "nested_loop",
    "sort_on_disk",
    "wrong_estimate",
]
# The share of all query time, or of the time of all functions, from which on it comes first.
_LARGE_SHARE = 0.25
# Below that, nothing is worth changing.
_MIN_SHARE = 0.05
_MIN_TIME_US = 50_000
# Fewer are chance: a share of a quarter would be 13 samples, give or take 6.
_MIN_SAMPLES = 50
_MOSTLY = 0.5
# Rows examined by one event; a scan of fewer is no problem.
_MANY_ROWS = 1_000
_ROWS_FOR_ONE = 100
_MUCH_LOCKING = 0.3
_MIN_EVENTS = 20
_TIMES_SLOWER = 10
_MIN_DIFFERENCE_US = 10_000
# The number of calls in one profile from which on fewer calls help.
_MANY_CALLS = 1_000
# Names that profilers give to waiting and to what they cannot see.
_NOT_WORK = frozenset({"(idle)", "(program)", "(root)", "[idle]", "(other)", "(unknown)", "<idle>"})


class RankedQuery(PublishedValue, frozen=True):
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


class RankedSpan(PublishedValue, frozen=True, kw_only=True):
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

    @property
    def own_cost(self) -> str:
        """The time that it took itself, or what was counted instead, in words."""
        if self.metric:
            return f"{self.self_cost:,} {self.metric}"
        return readable_time(to_us(self.self_ns) or 0)


def rank_query(query: Query, all_time_us: int) -> RankedQuery:
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


def shares_of(spans: Iterable[FunctionSpan]) -> Iterator[tuple[FunctionSpan, float | None]]:
    """Yield functions, each with its share of the self cost of all that were measured alike."""
    found = list(spans)
    totals: Counter[str] = Counter()
    for span in found:
        # A cost below 0, such as of memory that is freed, must not make the others more than all.
        totals[span.metric] += max(0, span.self_ns or span.self_cost)
    for span in found:
        own, total = max(0, span.self_ns or span.self_cost), totals[span.metric]
        yield span, round(own / total, 4) if total else None


def rank_spans(spans: Iterable[FunctionSpan], profile_keys: Mapping[str, str]) -> list[RankedSpan]:
    """Add to each function its share, and the profile in which it took longest."""
    return [
        derive(RankedSpan, span, evidence=(_worst(span, profile_keys),), share=share)
        for span, share in shares_of(spans)
    ]


def _worst(span: FunctionSpan, profile_keys: Mapping[str, str]) -> Evidence:
    source = span.worst_source
    return Evidence(
        source=source,
        line=span.line,
        time_us=to_us(span.worst_self_ns),
        profile=profile_keys.get(source),
        function=span.function,
        file=span.file,
        callers=span.callers,
    )


# Times, metrics and counts in the words that results and reports share.


def readable_time(time_us: int) -> str:
    """Return a time in ms or s, with about three digits."""
    if time_us < _FINE_BELOW_US:
        return f"{time_us / 1000:,.3f} ms"
    if time_us < _SECONDS_FROM_US:
        return f"{time_us / 1000:,.0f} ms"
    return f"{time_us / 1_000_000:,.1f} s"


def metric_name(metric: str) -> str:
    if metric in _METRICS:
        return _METRICS[metric]
    return plain(metric.removesuffix("_ns").removesuffix("_bytes").replace("_", " "))


def describe_counts(counts: Counts) -> str:
    """Return how much a snapshot holds; what it lacks is left out."""
    classes = counted(counts.queries, "class", "classes")
    profiles = counted(counts.profiles, "profile")
    parts = {
        f"{counted(counts.query_events, 'query event')} in {classes}": counts.queries,
        f"{counted(counts.spans, 'function')} in {profiles}": counts.profiles,
        counted(counts.samples, "timed request"): counts.samples,
        counted(counts.endpoints, "endpoint"): counts.endpoints,
        counted(counts.plans, "plan"): counts.plans,
    }
    return ", ".join(part for part, count in parts.items() if count) or "nothing"


# Find what is slow in proportion to the rest; no limit of time has to be exceeded.
#
# A rule needs a share of the whole, so that what is fine is not reported, and says what could be
# saved at most if its cause were gone.


class Signal(PublishedValue, frozen=True):
    """A rule that fits, with the numbers behind it."""

    rule: Rule
    says: str
    could_save_us: int
    """The most that fixing it could save, of all time that was measured."""


def query_signals(row: RankedQuery) -> tuple[Signal, ...]:
    """Return what stands out about a query class, the largest saving first."""
    if (row.share or 0) < _MIN_SHARE or row.total_time_us < _MIN_TIME_US:
        return ()
    return tuple(sorted(_of_query(row), key=lambda it: -it.could_save_us))


def _of_query(row: RankedQuery) -> Iterator[Signal]:
    total, ratio = row.total_time_us, row.rows_examined_per_row_sent
    rows = (row.rows_examined or 0) // row.count
    locked = min(row.lock_time_us or 0, total)  # servers count some waits twice
    if (row.share or 0) >= _LARGE_SHARE:
        yield Signal("share_of_time", f"It takes {row.share:.0%} of all query time.", total)
    # Where rows are not logged, only scans that read many for few are counted.
    is_large = row.rows_examined is None or rows >= _MANY_ROWS
    if row.full_scans and row.full_scans >= _MOSTLY * row.count and is_large:
        says = f"{row.full_scans:,} of {counted(row.count, 'event')} scan a whole table."
        yield Signal("full_scans", says, total)
    if ratio is not None and ratio >= _ROWS_FOR_ONE and rows >= _MANY_ROWS:
        says = f"It reads {ratio:,.0f} rows for each row that it sends."
        yield Signal("rows_examined", says, round(total * (1 - 1 / ratio)))
    if locked >= _MUCH_LOCKING * total:
        says = f"{locked / total:.0%} of its time is waiting for locks."
        yield Signal("lock_wait", says, locked)
    yield from _two_speeds(row)


def _two_speeds(row: RankedQuery) -> Iterator[Signal]:
    """A class that is usually fast and sometimes very slow has two plans, or waits."""
    usual, slow = row.p50_us, row.p95_us
    if usual is None or slow is None or row.count < _MIN_EVENTS:
        return
    if slow >= _TIMES_SLOWER * usual and slow - usual >= _MIN_DIFFERENCE_US:
        says = (
            f"Half of its events take at most {readable_time(usual)}, but one in twenty at least "
            f"{readable_time(slow)}."
        )
        yield Signal("two_speeds", says, max(0, row.total_time_us - row.count * usual))


def span_signals(row: RankedSpan) -> tuple[Signal, ...]:
    """Return what stands out about a function: it dominates, or is called very often."""
    share = row.share or 0
    own_us = to_us(row.self_ns) or 0
    is_enough = row.self_cost >= _MIN_SAMPLES if row.metric else own_us >= _MIN_TIME_US
    if row.function in _NOT_WORK or not is_enough or share < _MIN_SHARE:
        return ()
    found = []
    if share >= _LARGE_SHARE:
        what = f"all {row.metric}" if row.metric else "the time of all functions"
        found.append(Signal("share_of_time", f"It takes {share:.0%} of {what} itself.", own_us))
    calls = row.calls // row.profiles
    if calls >= _MANY_CALLS and share >= 2 * _MIN_SHARE:
        found.append(Signal("many_calls", f"It is called {calls:,} times in a profile.", own_us))
    return tuple(found)
