"""Pictures of a snapshot: which queries matter, and where the time of a request goes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from benchpin.core.text import counted
from benchpin.performance.findings import RankedQuery, RankedSpan, RequestCorrelation, readable_time
from benchpin.performance.snapshots import Snapshot
from benchpin.performance.values import Sample
from benchpin.present.pictures import VEGA_LITE, Picture, PictureRow, Specification, bars

R = TypeVar("R")
_US_PER_MS = 1000
# Queries with their text beside the point.
_NAMED = 3
_SHORT = 28
_ROUTES = 15
_ROW_HEIGHT = 26
_PHASES = ("name lookup", "connecting", "TLS", "server, not queries", "queries", "receiving")
_COLOURS = ("#bbbbbb", "#999999", "#777777", "#56b4e9", "#d55e00", "#009e73")


def _query_rows(queries: Sequence[RankedQuery]) -> list[PictureRow]:
    """Return the points of the scatter; the queries with the longest total have a name."""
    return [
        {
            "query": query.fingerprint,
            "name": query.fingerprint[:_SHORT] if place < _NAMED else "",
            "events": query.count,
            "mean": max(query.mean_us, 1) / _US_PER_MS,
            "total": query.total_time_us / _US_PER_MS,
            "link": f"#query-{query.query_id}",
        }
        for place, query in enumerate(queries)
    ]


def _seen_in_queries(rows: Sequence[PictureRow]) -> str:
    first = rows[0]
    total = readable_time(round(float(first["total"] or 0) * _US_PER_MS))
    return (
        f"{counted(len(rows), 'query class', 'query classes')} by how often they ran and how long "
        f"one took. The one with the longest total, {total}: {str(first['query'])[:120]}"
    )


_TIMES = (
    {"field": "query", "title": "Query"},
    {"field": "events", "type": "quantitative", "title": "Events", "format": ","},
    {"field": "mean", "type": "quantitative", "title": "Mean (ms)", "format": ",.3~f"},
    {"field": "total", "type": "quantitative", "title": "Total (ms)", "format": ",.1~f"},
)
_LOG: Mapping[str, object] = {
    "type": "quantitative",
    "scale": {"type": "log", "nice": False, "padding": 20},
    "axis": {"tickCount": 3, "format": "~g"},
}
_EVENTS = {"field": "events", "title": "Events (log scale)", **_LOG}
_MEAN = {"field": "mean", "title": "Mean time in ms (log scale)", **_LOG}


def _names(half: str, align: str, shift: int) -> dict[str, object]:
    """Return the names of points in one half of the width, on the side that has room."""
    extremes = [{"op": op, "field": "events", "as": op} for op in ("min", "max")]
    middle = f"datum.name && datum.events * datum.events {half} datum.min * datum.max"
    limit = {"expr": f"min(170, 0.45 * width - {abs(shift)})"}
    return {
        "transform": [{"joinaggregate": extremes}, {"filter": middle}],
        "mark": {"type": "text", "align": align, "dx": shift, "limit": limit},
        "encoding": {"text": {"field": "name"}},
    }


_SCATTER: Specification = {
    "$schema": VEGA_LITE,
    "data": {"name": "rows"},
    "height": 360,
    "encoding": {"x": _EVENTS, "y": _MEAN},
    "layer": [
        {
            "mark": {"type": "circle", "opacity": 0.75, "color": "#0072b2", "cursor": "pointer"},
            "encoding": {
                "size": {
                    "field": "total",
                    "type": "quantitative",
                    "title": "Total (ms)",
                    "scale": {"range": [30, 900]},
                    "legend": {"orient": "bottom", "tickCount": 4},
                },
                "tooltip": list(_TIMES),
            },
        },
        _names("<", "left", 12),
        _names(">=", "right", -12),
    ],
}


def _timeline_rows(snapshot: Snapshot, found: RequestCorrelation) -> list[PictureRow]:
    """Return the phases of the slowest successful request of each route, slowest route first."""
    queries = {link.sample: link.query_time_us for link in found.links if link.query_time_us}
    return [
        row
        for wall, key, sample in _slowest(snapshot)
        for row in _phases(sample, wall, queries.get(key) or 0)
    ]


def _slowest(snapshot: Snapshot) -> list[tuple[int, tuple[str, int], Sample]]:
    """Return the slowest sample of each route with its time and its place, slowest first."""
    slowest: dict[str, tuple[int, tuple[str, int], Sample]] = {}
    for timings in snapshot.timings:
        for place, sample in enumerate(timings.samples):
            wall = sample.wall_us
            if wall and not sample.is_error and wall > slowest.get(sample.route, (0,))[0]:
                slowest[sample.route] = wall, (timings.source, place), sample
    return sorted(slowest.values(), key=lambda it: (-it[0], it[2].route))[:_ROUTES]


def _phases(sample: Sample, wall_us: int, query_us: int) -> Iterator[PictureRow]:
    before = (sample.dns_us or 0, sample.connect_us or 0, sample.tls_us or 0)
    first_byte = min(sample.ttfb_us or wall_us, wall_us)
    server = max(0, first_byte - sum(before))
    asked = min(query_us, server)
    start = 0
    for phase, took in zip(
        _PHASES, (*before, server - asked, asked, wall_us - first_byte), strict=True
    ):
        if took:
            yield {
                "route": sample.route,
                "phase": phase,
                "start": start / _US_PER_MS,
                "end": (start + took) / _US_PER_MS,
                "took": took / _US_PER_MS,
            }
        start += took


def _seen_in_timeline(rows: Sequence[PictureRow]) -> str:
    routes = {row["route"] for row in rows}
    longest = max(rows, key=lambda row: float(row["took"] or 0))
    took = readable_time(round(float(longest["took"] or 0) * _US_PER_MS))
    return (
        f"The slowest request of {counted(len(routes), 'route')}. The longest phase is "
        f"{longest['phase']} of {longest['route']}: {took}. Queries are summed up."
    )


_TIMELINE: Specification = {
    "$schema": VEGA_LITE,
    "data": {"name": "rows"},
    "mark": {"type": "bar", "height": 18},
    "encoding": {
        "y": {"field": "route", "type": "nominal", "sort": None, "title": None},
        "x": {"field": "start", "type": "quantitative", "title": "Time since the start (ms)"},
        "x2": {"field": "end"},
        "color": {
            "field": "phase",
            "type": "nominal",
            "title": "Phase",
            "scale": {"domain": list(_PHASES), "range": list(_COLOURS)},
            "legend": {"orient": "bottom", "columns": 3},
        },
        "tooltip": [
            {"field": "route", "title": "Route"},
            {"field": "phase", "title": "Phase"},
            {"field": "took", "type": "quantitative", "title": "ms", "format": ",.3~f"},
        ],
    },
}


def query_picture(queries: Callable[[R], Sequence[RankedQuery]]) -> Picture[R]:
    return Picture(
        name="queries",
        title="Queries by count and time",
        rows=lambda report: _query_rows(queries(report)),
        spec=_SCATTER,
        alt=lambda _, rows: _seen_in_queries(rows),
        text=bars("query", "total", ",.1f"),
        link="link",
    )


REQUESTS = Picture[tuple[Snapshot, RequestCorrelation]](
    name="requests",
    title="The slowest request of each endpoint",
    rows=lambda given: _timeline_rows(*given),
    spec=lambda given: {**_TIMELINE, "height": _ROW_HEIGHT * len(_slowest(given[0]))},
    alt=lambda _, rows: _seen_in_timeline(rows),
)


def function_picture(spans: Callable[[R], Sequence[RankedSpan]]) -> Picture[R]:
    return Picture(
        name="functions",
        title="Functions by their own cost",
        rows=lambda report: _function_rows(spans(report)),
        spec=lambda report: {**_BARS, "height": _ROW_HEIGHT * len(spans(report))},
        alt=lambda _, rows: f"{rows[0]['function']} has the most: {rows[0]['cost']}",
        text=bars("function", "share", ".0%"),
    )


def _function_rows(spans: Sequence[RankedSpan]) -> list[PictureRow]:
    return [
        {
            "function": span.function,
            "share": span.share or 0.0,
            "cost": span.own_cost,
            "calls": span.calls,
        }
        for span in spans
    ]


_BARS: Specification = {
    "$schema": VEGA_LITE,
    "data": {"name": "rows"},
    "mark": {"type": "bar", "color": "#0072b2"},
    "encoding": {
        "y": {
            "field": "function",
            "type": "nominal",
            "sort": None,
            "title": None,
            "axis": {"labelLimit": 420},
        },
        "x": {
            "field": "share",
            "type": "quantitative",
            "title": "Share of all that was measured",
            "axis": {"format": ".0%"},
        },
        "tooltip": [
            {"field": "function", "title": "Function"},
            {"field": "cost", "title": "Itself"},
            {"field": "calls", "type": "quantitative", "title": "Calls", "format": ","},
        ],
    },
}
