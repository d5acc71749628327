"""What the code is made of, as sections of a report; None cuts no list."""

from collections import defaultdict
from collections.abc import Sequence

from benchpin.core import Item
from benchpin.engines.metrics import complexity, debt
from benchpin.engines.metrics.dead_code import DeadCodeSummary, DeadItem
from benchpin.engines.metrics.duplicates import CloneGroup, DuplicateSummary
from benchpin.engines.metrics.maintainability import measure_file
from benchpin.engines.source.index import FileFacts

from .findings import Findings

_MOST_FRAGMENTS = 6


class LanguageShare(Item):
    """How much of the code is in a language."""

    language: str
    files: int
    code_lines: int


class Symbol(Item):
    """A function or type."""

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
    """The first by line, as many as there is room for."""


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


def ast_contexts_of(files: Sequence[FileFacts], most: int | None) -> list[AstContext]:
    """Return what each file is made of, the biggest first."""
    biggest = sorted(files, key=lambda it: (-it.outline.code_lines, it.path))
    return [_ast_context(file, most) for file in biggest[:most]]


def _ast_context(file: FileFacts, most: int | None) -> AstContext:
    outline = file.outline
    symbols = [
        Symbol(
            name=it.name,
            kind=it.kind,
            line=it.line,
            end_line=it.end_line,
            cyclomatic=it.cyclomatic,
            cognitive=it.cognitive,
        )
        for it in outline.functions[: None if most is None else 0]
    ]
    symbols += [
        Symbol(
            name=it.name,
            kind=it.kind,
            line=it.line,
            end_line=it.end_line,
            cyclomatic=None,
            cognitive=None,
        )
        for it in outline.types[:most]
    ]
    return AstContext(
        file=file.path,
        language=file.language,
        lines=outline.lines,
        code_lines=outline.code_lines,
        functions=len(outline.functions),
        types=len(outline.types),
        imports=len(file.links.imports),
        maintainability_index=round(measure_file(outline).maintainability_index, 1),
        symbols=sorted(symbols, key=lambda it: (it.line, it.name)),
    )


def complexity_of(found: Findings, most: int | None) -> ComplexitySection | None:
    """Return how complex the functions are, if that was asked for."""
    if "complexity" not in found.wanted:
        return None
    violations = complexity.find_violations(found.files, complexity.Thresholds())
    worst = {(it.file, it.function.line, it.function.name): it for it in reversed(violations)}
    functions = list(reversed(worst.values()))
    return ComplexitySection(
        summary=complexity.summarize(found.files, violations),
        violations=[
            ComplexFunction(
                file=it.file,
                line=it.function.line,
                function=it.function.name,
                severity=it.severity,
                cyclomatic=it.function.cyclomatic,
                cognitive=it.function.cognitive,
            )
            for it in functions[:most]
        ],
        total=len(functions),
    )


def dead_code_of(found: Findings, most: int | None) -> DeadCodeSection | None:
    """Return what nothing uses, if that was measured."""
    dead = found.dead_code
    if dead is None:
        return None
    return DeadCodeSection(summary=dead.summary, items=dead.items[:most], total=len(dead.items))


def debt_of(found: Findings, most: int | None) -> DebtSection | None:
    """Return what comments admit, if that was measured."""
    admitted = found.debt
    if admitted is None:
        return None
    top_files = len(found.files) if most is None else most
    summary = debt.summarize(admitted, admitted.items, top_files)
    return DebtSection(summary=summary, items=admitted.items[:most], total=len(admitted.items))


def duplicates_of(found: Findings, most: int | None) -> DuplicatesSection | None:
    """Return what stands more than once, if that was measured."""
    clones = found.duplicates
    if clones is None:
        return None
    groups = clones.groups[:most]
    if most is not None:
        groups = [
            it.model_copy(update={"fragments": it.fragments[:_MOST_FRAGMENTS]}) for it in groups
        ]
    return DuplicatesSection(summary=clones.summary, groups=groups, total=len(clones.groups))
