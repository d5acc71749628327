"""The report of a comprehensive analysis, how it is shown, and how it is made."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from benchpin.core.results import not_measured
from benchpin.memory import Measure
from benchpin.present import Report, View
from benchpin.project import CodeSummary, PartTime, Project, gather, sections, times_line
from benchpin.project.scores import (
    RECOMMENDATIONS,
    Recommendation,
    ReportOptions,
    Scorecard,
    note_basis,
    recommend,
    score_project,
)

from ._landscape_pictures import PICTURES, Views
from ._selection import FilesSeen, files_seen, nothing_measured

_Optional = Field(exclude_if=lambda it: it is None)
# Rows of each table in the summary, so that it fits a screen.
_ROWS = 3


class ComprehensiveReport(Report):
    """Every analysis that was asked for, in brief."""

    overview: CodeSummary
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
            it.looked_at.sized(it.overview.line()) if it.overview.files else nothing_measured(it),
            *it.quality_scorecard.lines(),
            *sections.section_lines(it.complexity, it.duplicates, it.dead_code, it.defects, it.tdg),
        ],
        tables=(
            RECOMMENDATIONS,
            *sections.ComplexitySection.tables(lambda it: it.complexity, _ROWS),
            *sections.DuplicatesSection.tables(lambda it: it.duplicates, _ROWS),
            *sections.DeadCodeSection.tables(lambda it: it.dead_code, _ROWS),
            *sections.DefectSection.tables(lambda it: it.defects, _ROWS),
            *sections.GradientSection.tables(lambda it: it.tdg, _ROWS),
        ),
        pictures=PICTURES,
        notes=lambda it: [
            *it.looked_at.skips(),
            *([] if it.performance is None else [times_line(it.performance)]),
        ],
        rules=sections.RULES,
    )

    def lacks(self) -> list[str]:
        """Return what could not be measured, and which files."""
        return [*super().lacks(), *not_measured(self.not_measured)]

    def confidences(self) -> Iterator[float]:
        """Return how sure each row about dead code and defects is."""
        return sections.confidences(self.dead_code, self.defects)


def comprehensive_report(project: Project, options: ReportOptions) -> ComprehensiveReport:
    """Take the measures, and return what they found."""
    scope, wanted = options.scope, options.wanted
    found = gather(project, wanted)
    has_dead_code = "dead-code" in wanted
    dead = project.dead_code(scope.min_confidence).value if has_dead_code else None
    note_basis(project, options)
    return ComprehensiveReport(
        overview=found.code_summary(),
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


REPORT = Measure("comprehensive", ComprehensiveReport, comprehensive_report)
