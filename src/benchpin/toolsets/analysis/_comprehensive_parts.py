"""What a comprehensive report is made of: each analysis in brief, from the project's measures."""

from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from benchpin.core import Item
from benchpin.engines.insight import defects
from benchpin.engines.insight.findings import Findings, first_of_each
from benchpin.engines.insight.project import Project
from benchpin.engines.metrics import complexity, dead_code, debt_gradient, duplicates


class Overview(Item):
    """How big the project is."""

    files: int
    functions: int
    lines: int
    code_lines: int
    languages: dict[str, int]
    """Lines of code by language, the most first."""


class HardFunction(Item):
    """A function over a threshold."""

    file: str
    line: int
    function: str
    cyclomatic: int
    cognitive: int


class ComplexityPart(Item):
    """Functions that are hard to follow."""

    summary: complexity.ComplexitySummary
    total: int
    """How many functions are over a threshold of analyze_complexity."""
    worst: list[HardFunction]


class DuplicatesPart(Item):
    """Code that stands more than once, word for word; analyze_duplicates finds similar code too."""

    summary: duplicates.DuplicateSummary
    total: int
    biggest: list[duplicates.CloneGroup]


class DeadCodePart(Item):
    """Code that nothing uses."""

    summary: dead_code.DeadCodeSummary
    min_confidence: float
    total: int
    sure: int
    """How many of them analyze_dead_code tells by default, and the scorecard counts."""
    surest: list[dead_code.DeadItem]


class GradientPart(Item):
    """How fast files gather technical debt."""

    critical: int
    warning: int
    average: float | None
    """Of the files that were ranked."""
    total: int
    steepest: list[debt_gradient.DebtGradient]


class RiskyFile(Item):
    """A file that is likely to need a bug fix within a year."""

    file: str
    probability: float
    band: defects.Band
    confidence: float


class DefectsPart(Item):
    """Which files are likely to need a bug fix within a year."""

    model: Literal["own", "shipped"]
    """own: fitted on the bug fixes of this repository; shipped: on those of public ones."""
    auc: float | None
    """How the model did in the last year of this repository; None where that is not known."""
    brier: float | None
    lacks_history: str
    """Why the history takes no part, so that files are judged by their code alone; else empty."""
    bands: dict[defects.Band, int]
    """All files by band, also those that are less sure than asked for."""
    total: int
    """How many files are sure enough and not too small."""
    likeliest: list[RiskyFile]


@dataclass(frozen=True, slots=True)
class Scope:
    """How much of each analysis to tell."""

    limit: int
    min_confidence: float
    min_lines: int


def overview_of(project: Project) -> Overview:
    """Return how big a project is."""
    outlines = [file.outline for file in project.files]
    languages = Counter[str]()
    for file in project.files:
        languages[file.language] += file.outline.code_lines
    return Overview(
        files=len(outlines),
        functions=sum(len(it.functions) for it in outlines),
        lines=sum(it.lines for it in outlines),
        code_lines=languages.total(),
        languages=dict(sorted(languages.items(), key=lambda it: (-it[1], it[0]))),
    )


def complexity_part(project: Project, scope: Scope) -> ComplexityPart | None:
    """Return the functions that are hardest to follow; None when that was not measured."""
    found = project.complexity().value
    if found is None:
        return None
    hard = first_of_each(found.violations)
    return ComplexityPart(
        summary=found.summary,
        total=len(hard),
        worst=[
            HardFunction(
                file=it.file,
                line=it.line,
                function=it.function,
                cyclomatic=it.cyclomatic,
                cognitive=it.cognitive,
            )
            for it in hard[: scope.limit]
        ],
    )


def duplicates_part(found: Findings, scope: Scope) -> DuplicatesPart | None:
    """Return the biggest exact clones, if they were looked for."""
    clones = found.duplicates
    if clones is None:
        return None
    biggest = clones.groups[: scope.limit]
    return DuplicatesPart(summary=clones.summary, total=len(clones.groups), biggest=biggest)


def dead_code_part(project: Project, scope: Scope) -> DeadCodePart | None:
    """Return what is dead most surely."""
    found = project.dead_code(scope.min_confidence).value
    if found is None:
        return None
    return DeadCodePart(
        summary=found.summary,
        min_confidence=scope.min_confidence,
        total=len(found.items),
        sure=sum(it.confidence >= dead_code.SURE_FROM for it in found.items),
        surest=found.items[: scope.limit],
    )


def gradient_part(found: Findings, scope: Scope) -> GradientPart | None:
    """Return the files that gather debt fastest, if that was measured."""
    if found.gradients is None:
        return None
    sizes = {file.path: file.outline.code_lines for file in found.files}
    ranked = [it for it in found.gradients if sizes[it.file] >= scope.min_lines]
    severities = Counter(it.severity for it in ranked)
    scores = [it.score for it in ranked]
    return GradientPart(
        critical=severities["critical"],
        warning=severities["warning"],
        average=round(fmean(scores), 3) if scores else None,
        total=len(ranked),
        steepest=ranked[: scope.limit],
    )


def defects_part(found: Findings, scope: Scope) -> DefectsPart | None:
    """Return the files that are likeliest to need a bug fix, if that was predicted."""
    predicted = found.prediction
    if predicted is None:
        return None
    score = predicted.model.score
    sizes = {file.path: file.outline.code_lines for file in found.files}
    sure = [
        it
        for it in predicted.files
        if it.confidence >= scope.min_confidence and sizes[it.file] >= scope.min_lines
    ]
    bands = Counter(it.band for it in predicted.files)
    return DefectsPart(
        model=predicted.model.source,
        auc=None if score is None or score.auc is None else round(score.auc, 3),
        brier=None if score is None else round(score.brier, 3),
        lacks_history=predicted.lacks_history,
        bands={band: bands[band] for band in defects.BANDS},
        total=len(sure),
        likeliest=[
            RiskyFile(
                file=it.file,
                probability=round(it.probability, 3),
                band=it.band,
                confidence=round(it.confidence, 3),
            )
            for it in sure[: scope.limit]
        ],
    )
