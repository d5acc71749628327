"""Merge what several artefacts record of the same query, function or route."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchpin.core.calls import Job
from benchpin.performance.values import (
    CallerShare,
    Cost,
    Profile,
    ProfileOf,
    PublishedValue,
    Query,
    QueryClass,
    QueryPart,
    Sample,
    derive,
    to_us,
)

# Metrics of time, the preferred one first.
TIMES = ("wt", "ct")
_MAX_CALLERS = 5
_SUMS_IF_KNOWN = (
    "squares_us2",
    "lock_time_us",
    "rows_sent",
    "rows_examined",
    "full_scans",
    "errors",
)


# What a snapshot merges from its artefacts: functions, endpoints, totals and counts.


class FunctionSpan(PublishedValue, frozen=True, omit_defaults=True):
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


class Spread(PublishedValue, frozen=True):
    """The distribution of some times; quantiles by nearest rank."""

    count: int
    total_us: int
    squares_us2: int
    p50_us: int
    p95_us: int
    max_us: int


class Endpoint(PublishedValue, frozen=True):
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


class Totals(PublishedValue, frozen=True):
    """Times over the whole snapshot."""

    query_time_us: int
    wall_time_us: int
    """Of all profiled and all timed requests; one that was both counts twice."""
    profiled_wall_time_us: int
    timed_wall_time_us: int


class Counts(PublishedValue, frozen=True, omit_defaults=True):
    """How much a snapshot holds."""

    endpoints: int
    queries: int
    """Query classes."""
    query_events: int
    spans: int
    profiles: int
    samples: int
    plans: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was read: no query, call, timed request or plan."""
        return not (self.queries or self.query_events or self.spans or self.samples or self.plans)


def merge_queries(classes: Iterable[tuple[str, QueryClass]], job: Job) -> tuple[Query, ...]:
    """Merge classes, each with the SHA-256 of its log, by id; longest total time first."""
    by_id: dict[str, list[tuple[str, QueryClass]]] = defaultdict(list)
    for source, found in classes:
        by_id[found.query_id].append((source, found))
    groups = job.timed(by_id.values())
    queries = [_query(sorted(parts, key=lambda part: part[0])) for parts in groups]
    return tuple(sorted(queries, key=lambda query: (-query.total_time_us, query.query_id)))


def _query(found: Sequence[tuple[str, QueryClass]]) -> Query:
    classes = [part for _, part in found]
    slowest = min(classes, key=lambda part: (-part.max_us, part.example, part.fingerprint))
    parts = tuple(derive(QueryPart, part, source=source) for source, part in found)
    if len(classes) == 1:
        return derive(Query, slowest, parts=parts)
    return derive(
        Query,
        slowest,
        **{
            name: _sum_if_all_known([getattr(part, name) for part in classes])
            for name in _SUMS_IF_KNOWN
        },
        count=sum(part.count for part in classes),
        total_time_us=sum(part.total_time_us for part in classes),
        min_us=min(part.min_us for part in classes),
        p50_us=None,
        p95_us=None,
        first_seen_us=min(_known(part.first_seen_us for part in classes), default=None),
        last_seen_us=max(_known(part.last_seen_us for part in classes), default=None),
        databases=tuple(sorted({name for part in classes for name in part.databases})),
        users=tuple(sorted({name for part in classes for name in part.users})),
        parts=parts,
    )


def _known(values: Iterable[int | None]) -> list[int]:
    return [value for value in values if value is not None]


def _sum_if_all_known(values: Sequence[int | None]) -> int | None:
    """Add up, unless a log does not record it: the sum would look complete."""
    known = _known(values)
    return sum(known) if len(known) == len(values) else None


class _InProfile(NamedTuple):
    source: str
    cost: Cost
    own: int
    """Nanoseconds, or the metric of the profile if it did not measure time."""
    inclusive: int


# Name, file, a number for functions of one profile that share both, and what was measured.
_Key = tuple[str, str, int, str]


def merge_spans(profiles: Iterable[ProfileOf], job: Job) -> tuple[FunctionSpan, ...]:
    """Merge functions by name and file; most self time first."""
    found: dict[_Key, list[_InProfile]] = defaultdict(list)
    callers: dict[_Key, dict[str, list[CallerShare]]] = defaultdict(lambda: defaultdict(list))
    for source, profile in ((each.source, each.profile) for each in profiles):
        time, keys = time_index(profile), _keys(profile)
        for key, cost in job.timed(zip(keys, profile.functions, strict=True)):
            own, inclusive = cost.self[time or 0], cost.inclusive[time or 0]
            found[key].append(_InProfile(source, cost, own, inclusive))
        for edge in job.timed(profile.edges):
            caller = profile.functions[edge.caller].function
            took = None if time is None else edge.inclusive[time]
            callers[keys[edge.callee]][caller].append(CallerShare(caller, edge.calls, took))
    groups = job.timed(found.items())
    spans = [_span(rows, key[3], callers.get(key, {}).values()) for key, rows in groups]
    return tuple(
        sorted(
            spans,
            key=lambda it: (
                -(it.self_ns or 0),
                -it.self_cost,
                it.function,
                it.file or "",
                -it.calls,
            ),
        )
    )


