"""The tables of an analysis: of its report, for Markdown and for the page, and of the tool.

Columns that are details are in the Markdown only: a page of 1,280 pixels has no room for them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchpin.core.text import counted
from benchpin.performance.findings import (
    METRIC_NAMES,
    Aggregates,
    Analysis,
    HotFunction,
    RankedQuery,
    Thresholds,
    describe_counts,
    readable_time,
)
from benchpin.performance.snapshots import Spread
from benchpin.performance.values import Source, to_us
from benchpin.present import Column, Table, location

SHORT_HASH = 12
_Columns = Sequence[Column[Any]]


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table with its rows."""

    title: str
    rows: Sequence[Any]
    columns: _Columns
    anchor: Callable[[Any], str] = lambda _row: ""
    """What a link to a row in the page is called."""


def _code(name: str, value: Callable[[Any], str | None]) -> Column[Any]:
    return Column(name, value, is_code=True)


def _time(name: str, value: Callable[[Any], int | None], *, is_detail: bool = False) -> Column[Any]:
    return Column(name, value, show=lambda it: readable_time(value(it) or 0), is_detail=is_detail)


def _quantile(title: str, spread: str, name: str, *, is_detail: bool = False) -> Column[Any]:
    def value(row: object) -> int | None:
        found: Spread | None = getattr(row, spread)
        return None if found is None else getattr(found, name)

    return _time(title, value, is_detail=is_detail)


def _cost(title: str, time_ns: str, cost: str) -> Column[Any]:
    """Return a column of times, or of what was counted instead."""

    def value(row: Any) -> int | None:
        return getattr(row, cost) if row.metric else to_us(getattr(row, time_ns))

    def show(row: Any) -> str:
        number = value(row) or 0
        return f"{number:,} {row.metric}" if row.metric else readable_time(number)

    return Column(title, value, show=show)


def _p95(query: RankedQuery) -> int | None:
    return query.p95_us if query.p95_range_us is None else query.p95_us or query.p95_range_us[1]


def _shown_p95(query: RankedQuery) -> str:
    """Show the 95th percentile, or its range over several logs."""
    if query.p95_us is not None or query.p95_range_us is None:
        return readable_time(query.p95_us or 0)
    low, high = query.p95_range_us
    return f"{readable_time(low)} to {readable_time(high)}"


