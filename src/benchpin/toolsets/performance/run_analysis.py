"""Rank what a snapshot holds, and say what to fix first."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Rare, tool
from benchpin.performance.comparing import profile_name
from benchpin.performance.exports import (
    ANALYSIS_TABLES,
    Flames,
    analysis_headline,
    flame_section,
    function_picture,
    longest_flames,
    query_picture,
    to_draw,
)
from benchpin.performance.findings import (
    DEFAULT_TOP_N,
    Analysis,
    analyze,
    hottest,
    sent_queries,
)
from benchpin.performance.snapshots import Snapshot
from benchpin.present import Format, Image, Report, View
from benchpin.present.page import Section
from benchpin.project import ProfiledFunctions, causes_of, query_sources

from ._params import FromSnapshot, ReportParams, SnapshotParams, store_of


class AnalysisParams(SnapshotParams):
    """Which snapshot, and what counts as slow."""

    top_n: Rare[int] = DEFAULT_TOP_N
    """How many of each kind to rank, 1 to 20; other values are clamped, with a notice."""
    thresholds: Rare[dict[str, object] | None] = None
    """Limits in ms, such as {"query_total_time_ms": {"P0": 8000, "P1": 2500, "P2": 900}}; also
    endpoint_ttfb_ms, endpoint_wall_ms, span_self_ms, span_total_ms."""

    source: Rare[bool] = False
    """Explain from the code why functions are slow, and where queries are sent from; of the hottest
    ones also show complexity, last change, owner, tests and comments."""

    def analyze(self, snapshot: Snapshot, bench: Bench) -> Analysis:
        """Analyse a snapshot with these arguments."""
        found = analyze(snapshot, top_n=self.top_n, thresholds=self.thresholds)
        if not self.source:
            return found
        known = ProfiledFunctions(bench).describe(hottest(snapshot.spans)[: found.summary.top_n])
        queries = sent_queries(snapshot, found.findings, found.aggregates.queries)
        return found.model_copy(
            update={
                "hot_functions": known,
                "causes": causes_of(snapshot, bench),
                "query_sources": query_sources(queries, bench),
            }
        )


class RunAnalysisParams(AnalysisParams, ReportParams):
    """What to analyse, and how to show it."""

    format: Rare[Literal[Format, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details, csv has the first table; svg and png show
    the queries by count and time, or else the functions."""
    profile: Rare[Annotated[str, Field(min_length=1, max_length=500)] | None] = None
    """The profile that html draws, by the beginning of its key, URI or hash; else the longest."""


class Analyzed(FromSnapshot, Analysis, Report):
    """What to fix first, and the numbers behind it."""

    correlation_id: str

    view = View["Analyzed"](
        title="Analysis",
        headline=analysis_headline,
        tables=ANALYSIS_TABLES,
        pictures=(
            query_picture(lambda it: it.aggregates.queries),
            function_picture(lambda it: it.aggregates.spans),
        ),
        notes=lambda it: it.notices,
    )

    flames: Annotated[Flames | None, Field(exclude=True)] = None
    """The flame graph of the chosen profile; only for a page."""
    profiles: Annotated[dict[str, str], Field(exclude=True)] = Field(default_factory=dict)
    """The names of the profiles that can be drawn, by their sources, the longest first."""

    def sections(self) -> list[Section]:
        """Return the flame graph of the chosen profile."""
        return [] if self.flames is None else [flame_section(self.flames)]


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
    """Rank queries, functions and endpoints of a snapshot; findings are P0 to P2 by thresholds."""
    snapshot = store_of(bench).load(params.wanted)
    is_page = params.format == "html"
    return Analyzed(
        **dict(params.analyze(snapshot, bench)),
        correlation_id=params.correlation(bench),
        format=params.format,
        flames=longest_flames(snapshot, params.profile) if is_page else None,
        profiles={it.source: profile_name(it) for it in to_draw(snapshot)} if is_page else {},
    )
