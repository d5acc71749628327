"""Compare a project with itself a week, a month and a release ago."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Rare, tool
from benchpin.present import Format, Image, Report, View
from benchpin.project.trends import (
    MAX_COMMITS,
    OVER_TIME,
    TREND_TABLES,
    FunctionTrend,
    MeasureTrend,
    TrendPoint,
    headline,
    measure_trend,
)

from ._selection import FilesSeen, ScopedParams, files_seen, nothing_measured, project_of


class TrendParams(ScopedParams):
    """What to compare, with how many past commits."""

    commits: Rare[Annotated[int, Field(ge=1, le=MAX_COMMITS)]] = MAX_COMMITS
    """How many past commits to measure at most: a month, a week, a release, then up to a year."""
    format: Rare[Literal[Format, Image]] = "summary"
    """How to show it; full adds the curve, svg and png draw it, csv has the measures."""


_ONLY_NOW = (
    "The past of coverage and defect risk is not known: health is computed with those of now."
)


class TrendReport(Report):
    """What got better and what got worse."""

    measures: list[MeasureTrend]
    """Now, and how much each changed; what is not known of the past is null."""
    functions: list[FunctionTrend]
    """The functions that got worse the most, then those that got better."""
    functions_since: str
    """What the functions are compared with; empty without a past commit."""
    points: list[TrendPoint]
    """The curve, oldest first; the last is now."""
    looked_at: FilesSeen

    view = View["TrendReport"](
        title="Trends",
        headline=lambda it: headline(it) if it.looked_at.measured else [nothing_measured(it)],
        tables=TREND_TABLES,
        pictures=(OVER_TIME,),
        notes=lambda it: [_ONLY_NOW, *it.looked_at.to_lines()],
    )


@tool(
    title="Trends",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "compare code quality over time, progress, getting better or worse, health a month ago, "
        "regressions in health, development, curve, history of quality, before and after"
    ),
)
def analyze_trends(params: TrendParams, bench: Bench) -> TrendReport:
    """Show what got better or worse since last week, last month and the last release.

    Covers scores, hot spots, debt and unused code, with a curve over a year. Past commits are
    measured once and cached. For a single change, call review_change.
    """
    project = project_of(params, bench, skip_when_late=True)
    found = measure_trend(project, params.commits)
    return TrendReport(
        measures=[*found.measures],
        functions=[*found.functions],
        functions_since=found.functions_since,
        points=[*found.points],
        looked_at=files_seen(project.sources),
        format=params.format,
    )