_ENDPOINTS: _Columns = (
    _code("Route", lambda it: it.route),
    Column("Samples", lambda it: it.samples),
    Column("Errors", lambda it: it.errors),
    _quantile("First byte p50", "ttfb", "p50_us", is_detail=True),
    _quantile("First byte p95", "ttfb", "p95_us"),
    _quantile("Response p50", "wall", "p50_us"),
    _quantile("Response p95", "wall", "p95_us"),
    _quantile("Response max", "wall", "max_us", is_detail=True),
    _quantile("Profiled p95", "profiled_wall", "p95_us"),
)
_QUERIES: _Columns = (
    _code("Query", lambda it: it.fingerprint),
    Column("Events", lambda it: it.count),
    _time("Total", lambda it: it.total_time_us),
    Column("Share", lambda it: it.share, spec=".1%"),
    _time("Mean", lambda it: it.mean_us),
    _time("p50", lambda it: it.p50_us, is_detail=True),
    Column("p95", _p95, show=_shown_p95),
    _time("max", lambda it: it.max_us),
    _time("Variance/mean", lambda it: it.variance_to_mean_us, is_detail=True),
    Column("Rows examined/sent", lambda it: it.rows_examined_per_row_sent, spec=",.1f"),
    Column("Full scans", lambda it: it.full_scans),
    _time("Lock time", lambda it: it.lock_time_us),
)
_FUNCTIONS: _Columns = (
    _code("Function", lambda it: it.function),
    Column("Calls", lambda it: it.calls),
    Column("Profiles", lambda it: it.profiles),
    _cost("Self", "self_ns", "self_cost"),
    _cost("Inclusive", "inclusive_ns", "inclusive_cost"),
    _code("Main caller", lambda it: it.callers[0].function if it.callers else None),
)
_HOT_FUNCTIONS: _Columns = (
    _code("Function", lambda it: f"{it.file}:{it.line} {it.symbol}"),
    Column("Share", lambda it: it.share, spec=".1%"),
    Column("Sure", lambda it: it.certainty),
    Column("Complexity", lambda it: it.cognitive),
    Column("Last change", lambda it: it.last_change or None),
    Column("Owner", lambda it: it.owner or None),
    Column("Tests", lambda it: it.tests_total),
    Column("Open comments", lambda it: "; ".join(it.comments) or None),
)
_ROUTES: _Columns = (
    _code("Route", lambda it: it.route),
    Column("Queries", lambda it: it.events),
    _time("Query time", lambda it: it.query_time_us),
    _time("Response", lambda it: it.wall_time_us),
)
_FAULTS: _Columns = (
    _code("Source", lambda it: it.source[:SHORT_HASH]),
    Column("Place", lambda it: it.place),
    Column("Problem", lambda it: it.problem),
)
_THRESHOLDS: _Columns = (
    _code("Metric, limits in ms", lambda it: it[0]),
    Column("P0", lambda it: it[1].P0, show=lambda it: str(it[1].P0)),
    Column("P1", lambda it: it[1].P1, show=lambda it: str(it[1].P1)),
    Column("P2", lambda it: it[1].P2, show=lambda it: str(it[1].P2)),
    Column("Source", lambda it: it[1].source),
)
_LIMITS: _Columns = (
    Column("What is measured", lambda it: METRIC_NAMES[it[0]]),
    Column("P0 from", lambda it: it[1].P0),
    Column("P1 from", lambda it: it[1].P1),
    Column("P2 from", lambda it: it[1].P2),
    Column("Chosen by", lambda it: "you" if it[1].source == "provided" else "default"),
)


def observations(found: Aggregates, hot: Sequence[HotFunction]) -> list[ReportTable]:
    """Return the tables of an analysis; those without rows are left out."""
    tables = (
        ReportTable("Endpoints", found.endpoints, _ENDPOINTS),
        ReportTable(
            "Queries by total time", found.queries, _QUERIES, lambda it: f"query-{it.query_id}"
        ),
        ReportTable("Functions by self time", found.spans, _FUNCTIONS),
        ReportTable("Functions by inclusive time", found.spans_by_inclusive, _FUNCTIONS),
        ReportTable("Hot functions of the workspace", hot, _HOT_FUNCTIONS),
        ReportTable("Queries by route", found.correlation.routes, _ROUTES),
        ReportTable("Unreadable places", found.faults, _FAULTS),
    )
    return [table for table in tables if table.rows]


def sources_table(sources: Sequence[Source], names: Mapping[str, str]) -> ReportTable:
    """Return the files behind the hashes, with their names where they are known."""
    columns: _Columns = (
        _code("Source", lambda it: it.sha256[:SHORT_HASH]),
        _code("File", lambda it: names.get(it.sha256)),
        Column("Kind", lambda it: f"{it.type} {it.version}".strip()),
        Column("Bytes", lambda it: it.size_bytes),
    )
    return ReportTable("Sources", sources, columns)


def thresholds_table(thresholds: Thresholds) -> ReportTable:
    return ReportTable("Thresholds Used", list(thresholds.items()), _THRESHOLDS)


def limits_for_people(thresholds: Thresholds) -> ReportTable:
    return ReportTable("Limits of findings, in ms", list(thresholds.items()), _LIMITS)


# What the tool shows of an analysis.

_MAX_NAME_CHARS = 80
_LOOPS = {"n_plus_one": "N+1", "repetition": "repetition"}


