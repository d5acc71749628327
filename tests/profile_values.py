"""Values as readers find them, made by hand or taken from a real WordPress session.

`wordpress_session.json` holds numbers of a session that was recorded with MariaDB's slow log, SPX
and a prober: each request is one connection. Classes are shortened; all values are as measured.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

import msgspec

from benchpin.performance.snapshots._merging import nearest_rank
from benchpin.performance.values import (
    ArtifactType,
    CallEdge,
    CallNode,
    Connection,
    Cost,
    Evidence,
    Profile,
    ProfiledRequest,
    QueryClass,
    Reading,
    Repetition,
    Sample,
    SlowLog,
    Source,
    Timings,
)

_SESSION = Path(__file__).parent / "fixtures/profiles/wordpress_session.json"

Event = tuple[str, int]
"""Class and time in microseconds."""


class Recorded(msgspec.Struct):
    """A connection of the session: its class numbers with times, and its first and last second."""

    id: int
    first: int
    last: int
    events: list[tuple[int, int]]


class Session(msgspec.Struct):
    classes: list[str]
    connections: list[Recorded]
    samples: list[tuple[str, int, int, int]]
    profiles: list[tuple[str, int, int]]

    def asked(self, connections: Iterable[Recorded]) -> list[tuple[Recorded, list[Event]]]:
        return [
            (each, [(self.classes[number], time) for number, time in each.events])
            for each in connections
        ]


def wordpress_session() -> Session:
    return msgspec.convert(json.loads(_SESSION.read_text(encoding="utf-8")), Session)


def source(number: int, kind: ArtifactType = "mysql_slow_log") -> Source:
    return Source(sha256=f"{number:064x}", size_bytes=number, type=kind, version="v1")


def log_reading(number: int, log: SlowLog) -> Reading:
    return Reading(sources=(source(number),), content=log)


def query_class(
    query_id: str, times: Sequence[int], *, full_scans: int | None = None, rows: int = 1
) -> QueryClass:
    ordered = sorted(times)
    slowest = ordered[-1]
    return QueryClass(
        query_id=query_id,
        fingerprint=f"select {query_id}",
        example=f"select {query_id}",
        count=len(ordered),
        total_time_us=sum(ordered),
        min_us=ordered[0],
        max_us=slowest,
        p50_us=nearest_rank(ordered, 50),
        p95_us=nearest_rank(ordered, 95),
        squares_us2=sum(time * time for time in ordered),
        lock_time_us=len(ordered),
        rows_sent=len(ordered),
        rows_examined=rows * len(ordered),
        full_scans=full_scans,
        errors=None,
        first_seen_us=1_000_000,
        last_seen_us=2_000_000,
        databases=("shop",),
        users=("web",),
        evidence=(Evidence(line=7, byte=210, time_us=slowest),),
    )


def connection(number: int, events: Sequence[Event], first: int = 1, last: int = 2) -> Connection:
    counts = Counter(query_id for query_id, _ in events)
    times: Counter[str] = Counter()
    for query_id, time in events:
        times[query_id] += time
    runs: dict[str, int] = defaultdict(int)
    for query_id, run in groupby(query_id for query_id, _ in events):
        runs[query_id] = max(runs[query_id], len(list(run)))
    return Connection(
        id=number,
        user="web",
        events=len(events),
        query_time_us=sum(time for _, time in events),
        first_seen_us=first * 1_000_000,
        last_seen_us=last * 1_000_000,
        repetitions=tuple(
            Repetition(
                query_id=query_id,
                count=count,
                total_time_us=times[query_id],
                longest_run=runs[query_id],
            )
            for query_id, count in sorted(counts.items())
            if count > 1
        ),
    )


def slow_log(
    classes: Sequence[QueryClass], connections: Sequence[Connection] = (), *, version: str = "v1"
) -> SlowLog:
    return SlowLog(
        version=version,
        server=None,
        events=sum(each.count for each in classes),
        total_time_us=sum(each.total_time_us for each in classes),
        lock_time_us=sum(each.lock_time_us or 0 for each in classes),
        first_seen_us=1_000_000,
        last_seen_us=2_000_000,
        classes=tuple(classes),
        connections=tuple(connections),
        connection_count=len(connections),
        is_complete=True,
    )


def log_of(recorded: Sequence[tuple[Recorded, Sequence[Event]]]) -> SlowLog:
    """Digest connections into a log; one that is given twice counts twice."""
    times: dict[str, list[int]] = defaultdict(list)
    connections = []
    for each, events in recorded:
        for query_id, time in events:
            times[query_id].append(time)
        connections.append(connection(each.id, events, each.first, each.last))
    return slow_log([query_class(name, them) for name, them in times.items()], connections)


def sample(
    route: str,
    wall_us: int = 1000,
    *,
    started_at_us: int | None = None,
    ttfb_us: int | None = None,
    status: int | None = 200,
    error: str | None = None,
) -> Sample:
    return Sample(
        route=route,
        url=f"http://shop.example{route}",
        method="GET",
        status=status,
        started_at_us=started_at_us,
        dns_us=None,
        connect_us=None,
        tls_us=None,
        ttfb_us=wall_us if ttfb_us is None else ttfb_us,
        wall_us=wall_us,
        error=error,
    )


def timings_reading(number: int, samples: Sequence[Sample]) -> Reading:
    content = Timings(version="collector-v1", samples=tuple(samples), is_complete=True)
    return Reading(sources=(source(number, "ttfb_timings"),), content=content)


def profile(
    route: str | None = "/",
    selves: Sequence[tuple[str, int]] = (("main", 1_000_000), ("work", 3_000_000)),
    *,
    started_at_us: int | None = None,
    wall_time_ns: int | None = None,
) -> Profile:
    """Make a profile of functions that each call the next once; times are their own, in ns."""
    inclusive = [sum(time for _, time in selves[place:]) for place in range(len(selves))]
    request = ProfiledRequest(
        key=f"spx-{route}",
        started_at_us=started_at_us,
        method="GET",
        uri=route,
        host=None,
        command=None,
        process_id=None,
        wall_time_ns=wall_time_ns,
        peak_memory_bytes=None,
        recorded_calls=None,
    )
    return Profile(
        version="spx-text-v0.4",
        metrics=("wt",),
        request=request,
        events=2 * len(selves),
        functions=tuple(
            Cost(function=name, calls=1, self=(time,), inclusive=(whole,))
            for (name, time), whole in zip(selves, inclusive, strict=True)
        ),
        edges=tuple(
            CallEdge(caller=place - 1, callee=place, calls=1, inclusive=(inclusive[place],))
            for place in range(1, len(selves))
        ),
        tree=tuple(
            CallNode(parent=place - 1, function=place, calls=1, self=(time,), inclusive=(whole,))
            for place, ((_, time), whole) in enumerate(zip(selves, inclusive, strict=True))
        ),
        is_complete=True,
    )


def profile_reading(number: int, content: Profile) -> Reading:
    return Reading(sources=(source(number, "spx"), source(number + 1000, "spx")), content=content)
