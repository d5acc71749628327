"""Rank what a snapshot holds, and say what to fix first."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.performance.exports import (
    Flames,
    flame_section,
    function_picture,
    longest_flames,
    query_picture,
)
from benchpin.performance.findings import (
    DEFAULT_TOP_N,
    Analysis,
    RankedQuery,
    RankedSpan,
    analyze,
    describe_counts,
    hottest,
    readable_time,
)
from benchpin.performance.snapshots import Snapshot
from benchpin.performance.values import to_us
from benchpin.present import Column, Format, Image, Report, Table, View, location
from benchpin.present.page import Section
from benchpin.project import ProfiledFunctions

from ._params import INGESTED, ReportParams, SnapshotParams, store_of

_MAX_NAME_CHARS = 80
_LOOPS = {"n_plus_one": "N+1", "repetition": "repetition"}


class AnalysisParams(SnapshotParams):
    """Which snapshot, and what counts as slow."""

    top_n: Rare[int] = DEFAULT_TOP_N
    """How many of each kind to rank, 1 to 20; other values are clamped, with a notice."""
    thresholds: Rare[dict[str, object] | None] = None
    """Limits in ms, such as {"query_total_time_ms": {"P0": 8000, "P1": 2500, "P2": 900}}; also
    endpoint_ttfb_ms, endpoint_wall_ms, span_self_ms, span_total_ms."""

    source: Rare[bool] = False
    """Find the hottest functions in the workspace: complexity, last change, owner, tests, comments.
    Reads its code."""

    def analyze(self, snapshot: Snapshot, bench: Bench) -> Analysis:
        """Analyse a snapshot with these arguments."""
        found = analyze(snapshot, top_n=self.top_n, thresholds=self.thresholds)
        if not self.source:
            return found
        known = ProfiledFunctions(bench).describe(hottest(snapshot.spans)[: found.summary.top_n])
        return found.model_copy(update={"hot_functions": known})


class RunAnalysisParams(AnalysisParams, ReportParams):
    """What to analyse, and how to show it."""

    format: Rare[Literal[Format, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details, csv has the first table; svg and png show
    the queries by count and time, or else the functions."""


def _headline(found: Analysis) -> Iterator[str]:
    summary = found.summary
    yield (
        f"{counted(summary.finding_count, 'finding')}: {summary.p0_count} P0, "
        f"{summary.p1_count} P1, {summary.p2_count} P2"
    )
    yield describe_counts(found.aggregates.counts)
    if not found.findings:
        yield "Nothing exceeds its threshold, and nothing stands out."


def _own_cost(span: RankedSpan) -> str:
    """Return the time that a function took itself, or what was counted instead."""
    if span.metric:
        return f"{span.self_cost:,} {span.metric}"
    return readable_time(to_us(span.self_ns) or 0)


def _queries(found: Analysis) -> Sequence[RankedQuery]:
    return found.aggregates.queries


def _spans(found: Analysis) -> Sequence[RankedSpan]:
    return found.aggregates.spans


class Analyzed(Analysis, Report):
    """What to fix first, and the numbers behind it."""

    correlation_id: str

    view = View["Analyzed"](
        title="Analysis",
        headline=_headline,
        tables=(
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
                    + (
                        it.text_style.hint("; format=full says why")
                        if it.format == "summary"
                        else ""
                    )
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
                    Column("self_time", _own_cost, heading="self"),
                    Column("share", lambda it: None if it.share is None else f"{it.share:.0%}"),
                    Column("calls", lambda it: it.calls or None),
                    Column("function", lambda it: it.function[:_MAX_NAME_CHARS]),
                ),
                title="Functions by their own cost",
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
        ),
        pictures=(query_picture(_queries), function_picture(_spans)),
        notes=lambda it: it.notices,
    )

    flames: Annotated[Flames | None, Field(exclude=True)] = None
    """The flame graph of the longest profile; only for a page."""

    def sections(self) -> list[Section]:
        """Return the flame graph of the longest profile."""
        return [] if self.flames is None else [flame_section(self.flames)]

    def as_of(self) -> str:
        """Return when it is from."""
        return INGESTED


@tool(
    title="Run an analysis",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "why is it slow, slowest SQL queries, bottleneck, performance problems, slow page, "
        "database, N+1, optimise, hot functions, worst queries, what kills the database, what "
        "to fix first to get faster, from the stored snapshot, too slow"
    ),
)
def run_analysis(params: RunAnalysisParams, bench: Bench) -> Analyzed:
    """Rank queries, functions and endpoints of a snapshot, with findings P0 to P2 by thresholds."""
    snapshot = store_of(bench).load(params.wanted)
    return Analyzed(
        **dict(params.analyze(snapshot, bench)),
        correlation_id=params.correlation(bench),
        format=params.format,
        flames=longest_flames(snapshot) if params.format == "html" else None,
    )
