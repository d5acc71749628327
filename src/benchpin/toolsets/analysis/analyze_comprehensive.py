"""Measure a project with every analysis at once."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import not_measured
from benchpin.core.tools import Effect, Rare, tool
from benchpin.memory import Measure
from benchpin.present import MACHINE_FORMATS, PICTURE_FORMATS, FindingFormat, Image, Report, View
from benchpin.project import (
    ANALYSES,
    Analysis,
    PartTime,
    Project,
    gather,
    sections,
    times_line,
    total_of,
)
from benchpin.project.pictures import survey
from benchpin.project.scores import (
    Recommendation,
    ReportOptions,
    Scorecard,
    compose,
    note_basis,
    recommend,
    score_project,
)

from . import _section_tables as tables
from ._landscape_pictures import PICTURES, PictureName, Views
from ._project import project_of
from ._selection import FilesSeen, SelectionParams, files_seen, nothing_measured

_Optional = Field(exclude_if=lambda it: it is None)
# Rows of each table in the summary, so that it fits a screen.
_ROWS = 3


class ComprehensiveParams(SelectionParams):
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
    """The lowest confidence of dead code and defects to report."""
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

    @property
    def wants_dead_code(self) -> bool:
        """Whether to look for dead code, asked for or by default."""
        return self._is_wanted(self.include_dead_code)

    @property
    def wants_defects(self) -> bool:
        """Whether to predict defects, asked for or by default."""
        return self._is_wanted(self.include_defects)

    def _is_wanted(self, choice: bool | None) -> bool:  # noqa: FBT001 - as the caller gave it
        return not self.executive_summary if choice is None else choice

    def scope(self) -> sections.SectionLimits:
        """Return how much of each analysis to report."""
        limit = 0 if self.executive_summary else self.limit or 10
        if self.limit is None and self.format in MACHINE_FORMATS:
            limit = sections.MAX_ITEMS
        return sections.SectionLimits(limit, self.confidence_threshold, self.min_lines)

    def analyses(self) -> list[Analysis]:
        """Return the analyses that the scorecard and the recommendations are based on."""
        left_out: dict[Analysis, bool] = {
            "complexity": not self.include_complexity,
            "duplicates": not self.include_duplicates,
            "dead-code": not self.wants_dead_code,
            "defect-probability": not self.wants_defects,
            "debt-gradient": not self.include_tdg,
        }
        return [name for name in ANALYSES if not left_out.get(name)]


class ComprehensiveReport(Report):
    """Every analysis that was asked for, in brief."""

    overview: sections.CodeSummary
    quality_scorecard: Scorecard
    complexity: Annotated[sections.ComplexitySection | None, _Optional] = None
    duplicates: Annotated[sections.DuplicatesSection | None, _Optional] = None
    dead_code: Annotated[sections.DeadCodeSection | None, _Optional] = None
    defects: Annotated[sections.DefectSection | None, _Optional] = None
    tdg: Annotated[sections.GradientSection | None, _Optional] = None
    recommendations: list[Recommendation]
    """What to do first."""
    not_measured: dict[str, str]
    """What could not be measured, and why."""
    performance: Annotated[list[PartTime] | None, _Optional] = None
    """The parts add up to total_seconds."""
    total_seconds: Annotated[float | None, _Optional] = None
    looked_at: FilesSeen
    landscape: Annotated[Views | None, Field(exclude=True)] = None
    """What is known about every file, for the pictures."""

    view = View["ComprehensiveReport"](
        title="Analysis",
        headline=lambda it: [
            tables.size_line(it.overview) if it.overview.files else nothing_measured(it),
            *tables.score_lines(it.quality_scorecard),
            *tables.section_lines(it.complexity, it.duplicates, it.dead_code, it.defects, it.tdg),
            *tables.hours_line(it.quality_scorecard),
        ],
        tables=(
            tables.recommendations_table(_ROWS),
            tables.complexity_table(lambda it: it.complexity, _ROWS),
            tables.duplicates_table(lambda it: it.duplicates, _ROWS),
            tables.dead_code_table(lambda it: it.dead_code, _ROWS),
            tables.defects_table(lambda it: it.defects, _ROWS),
            tables.gradient_table(lambda it: it.tdg, _ROWS),
        ),
        pictures=PICTURES,
        notes=lambda it: [*_notes(it)],
        rules=tables.RULES,
    )

    def lacks(self) -> list[str]:
        """Return what could not be measured, and which files."""
        return [*super().lacks(), *not_measured(self.not_measured)]

    def confidences(self) -> Iterator[float]:
        """Return how sure each row about dead code and defects is."""
        return sections.confidences(self.dead_code, self.defects)


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

    Use it first, for an overview. The tool of each analysis has the rest.
    """
    project = project_of(params, bench, skip_when_late=True)
    options = ReportOptions(tuple(sorted(params.analyses())), params.scope())
    if not params.perf:
        report = compose(project, _REPORT, options)
        return report.model_copy(update=_shown_as(params, project))
    report = _report(project, options)  # measure by measure, so that each has its time
    parts = project.watch.parts()
    times = {"performance": parts, "total_seconds": total_of(parts)}
    return report.model_copy(update={**_shown_as(params, project), **times})


def _shown_as(params: ComprehensiveParams, project: Project) -> dict[str, object]:
    """Return the fields that say how to show a report, with what pictures need."""
    views = Views(survey(project)) if params.format in PICTURE_FORMATS else None
    return {"format": params.format, "picture": params.picture or "", "landscape": views}


def _report(project: Project, options: ReportOptions) -> ComprehensiveReport:
    scope, wanted = options.scope, options.wanted
    found = gather(project, wanted)
    has_dead_code = "dead-code" in wanted
    dead = project.dead_code(scope.min_confidence).value if has_dead_code else None
    note_basis(project, options)
    return ComprehensiveReport(
        overview=sections.code_summary(project.sources.files, found.summaries),
        quality_scorecard=score_project(found),
        complexity=sections.complexity_section(found, scope),
        duplicates=sections.duplicates_section(found, scope),
        dead_code=sections.dead_code_section(dead, found, scope),
        defects=sections.defect_section(found, scope),
        tdg=sections.gradient_section(found, scope),
        recommendations=recommend(found)[: scope.limit],
        not_measured=project.not_measured,
        looked_at=files_seen(project.sources),
    )


_REPORT = Measure("comprehensive", ComprehensiveReport, _report)


def _notes(report: ComprehensiveReport) -> Iterator[str]:
    yield from report.looked_at.to_lines()
    if report.performance is not None:
        yield times_line(report.performance)