def analysis_headline(found: Analysis) -> Iterator[str]:
    summary = found.summary
    if found.findings:
        yield (
            f"{counted(summary.finding_count, 'finding')}: {summary.p0_count} P0, "
            f"{summary.p1_count} P1, {summary.p2_count} P2"
        )
    else:
        yield "No findings: nothing exceeds its threshold, and nothing stands out."
    yield describe_counts(found.aggregates.counts)


ANALYSIS_TABLES: tuple[Table[Any, Any], ...] = (
    Table(
        rows=lambda it: it.findings,
        columns=(
            Column("severity", is_severity=True),
            Column("kind", is_detail=True),
            Column(
                "time",
                lambda it: readable_time(it.time_us) if it.time_us else None,
                parts=(Column("time_us"),),
            ),
            Column("title", heading="finding"),
            Column("why", is_below=True),
            Column("explain", is_below=True),
            Column("first_step"),
        ),
        title=lambda it: (
            f"Findings, worst first, {len(it.findings)} of {it.summary.finding_count}"
            + (it.text_style.hint("; format=full says why") if it.format == "summary" else "")
        ),
    ),
    Table(
        rows=lambda it: it.aggregates.queries,
        columns=(
            Column("total_time", lambda it: readable_time(it.total_time_us)),
            Column("count", heading="events"),
            Column("id", lambda it: it.query_id[:12]),
            Column("query", lambda it: it.fingerprint[:_MAX_NAME_CHARS]),
        ),
        title="Queries by total time",
    ),
    Table(
        rows=lambda it: it.aggregates.repeated_queries,
        columns=(
            Column("kind", lambda it: _LOOPS[it.kind]),
            Column("most", heading="most in a connection"),
            Column("connections"),
            Column("id", lambda it: it.query_id[:12]),
            Column("query", lambda it: it.fingerprint[:_MAX_NAME_CHARS]),
        ),
        title="Repeated queries",
    ),
    Table(
        rows=lambda it: it.aggregates.spans,
        columns=(
            Column("self_time", lambda it: it.own_cost, heading="self"),
            Column("share", lambda it: None if it.share is None else f"{it.share:.0%}"),
            Column("calls", lambda it: it.calls or None),
            Column("function", lambda it: it.function[:_MAX_NAME_CHARS]),
        ),
        title="Functions by their own cost",
    ),
    Table(
        rows=lambda it: it.causes,
        columns=(
            Column("share", lambda it: f"{it.share:.0%}"),
            Column("function"),
            location(),
            Column("says", heading="why"),
            Column("loop", heading="repeated in"),
            Column("attempt", heading="try", is_below=True),
        ),
        title="Why functions are slow, the largest saving first",
    ),
    Table(
        rows=lambda it: it.query_sources,
        columns=(
            Column("statement", lambda it: it.statement[:_MAX_NAME_CHARS], heading="query"),
            location(),
            Column("function", lambda it: it.function, heading="in"),
            Column("certainty", heading="sure"),
            Column("plan", lambda it: it.plan, heading="what the server does", is_below=True),
        ),
        title="Where queries are sent from",
    ),
    Table(
        rows=lambda it: it.hot_functions,
        columns=(
            Column("share", lambda it: f"{it.share:.0%}"),
            Column("symbol"),
            location(),
            Column("certainty", heading="sure"),
            Column("cognitive", heading="complexity"),
            Column("last_change", lambda it: it.last_change, heading="last change"),
            Column("owner"),
            Column("tests", lambda it: it.tests_total or None),
            Column("comments", lambda it: "; ".join(it.comments) or None),
        ),
        title="Hot functions of the workspace",
    ),
    Table(
        rows=lambda it: it.aggregates.endpoints,
        columns=(
            Column("p95", lambda it: readable_time(it.times.p95_us) if it.times else None),
            Column("samples"),
            Column("errors"),
            Column("route", lambda it: it.route[:_MAX_NAME_CHARS]),
        ),
        title="Endpoints by 95th percentile",
    ),
)
