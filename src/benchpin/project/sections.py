"""One section of a report for each analysis: totals, and the first items."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from benchpin.core.results import Item
from benchpin.facts import FileFacts
from benchpin.measures import complexity, debt
from benchpin.measures.churn import CoupledFiles, FileChurn
from benchpin.measures.clones import CloneGroup, DuplicateSummary
from benchpin.measures.complexity import FileSummary
from benchpin.measures.debt_gradient import DebtGradient
from benchpin.measures.graph import DagType, DependencyCycle, Graph, UnresolvedImport, find_cycles
from benchpin.measures.unused import SURE_FROM, DeadCode, DeadCodeSummary, DeadItem
from benchpin.project.defects import Band, DefectPrediction, count_bands

from ._findings import Findings, first_of_each

# A stored report keeps this many items of a list; totals give the true number.
MAX_ITEMS = 1_000
# The minimum of defect predictions, unless a caller chooses another one.
MIN_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class SectionLimits:
    """How much of each analysis a section has."""

    limit: int = MAX_ITEMS
    min_confidence: float = MIN_CONFIDENCE
    """Of defect predictions."""
    min_lines: int = 0
    """Files with fewer lines of code, and clones with fewer lines, are counted but not listed."""


EVERYTHING = SectionLimits()


class LanguageShare(Item):
    """How much of the code is in a language."""

    language: str
    files: int
    code_lines: int


class CodeSummary(Item):
    """How big a project is."""

    files: int
    functions: int
    types: int
    lines: int
    code_lines: int
    languages: list[LanguageShare]
    """The most code first."""


class ComplexitySection(Item):
    """Functions that are hard to follow, tests included."""

    summary: complexity.ComplexitySummary
    violations: list[complexity.ComplexityViolation]
    """The worst violation of each function."""
    total: int
    """How many functions are over a threshold."""


class DeadCodeSection(Item):
    """Code that nothing uses."""

    summary: DeadCodeSummary
    items: list[DeadItem]
    total: int
    certain: int
    """How many of them analyze_dead_code reports by default, and the scorecard counts."""


class DebtSection(Item):
    """Comments that admit debt."""

    summary: debt.DebtSummary
    items: list[debt.DebtItem]
    total: int


class DuplicatesSection(Item):
    """Exact clones, tests included; analyze_duplicates finds similar code too."""

    summary: DuplicateSummary
    groups: list[CloneGroup]
    total: int


class ChurnSection(Item):
    """What changed in the period, code or not."""

    period_days: int | float
    commits: int
    authors: int
    additions: int
    deletions: int
    files: list[FileChurn]
    total: int
    coupling: list[CoupledFiles]
    coupling_total: int


class NodeDegree(Item):
    """A node that many others depend on."""

    name: str
    dependents: int
    depends_on: int


class DependencySection(Item):
    """The dependency graph."""

    dag_type: DagType
    nodes: int
    edges: int
    references: dict[str, dict[str, int]]
    """How many imports, calls or bases were resolved, or why not, by kind."""
    most_depended_on: list[NodeDegree]
    cycles: list[DependencyCycle]
    """Of files that import one another at run time, whatever the graph."""
    total_cycles: int
    other_cycles: list[DependencyCycle]
    """Those that need lazy imports, or imports of tests or of types."""
    total_other_cycles: int
    unresolved_imports: list[UnresolvedImport]
    unresolved_total: int


class GradientSection(Item):
    """How fast files gather technical debt, the fastest first."""

    by_severity: dict[str, int]
    average: float | None
    files: list[DebtGradient]
    total: int


class DefectSection(Item):
    """The files that are most likely to need a bug fix within a year."""

    model: Literal["own", "shipped"]
    """own: fitted on the bug fixes of this repository; shipped: on those of public ones."""
    auc: float | None
    """How the model did in the last year, which was held back; None where that is unknown."""
    brier: float | None
    lacks_history: str
    """Why only the code counts; empty where the history counts too."""
    bands: dict[Band, int]
    """Files by band, those that are certain enough."""
    below_confidence: dict[Band, int]
    """Files by band that are left out because their band is not certain enough."""
    files: list[DefectPrediction]
    total: int


def confidences(
    dead: DeadCodeSection | None, defects: DefectSection | None, debts: DebtSection | None = None
) -> Iterator[float]:
    """Yield how sure the rows are of those sections that estimate something."""
    yield from (it.confidence for it in (dead.items if dead else ()))
    yield from (it.confidence for it in (defects.files if defects else ()))
    yield from (it.confidence for it in (debts.items if debts else ()))


def code_summary(files: Sequence[FileFacts], summaries: Mapping[str, FileSummary]) -> CodeSummary:
    """Return how big a project is."""
    shares = defaultdict[str, list[int]](list)
    for file in files:
        shares[file.language].append(summaries[file.path].code_lines)
    known = [summaries[file.path] for file in files]
    languages = [
        LanguageShare(language=name, files=len(sizes), code_lines=sum(sizes))
        for name, sizes in shares.items()
    ]
    return CodeSummary(
        files=len(files),
        functions=sum(len(it.cyclomatic) for it in known),
        types=sum(it.types for it in known),
        lines=sum(it.lines for it in known),
        code_lines=sum(it.code_lines for it in known),
        languages=sorted(languages, key=lambda it: (-it.code_lines, it.language)),
    )


def complexity_section(
    found: Findings, scope: SectionLimits = EVERYTHING
) -> ComplexitySection | None:
    """Return the functions that are hardest to follow, if they were measured."""
    if found.complexity is None:
        return None
    functions = first_of_each(found.complexity.violations)
    listed = [it for it in functions if _is_large(it.file, found, scope)]
    return ComplexitySection(
        summary=found.complexity.summary,
        violations=listed[: scope.limit],
        total=len(functions),
    )


def dead_code_section(
    dead: DeadCode | None, found: Findings, scope: SectionLimits = EVERYTHING
) -> DeadCodeSection | None:
    """Return what nothing uses, the most certain first."""
    if dead is None:
        return None
    items = [it for it in dead.items if _is_large(it.file, found, scope)]
    return DeadCodeSection(
        summary=dead.summary,
        items=items[: scope.limit],
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


def dependency_section(
    graph: Graph | None, found: Findings, dag_type: DagType
) -> DependencySection | None:
    """Return the dependency graph that was asked for, if it was built."""
    if graph is None or found.cycles is None:
        return None
    pairs = graph.pairs()
    used = Counter(source for source, _ in pairs)
    users = Counter(target for _, target in pairs)
    ranked = sorted(users, key=lambda at: (-users[at], graph.nodes[at].id))
    cycles = find_cycles(found.graph) if found.graph is not None else ()
    others = [it for it, _ in cycles if it.kind != "runtime"]
    return DependencySection(
        dag_type=dag_type,
        nodes=len(graph.nodes),
        edges=len(graph.edges),
        references={kind: dict(counts) for kind, counts in graph.outcomes.items()},
        most_depended_on=[
            NodeDegree(name=graph.nodes[at].id, dependents=users[at], depends_on=used[at])
            for at in ranked
        ],
        cycles=[
            DependencyCycle(len(it.files), list(it.path), "runtime", list(map(it.line, it.path)))
            for it in found.cycles
        ],
        total_cycles=len(found.cycles),
        other_cycles=others,
        total_other_cycles=len(others),
        unresolved_imports=graph.unresolved_imports,
        unresolved_total=len(graph.unresolved_imports),
    )


def gradient_section(found: Findings, scope: SectionLimits = EVERYTHING) -> GradientSection | None:
    """Return the files that gather debt fastest, if that was measured."""
    if found.gradients is None:
        return None
    ranked = found.gradients
    listed = [it for it in ranked if _is_large(it.file, found, scope)]
    return GradientSection(
        by_severity=dict(sorted(Counter(it.severity for it in ranked).items())),
        average=round(fmean(it.score for it in ranked), 3) if ranked else None,
        files=listed[: scope.limit],
        total=len(ranked),
    )


def defect_section(found: Findings, scope: SectionLimits = EVERYTHING) -> DefectSection | None:
    """Return the files that are most likely to need a bug fix, if that was predicted."""
    predicted = found.prediction
    if predicted is None:
        return None
    score = predicted.model.score
    certain = [it for it in predicted.files if it.confidence >= scope.min_confidence]
    uncertain = [it for it in predicted.files if it.confidence < scope.min_confidence]
    listed = [it for it in certain if _is_large(it.file, found, scope)]
    return DefectSection(
        model=predicted.model.source,
        auc=None if score is None or score.auc is None else round(score.auc, 3),
        brier=None if score is None else round(score.brier, 3),
        lacks_history=predicted.lacks_history,
        bands=count_bands(certain),
        below_confidence=count_bands(uncertain),
        files=[it.in_brief() for it in listed[: scope.limit]],
        total=len(certain),
    )


def _is_large(path: str, found: Findings, scope: SectionLimits) -> bool:
    return found.summaries[path].code_lines >= scope.min_lines
