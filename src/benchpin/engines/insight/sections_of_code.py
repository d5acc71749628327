"""What the code is made of, as sections of a report."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.core import Item
from benchpin.engines.metrics import complexity, debt
from benchpin.engines.metrics.dead_code import DeadCodeSummary, DeadItem
from benchpin.engines.metrics.duplicates import CloneGroup, DuplicateSummary
from benchpin.engines.metrics.maintainability import measure_file
from benchpin.engines.source.index import FileFacts

from .findings import Findings, first_of_each

MOST = 1_000
"""How many items of a list are kept at all; totals say how many there are."""
_MOST_SYMBOLS = 100


class LanguageShare(Item):
    """How much of the code is in a language."""

    language: str
    files: int
    code_lines: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function or type; no item, because there are so many."""

    name: str
    kind: str
    line: int
    end_line: int
    cyclomatic: int | None
    """None for a type."""
    cognitive: int | None


class AstContext(Item):
    """What a file is made of."""

    file: str
    language: str
    lines: int
    code_lines: int
    functions: int
    types: int
    imports: int
    maintainability_index: float
    symbols: list[Symbol]
    """By line."""


class AstSummary(Item):
    """All files together."""

    files: int
    functions: int
    types: int
    languages: list[LanguageShare]


class ComplexFunction(Item):
    """A function over a threshold."""

    file: str
    line: int
    function: str
    severity: complexity.Severity
    cyclomatic: int
    cognitive: int


class ComplexitySection(Item):
    """How complex all functions are, those of tests too."""

    summary: complexity.ComplexitySummary
    violations: list[ComplexFunction]
    total: int


class DeadCodeSection(Item):
    """What nothing uses."""

    summary: DeadCodeSummary
    items: list[DeadItem]
    total: int


class DebtSection(Item):
    """What comments admit."""

    summary: debt.DebtSummary
    items: list[debt.DebtItem]
    total: int


class DuplicatesSection(Item):
    """Code that stands more than once, in tests too."""

    summary: DuplicateSummary
    groups: list[CloneGroup]
    total: int


def ast_summary_of(files: Sequence[FileFacts]) -> AstSummary:
    """Return what all files are made of."""
    shares = defaultdict[str, list[int]](list)
    for file in files:
        shares[file.language].append(file.outline.code_lines)
    languages = [
        LanguageShare(language=name, files=len(sizes), code_lines=sum(sizes))
        for name, sizes in shares.items()
    ]
    return AstSummary(
        files=len(files),
        functions=sum(len(file.outline.functions) for file in files),
        types=sum(len(file.outline.types) for file in files),
        languages=sorted(languages, key=lambda it: (-it.code_lines, it.language)),
    )


def ast_contexts_of(files: Sequence[FileFacts]) -> list[AstContext]:
    """Return what each file is made of, the biggest first."""
    biggest = sorted(files, key=lambda it: (-it.outline.code_lines, it.path))
    return [_ast_context(file) for file in biggest[:MOST]]


def _ast_context(file: FileFacts) -> AstContext:
    outline = file.outline
    symbols = [
        Symbol(it.name, it.kind, it.line, it.end_line, it.cyclomatic, it.cognitive)
        for it in outline.functions
    ]
    symbols += [Symbol(it.name, it.kind, it.line, it.end_line, None, None) for it in outline.types]
    return AstContext(
        file=file.path,
        language=file.language,
        lines=outline.lines,
        code_lines=outline.code_lines,
        functions=len(outline.functions),
        types=len(outline.types),
        imports=len(file.links.imports),
        maintainability_index=round(measure_file(outline).maintainability_index, 1),
        symbols=sorted(symbols, key=lambda it: (it.line, it.name))[:_MOST_SYMBOLS],
    )


def complexity_of(found: Findings) -> ComplexitySection | None:
    """Return how complex the functions are, if that was asked for."""
    if "complexity" not in found.wanted:
        return None
    violations = complexity.find_violations(found.files, complexity.Thresholds())
    functions = first_of_each(violations)
    return ComplexitySection(
        summary=complexity.summarize(found.files, violations),
        violations=[
            ComplexFunction(
                file=it.file,
                line=it.line,
                function=it.function,
                severity=it.severity,
                cyclomatic=it.cyclomatic,
                cognitive=it.cognitive,
            )
            for it in functions
        ],
        total=len(functions),
    )


def dead_code_of(found: Findings) -> DeadCodeSection | None:
    """Return what nothing uses, if that was measured."""
    dead = found.dead_code
    if dead is None:
        return None
    return DeadCodeSection(summary=dead.summary, items=dead.items, total=len(dead.items))


def debt_of(found: Findings) -> DebtSection | None:
    """Return what comments admit, if that was measured."""
    admitted = found.debt
    if admitted is None:
        return None
    summary = debt.summarize(admitted, admitted.items, len(found.files))
    return DebtSection(summary=summary, items=admitted.items, total=len(admitted.items))


def duplicates_of(found: Findings) -> DuplicatesSection | None:
    """Return what stands more than once, if that was measured."""
    clones = found.duplicates
    if clones is None:
        return None
    return DuplicatesSection(summary=clones.summary, groups=clones.groups, total=len(clones.groups))