def _keys(profile: Profile) -> list[_Key]:
    seen: Counter[tuple[str, str]] = Counter()
    metric = profile.metrics[0] if time_index(profile) is None else ""
    keys = []
    for cost in profile.functions:
        name = cost.function, cost.file or ""
        keys.append((*name, seen[name], metric))
        seen[name] += 1
    return keys


def _span(
    rows: Sequence[_InProfile], metric: str, callers: Iterable[Sequence[CallerShare]]
) -> FunctionSpan:
    worst = min(rows, key=lambda row: (-row.own, -row.inclusive, row.source))
    own, inclusive = sum(row.own for row in rows), sum(row.inclusive for row in rows)
    is_time = not metric
    merged = [
        CallerShare(
            function=calls[0].function,
            calls=sum(each.calls for each in calls),
            inclusive_ns=sum(known) if known else None,
        )
        for calls in callers
        for known in [_known(each.inclusive_ns for each in calls)]
    ]
    merged.sort(key=lambda each: (-(each.inclusive_ns or 0), -each.calls, each.function))
    return FunctionSpan(
        function=worst.cost.function,
        file=worst.cost.file,
        line=worst.cost.line,
        calls=sum(row.cost.calls for row in rows),
        self_ns=own if is_time else None,
        inclusive_ns=inclusive if is_time else None,
        profiles=len(rows),
        worst_self_ns=worst.own if is_time else None,
        worst_inclusive_ns=max(row.inclusive for row in rows) if is_time else None,
        worst_source=worst.source,
        deepest_recursion=max(row.cost.deepest_recursion for row in rows),
        callers=tuple(merged[:_MAX_CALLERS]),
        metric=metric,
        self_cost=0 if is_time else own,
        inclusive_cost=0 if is_time else inclusive,
    )


def time_index(profile: Profile) -> int | None:
    """Return the position of wall time among a profile's metrics, or else of processor time."""
    return next((profile.metrics.index(it) for it in TIMES if it in profile.metrics), None)


def wall_time_us(profile: Profile) -> int | None:
    """Return how long a profile took, from its metadata or else from its outermost calls."""
    if profile.request is not None and profile.request.wall_time_ns is not None:
        return to_us(profile.request.wall_time_ns)
    time = time_index(profile)
    if time is None:
        return None
    if not profile.tree:  # no stacks were recorded: every function's own time, once
        return to_us(sum(cost.self[time] for cost in profile.functions))
    return to_us(sum(node.inclusive[time] for node in profile.tree if node.parent < 0))


def length_of(profile: Profile) -> tuple[int, int]:
    """Return how long a profile took: its time, or else the sum of what it counted."""
    return wall_time_us(profile) or 0, sum(it.self[0] for it in profile.functions)


def route_of(profile: Profile) -> str | None:
    """Return the route that was profiled; a command has none."""
    return None if profile.request is None else profile.request.uri


def merge_endpoints(
    samples: Iterable[Sample], profiles: Iterable[ProfileOf], job: Job
) -> tuple[Endpoint, ...]:
    """Group timed and profiled requests by route, in alphabetical order."""
    timed: dict[str, list[Sample]] = defaultdict(list)
    for sample in job.timed(samples):
        timed[sample.route].append(sample)
    profiled: dict[str, list[int | None]] = defaultdict(list)
    for each in profiles:
        route = route_of(each.profile)
        if route is not None:
            profiled[route].append(wall_time_us(each.profile))
    return tuple(
        _endpoint(route, timed.get(route, []), profiled.get(route, []))
        for route in job.timed(sorted({*timed, *profiled}))
    )


def _endpoint(route: str, samples: Sequence[Sample], profiled: Iterable[int | None]) -> Endpoint:
    good = [sample for sample in samples if not sample.is_error]
    return Endpoint(
        route=route,
        samples=len(samples),
        errors=len(samples) - len(good),
        ttfb=spread(_known(sample.ttfb_us for sample in good)),
        wall=spread(_known(sample.wall_us for sample in good)),
        profiled_wall=spread(_known(profiled)),
    )


def spread(times: Iterable[int]) -> Spread | None:
    ordered = sorted(times)
    if not ordered:
        return None
    return Spread(
        count=len(ordered),
        total_us=sum(ordered),
        squares_us2=sum(time * time for time in ordered),
        p50_us=nearest_rank(ordered, 50),
        p95_us=nearest_rank(ordered, 95),
        max_us=ordered[-1],
    )


def nearest_rank(ordered: Sequence[int], percent: int) -> int:
    """Return the smallest value that at least this percentage of the values does not exceed."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
