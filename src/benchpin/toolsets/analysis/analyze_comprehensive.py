"""Measure a project with every analysis at once."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Rare, tool
from benchpin.present import MACHINE_FORMATS, PICTURE_FORMATS, FindingFormat, Image
from benchpin.project import ANALYSES, Analysis, sections, total_of
from benchpin.project.pictures import survey
from benchpin.project.scores import ReportOptions, compose

from ._comprehensive_report import REPORT, ComprehensiveReport, comprehensive_report
from ._landscape_pictures import PictureName, Views
from ._selection import ScopedParams, project_of

__all__ = ["ComprehensiveParams", "ComprehensiveReport", "analyze_comprehensive"]


class ComprehensiveParams(ScopedParams):
    """What to measure and how to show it."""

    include_complexity: Rare[bool] = True
    """Find functions that are hard to follow."""
    include_duplicates: Rare[bool] = True
    """Find duplicated code."""
    include_dead_code: Rare[bool | None] = None
    """Find code that nothing uses; on by default, except in an executive summary."""
    include_defects: Rare[bool | None] = None
    """Predict defects; on by default, except in an executive summary."""
    include_tdg: Rare[bool] = True
    """Measure how fast files gather technical debt."""
    confidence_threshold: Rare[Annotated[float, Field(ge=0, le=1)]] = sections.MIN_CONFIDENCE
    """Minimum confidence of dead code and defects to report."""
    min_lines: Rare[Annotated[int, Field(ge=0, le=100_000)]] = 10
    """Files with fewer lines of code, and clones with fewer lines, are counted but not listed."""
    perf: Rare[bool] = False
    """Also report how long each part of the work took."""
    executive_summary: bool = False
    """Only numbers, and faster; the slowest analyses are off by default."""
    format: Rare[Literal[FindingFormat, Image]] = "summary"
    """How to show it; full lists `limit` items of each analysis, csv the recommendations."""
    picture: Rare[PictureName | None] = None
    """What svg and png show: a treemap coloured by health or another measure, or hotspots."""
    limit: Rare[Annotated[int, Field(ge=1, le=100)] | None] = None
    """Items to list of each analysis; 10 by default, all in csv, sarif and junit."""

    def limits(self) -> sections.SectionLimits:
        """Return how much of each analysis to report."""
        limit = 0 if self.executive_summary else self.limit or 10
        if self.limit is None and self.format in MACHINE_FORMATS:
            limit = sections.MAX_ITEMS
        return sections.SectionLimits(limit, self.confidence_threshold, self.min_lines)

    def analyses(self) -> list[Analysis]:
        """Return the analyses that the scorecard and the recommendations are based on."""
        # The slowest two are on by default, except in an executive summary.
        slow = {
            "dead-code": self.include_dead_code,
            "defect-probability": self.include_defects,
        }
        asked = {
            "complexity": self.include_complexity,
            "duplicates": self.include_duplicates,
            "debt-gradient": self.include_tdg,
            **{name: not self.executive_summary if it is None else it for name, it in slow.items()},
        }
        return [name for name in ANALYSES if asked.get(name, True)]


@tool(
    title="Comprehensive analysis",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "health report, code quality overview, state of the code base, summary for a manager, "
        "score, audit, what to fix first, technical debt, how good is this code, grade, how "
        "healthy, clean this up, where do I start, top problems, improve"
    ),
)
def analyze_comprehensive(params: ComprehensiveParams, bench: Bench) -> ComprehensiveReport:
    """Measure complexity, duplicates, dead code, defect risk and debt of a project in one call.

    Use it first, for an overview. Each analysis has a tool of its own with the details.
    """
    project = project_of(params, bench, skip_when_late=True)
    options = ReportOptions(tuple(sorted(params.analyses())), params.limits())
    update: dict[str, object] = {"format": params.format, "picture": params.picture or ""}
    if params.perf:  # measure by measure, so that each has its time
        report = comprehensive_report(project, options)
        update["performance"] = parts = project.watch.parts()
        update["total_seconds"] = total_of(parts)
    else:
        report = compose(project, REPORT, options)
    if params.format in PICTURE_FORMATS:
        update["landscape"] = Views(survey(project))
    return report.model_copy(update=update)
