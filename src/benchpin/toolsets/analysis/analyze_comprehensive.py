"""Look at a project from every side at once."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, Item, tool
from benchpin.engines.insight.advice import Recommendation
from benchpin.engines.insight.findings import ANALYSES, Analysis, gather
from benchpin.engines.insight.project import Project
from benchpin.engines.insight.recommendations import recommend
from benchpin.engines.insight.scorecard import Scorecard, score_project
from benchpin.engines.metrics import complexity, dead_code, duplicates
from benchpin.engines.sarif import Finding

from . import _comprehensive_parts as parts
from . import _comprehensive_text as text
from ._formats import Report, as_sarif
from ._project import project_of
from ._selection import FilesSeen, SelectionParams, files_seen

_Optional = Field(exclude_if=lambda it: it is None)


class ComprehensiveParams(SelectionParams):
    """What to look at and how to show it."""

    format: Literal["summary", "detailed", "json", "markdown", "sarif"] = "summary"
    """How to show it; detailed and markdown list `limit` items of each analysis."""
    include_complexity: bool = True
    """Whether to look for functions that are hard to follow."""
    include_duplicates: bool = True
    """Whether to look for code that stands more than once."""
    include_dead_code: bool | None = None
    """Whether to look for code that nothing uses; by default not for an executive summary."""
    include_defects: bool | None = None
    """Whether to say which files are likely defective; by default not for an executive summary."""
    include_tdg: bool = True
    """Whether to say how fast files gather technical debt."""
    confidence_threshold: Annotated[float, Field(ge=0, le=1)] = 0.5
    """The lowest confidence of dead code and defects to report."""
    min_lines: Annotated[int, Field(ge=0, le=100_000)] = 10
    """Files with fewer lines of code are not ranked by debt and defects."""
    perf: bool = False
    """Also say how long each part of the work took."""
    executive_summary: bool = False
    """Only numbers and no lists, and sooner: what takes longest is left out by default."""
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    """How many items of each analysis to list; the tool of that analysis has them all."""

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

    def analyses(self) -> list[Analysis]:
        """Return the analyses that the scorecard and the recommendations rest on."""
        left_out: dict[Analysis, bool] = {
            "complexity": not self.include_complexity,
            "duplicates": not self.include_duplicates,
            "dead-code": not self.wants_dead_code,
            "defect-probability": not self.wants_defects,
            "debt-gradient": not self.include_tdg,
        }
        return [name for name in ANALYSES if not left_out.get(name)]


class PartTime(Item):
    """What one part of the work took, without those that it rests on."""

    name: str
    seconds: float


class ComprehensiveReport(Report):
    """Every analysis that was asked for, in brief."""

    overview: parts.Overview
    quality_scorecard: Scorecard
    complexity: Annotated[parts.ComplexityPart | None, _Optional] = None
    duplicates: Annotated[parts.DuplicatesPart | None, _Optional] = None
    dead_code: Annotated[parts.DeadCodePart | None, _Optional] = None
    defects: Annotated[parts.DefectsPart | None, _Optional] = None
    tdg: Annotated[parts.GradientPart | None, _Optional] = None
    recommendations: list[Recommendation]
    """What to do first."""
    not_measured: dict[str, str]
    """What could not be measured, and why."""
    performance: Annotated[list[PartTime] | None, _Optional] = None
    looked_at: FilesSeen


@tool(title="Comprehensive analysis", effect=Effect.READ)
def analyze_comprehensive(params: ComprehensiveParams, bench: Bench) -> ComprehensiveReport:
    """Measure complexity, duplicates, dead code, defect risk and debt of a project in one call.

    Use it first, to see where a project stands; then ask the tool of one analysis for the rest.
    """
    project = project_of(params, bench, skip_when_late=True)
    scope = parts.Scope(
        limit=0 if params.executive_summary else params.limit,
        min_confidence=params.confidence_threshold,
        min_lines=params.min_lines,
    )
    found = gather(project, params.analyses())
    report = ComprehensiveReport(
        overview=parts.overview_of(project),
        quality_scorecard=score_project(found),
        complexity=parts.complexity_part(project, scope) if params.include_complexity else None,
        duplicates=parts.duplicates_part(found, scope),
        dead_code=parts.dead_code_part(project, scope) if params.wants_dead_code else None,
        defects=parts.defects_part(found, scope),
        tdg=parts.gradient_part(found, scope),
        recommendations=recommend(found)[: scope.limit],
        not_measured=project.not_measured,
        performance=_times(project) if params.perf else None,
        looked_at=files_seen(project.sources),
    )
    shown = ""
    match params.format:
        case "summary":
            shown = text.screen(_head(report), _sections(report), _tail(report))
        case "detailed":
            shown = text.screen(_head(report), _sections(report), _tail(report), params.limit)
        case "markdown":
            shown = text.document("Analysis", _head(report), _sections(report), _tail(report))
        case "sarif":
            shown = _sarif(report, project, scope, bench)
    return report.model_copy(update={"shown": shown})


def _times(project: Project) -> list[PartTime]:
    return [PartTime(name=name, seconds=round(it, 4)) for name, it in project.seconds.items()]


def _head(report: ComprehensiveReport) -> list[str]:
    return [text.overview_line(report.overview), *text.score_lines(report.quality_scorecard)]


def _sections(report: ComprehensiveReport) -> list[text.Section]:
    return [
        *([text.complexity_section(report.complexity)] if report.complexity else []),
        *([text.duplicates_section(report.duplicates)] if report.duplicates else []),
        *([text.dead_code_section(report.dead_code)] if report.dead_code else []),
        *([text.defects_section(report.defects)] if report.defects else []),
        *([text.gradient_section(report.tdg)] if report.tdg else []),
        *([text.advice_section(report.recommendations)] if report.recommendations else []),
    ]


def _tail(report: ComprehensiveReport) -> list[str]:
    lines = [f"not measured: {name}: {why}" for name, why in report.not_measured.items()]
    lines += report.looked_at.to_lines()
    if report.performance is not None:
        lines.append(", ".join(f"{it.name} {it.seconds:.3f} s" for it in report.performance))
    return lines


def _sarif(report: ComprehensiveReport, project: Project, scope: parts.Scope, bench: Bench) -> str:
    """Return every finding of the analyses that were made, also those that are not listed."""
    findings: list[Finding] = []
    if report.complexity:
        found = project.complexity().required().violations
        findings += [complexity.as_finding(it) for it in found]
    if report.duplicates:
        groups = project.duplicates().required().groups
        for number, group in enumerate(groups, start=1):
            findings += duplicates.findings(group, number)
    if report.dead_code:
        dead = project.dead_code(scope.min_confidence).required().items
        findings += [dead_code.as_finding(it) for it in dead]
    rules = (*complexity.RULES, *duplicates.RULES, *dead_code.RULES)
    return as_sarif(bench, rules, findings)
