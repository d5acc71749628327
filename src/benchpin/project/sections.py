"""One section of a report for each analysis: totals, and the first items."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar, Protocol, Self, TypeVar

from benchpin.core.results import Item
from benchpin.core.text import counted, plain
from benchpin.measures import clones, complexity, debt, unused
from benchpin.measures.churn import CoupledFiles, FileChurn
from benchpin.measures.clones import CloneGroup, DuplicateSummary
from benchpin.measures.debt_gradient import DebtGradient
from benchpin.measures.unused import SURE_FROM, DeadCode, DeadCodeSummary, DeadItem
from benchpin.measures.views import churn as churn_view
from benchpin.measures.views import clones as clones_view
from benchpin.measures.views import complexity as complexity_view
from benchpin.measures.views import debt as debt_view
from benchpin.measures.views import unused as unused_view
from benchpin.present import Table
from benchpin.project.defects import Band, DefectPrediction, count_bands, shipped_weights
from benchpin.project.defects import view as defects_view

from ._findings import Findings

# A stored report keeps this many items of a list; totals give the true number.
MAX_ITEMS = 1_000
# The minimum of defect predictions, unless a caller chooses another one.
MIN_CONFIDENCE = 0.5
RULES = (*complexity.RULES, *unused.RULES, *debt.RULES, *clones.RULES)


class _HasFile(Protocol):
    @property
    def file(self) -> str: ...


InFile = TypeVar("InFile", bound=_HasFile)


@dataclass(frozen=True, slots=True)
class SectionLimits:
    """How much of each analysis a section has."""

    limit: int = MAX_ITEMS
    min_confidence: float = MIN_CONFIDENCE
    """Of defect predictions."""
    min_lines: int = 0
    """Files with fewer lines of code, and clones with fewer lines, are counted but not listed."""

    def listed(self, items: Iterable[InFile], found: Findings) -> list[InFile]:
        """Return the first items in files that are large enough."""
        sizes = found.summaries
        return [it for it in items if sizes[it.file].code_lines >= self.min_lines][: self.limit]


EVERYTHING = SectionLimits()


class MeasureSection(Item):
    """What a report has of one measure."""

    shown: ClassVar[tuple[Table[Any, Any], ...]] = ()
    """Its tables, as the measure declares them."""

    @abstractmethod
    def line(self) -> str:
        """Return it in one line of a headline; empty where nothing was measured."""

    @classmethod
    def tables(
        cls, section: Callable[[Any], Self | None], summary_rows: int = 0
    ) -> Iterator[Table[Any, Any]]:
        """Yield its tables for a report that has it, or not."""
        return (it.within(section, summary_rows) for it in cls.shown)


def section_lines(*sections: MeasureSection | None) -> list[str]:
    """Return one line for each section that has something to report."""
    return [line for it in sections if it is not None and (line := it.line())]


class ComplexitySection(MeasureSection):
    """Functions that are hard to follow, tests included."""

    shown = (complexity_view.FUNCTIONS,)

    summary: complexity.ComplexitySummary
    violations: list[complexity.ComplexityViolation]
    """The worst violation of each function."""
    total: int
    """How many functions are over a threshold."""

    def line(self) -> str:
        """Return it in one line of a headline; empty where nothing was measured."""
        summary = self.summary
        if not summary.total_functions:
            return ""
        over = f"{self.total:,} of {summary.total_functions:,} functions over a threshold"
        return (
            f"complexity: {over}; "
            f"cyclomatic median {summary.median_cyclomatic:g}, highest {summary.max_cyclomatic}"
        )


class DeadCodeSection(MeasureSection):
    """Code that nothing uses."""

    shown = (unused_view.ITEMS_IN_BRIEF,)

    summary: DeadCodeSummary
    items: list[DeadItem]
    total: int
    certain: int
    """How many of them analyze_dead_code reports by default, and the scorecard counts."""

    def line(self) -> str:
        """Return it in one line of a headline; empty where nothing was measured."""
        if not self.summary.total_files:
            return ""
        more = f"; {self.total - self.certain:,} more may be" if self.total > self.certain else ""
        of = f"{self.summary.total_definitions:,} functions and types"
        return f"dead code: {self.certain:,} of {of} seem unused{more}"


class DebtSection(MeasureSection):
    """Comments that admit debt."""

    shown = (debt_view.COMMENTS_IN_BRIEF,)

    summary: debt.DebtSummary
    items: list[debt.DebtItem]
    total: int

    def line(self) -> str:
        """Return it in one line of a headline; empty where nothing was measured."""
        if not self.summary.total_files:
            return ""
        severities = ", ".join(
            f"{count:,} {name}" for name, count in self.summary.by_severity.items()
        )
        of = f"{self.total:,} of {self.summary.total_comments:,} comments admit debt"
        return f"debt comments: {of}{f': {severities}' if severities else ''}"


class DuplicatesSection(MeasureSection):
    """Exact clones, tests included; analyze_duplicates finds similar code too."""

    shown = (clones_view.GROUPS_IN_BRIEF,)
    first_group: ClassVar = 1

    summary: DuplicateSummary
    groups: list[CloneGroup]
    total: int

    def line(self) -> str:
        """Return it in one line of a headline; empty where nothing was measured."""
        if not self.summary.total_files:
            return ""
        groups = counted(self.total, "group of exact clones", "groups of exact clones")
        share = self.summary.duplicated_percent
        of = "" if share is None else f"{share:g} % of the lines, in "
        return f"duplicates: {of}{groups}"


class ChurnSection(MeasureSection):
    """What changed in the period, code or not."""

    shown = (churn_view.FILES_IN_BRIEF, churn_view.COUPLING_IN_BRIEF)

    period_days: int | float
    commits: int
    authors: int
    additions: int
    deletions: int
    files: list[FileChurn]
    total: int
    coupling: list[CoupledFiles]
    coupling_total: int

    def line(self) -> str:
        """Return it in one line of a headline; empty where nothing was measured."""
        people = f"{counted(self.commits, 'commit')} by {counted(self.authors, 'author')}"
        files = f"{counted(self.total, 'file')}, +{self.additions:,} -{self.deletions:,} lines"
        return f"churn: {people} in {self.period_days:,} days: {files}"


class GradientSection(MeasureSection):
    """How fast files gather technical debt, the fastest first."""

    shown = (debt_view.GRADIENTS,)

    by_severity: dict[str, int]
    average: float | None
    files: list[DebtGradient]
    total: int

    def line(self) -> str:
        """Return it in one line of a headline; empty where nothing was measured."""
        if self.average is None:
            return ""
        bands = ", ".join(f"{count:,} {name}" for name, count in self.by_severity.items())
        return f"debt gradient: {bands}; {self.average:.2f} of 5 on average"


class DefectSection(MeasureSection):
    """The files that are most likely to need a bug fix within a year."""

    shown = (defects_view.FILES_IN_BRIEF,)

    auc: float
    """How the model did on public histories that it had not seen, on average."""
    brier: float
    lacks_history: str
    """Why only the code counts; empty where the history counts too."""
    bands: dict[Band, int]
    """Files by band, those that are certain enough."""
    below_confidence: dict[Band, int]
    """Files by band that are left out because their band is not certain enough."""
    files: list[DefectPrediction]
    total: int

    def line(self) -> str:
        """Return it in one line of a headline; empty where nothing was measured."""
        left_out = self.below_confidence
        if not sum(self.bands.values()) + sum(left_out.values()):
            return ""
        bands = ", ".join(f"{count:,} {band.lower()}" for band, count in self.bands.items())
        if sum(left_out.values()):
            counts = ", ".join(f"{count:,} {band.lower()}" for band, count in left_out.items())
            bands += f" (less certain: {counts})"
        lacks = f"; without history: {plain(self.lacks_history)}" if self.lacks_history else ""
        return f"defects: files by risk of a bug fix within a year: {bands}{lacks}"


def confidences(
    dead: DeadCodeSection | None, defects: DefectSection | None, debts: DebtSection | None = None
) -> Iterator[float]:
    """Yield how sure the rows are of those sections that estimate something."""
    yield from (it.confidence for it in (dead.items if dead else ()))
    yield from (it.confidence for it in (defects.files if defects else ()))
    yield from (it.confidence for it in (debts.items if debts else ()))


def complexity_section(
    found: Findings, scope: SectionLimits = EVERYTHING
) -> ComplexitySection | None:
    """Return the functions that are hardest to follow, if they were measured."""
    if found.complexity is None:
        return None
    functions, summary = found.first_of_each(found.complexity.violations), found.complexity.summary
    listed = scope.listed(functions, found)
    return ComplexitySection(summary=summary, violations=listed, total=len(functions))


def dead_code_section(
    dead: DeadCode | None, found: Findings, scope: SectionLimits = EVERYTHING
) -> DeadCodeSection | None:
    """Return what nothing uses, the most certain first."""
    if dead is None:
        return None
    return DeadCodeSection(
        summary=dead.summary,
        items=scope.listed(dead.items, found),
        total=len(dead.items),
        certain=sum(it.confidence >= SURE_FROM for it in dead.items),
    )


def debt_section(found: Findings) -> DebtSection | None:
    """Return the comments that admit debt, if they were searched for."""
    admitted = found.debt
    if admitted is None:
        return None
    summary = debt.summarize(admitted, admitted.items, len(found.files))
    return DebtSection(summary=summary, items=admitted.items, total=len(admitted.items))


def duplicates_section(
    found: Findings, scope: SectionLimits = EVERYTHING
) -> DuplicatesSection | None:
    """Return the biggest exact clones, if they were searched for."""
    clones = found.duplicates
    if clones is None:
        return None
    groups = [it for it in clones.groups if it.lines >= scope.min_lines]
    return DuplicatesSection(
        summary=clones.summary, groups=groups[: scope.limit], total=len(clones.groups)
    )


def churn_section(found: Findings) -> ChurnSection | None:
    """Return what changed, if that was measured."""
    churn = found.churn
    if churn is None:
        return None
    summary = churn.summary
    return ChurnSection(
        period_days=found.period_days,
        commits=summary.total_commits,
        authors=summary.unique_authors,
        additions=summary.additions,
        deletions=summary.deletions,
        files=list(churn.files),
        total=len(churn.files),
        coupling=list(churn.coupling),
        coupling_total=len(churn.coupling),
    )


def gradient_section(found: Findings, scope: SectionLimits = EVERYTHING) -> GradientSection | None:
    """Return the files that gather debt fastest, if that was measured."""
    if found.gradients is None:
        return None
    ranked = found.gradients
    return GradientSection(
        by_severity=dict(sorted(Counter(it.severity for it in ranked).items())),
        average=round(fmean(it.score for it in ranked), 3) if ranked else None,
        files=scope.listed(ranked, found),
        total=len(ranked),
    )


def defect_section(found: Findings, scope: SectionLimits = EVERYTHING) -> DefectSection | None:
    """Return the files that are most likely to need a bug fix, if that was predicted."""
    predicted = found.prediction
    if predicted is None:
        return None
    score = shipped_weights().score
    certain = [it for it in predicted.files if it.confidence >= scope.min_confidence]
    uncertain = [it for it in predicted.files if it.confidence < scope.min_confidence]
    return DefectSection(
        auc=round(score.auc, 3),
        brier=round(score.brier, 3),
        lacks_history=predicted.lacks_history,
        bands=count_bands(certain),
        below_confidence=count_bands(uncertain),
        files=[it.in_brief() for it in scope.listed(certain, found)],
        total=len(certain),
    )
