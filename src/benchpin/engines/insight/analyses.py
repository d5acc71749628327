"""All analyses of a project in one value, whole or cut to a length."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import WithJsonSchema

from benchpin.core import Item
from benchpin.engines.metrics.graph import DagType, Graph
from benchpin.engines.metrics.maintainability import measure_file
from benchpin.engines.source.index import FileFacts

from .findings import Findings
from .sections import (
    MOST,
    ChurnSection,
    CodeSummary,
    ComplexitySection,
    DeadCodeSection,
    DebtSection,
    DefectSection,
    DependencySection,
    DuplicatesSection,
    GradientSection,
    churn_section,
    code_summary,
    complexity_section,
    dead_code_section,
    debt_section,
    defect_section,
    dependency_section,
    duplicates_section,
    gradient_section,
)

AnyItem = TypeVar("AnyItem", bound=Item)

_SECTION = WithJsonSchema({"type": ["object", "null"]})
"""The tool of each analysis describes its own section; a schema costs tokens on every list."""
_LIST = WithJsonSchema({"type": ["array", "null"]})
_MOST_SYMBOLS = 100
_MOST_PLACES = 50
_MOST_INNER = 6
"""How long lists inside lists may be, such as the places of a clone."""
_LONGEST_TEXT = 400


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function or type."""

    name: str
    kind: str
    line: int
    end_line: int
    cyclomatic: int | None
    """None for a type."""
    cognitive: int | None


class AstContext(Item):
    """What a file contains."""

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


class Analyses(Item):
    """Every analysis; None is one that was not asked for or could not be made."""

    ast_summary: Annotated[CodeSummary | None, _SECTION]
    ast_contexts: Annotated[list[AstContext] | None, _LIST]
    """The biggest files first."""
    complexity_report: Annotated[ComplexitySection | None, _SECTION]
    churn_analysis: Annotated[ChurnSection | None, _SECTION]
    dependency_graph: Annotated[DependencySection | None, _SECTION]
    dead_code_results: Annotated[DeadCodeSection | None, _SECTION]
    satd_results: Annotated[DebtSection | None, _SECTION]
    duplicates: Annotated[DuplicatesSection | None, _SECTION]
    debt_gradient: Annotated[GradientSection | None, _SECTION]
    defect_probability: Annotated[DefectSection | None, _SECTION]


def analyses_of(found: Findings, graph: Graph | None, dag_type: DagType) -> Analyses:
    """Return every section; `graph` is the dependency graph that was asked for."""
    has_ast = "ast" in found.wanted
    whole = Analyses(
        ast_summary=code_summary(found.files) if has_ast else None,
        ast_contexts=_ast_contexts(found.files) if has_ast else None,
        complexity_report=complexity_section(found),
        churn_analysis=churn_section(found),
        dependency_graph=dependency_section(graph, found, dag_type),
        dead_code_results=dead_code_section(found.dead_code),
        satd_results=debt_section(found),
        duplicates=duplicates_section(found),
        debt_gradient=gradient_section(found),
        defect_probability=defect_section(found),
    )
    return whole.model_copy(update=_cut_sections(whole, MOST, _MOST_PLACES))


def cut(whole: Analyses, most: int) -> Analyses:
    """Return sections with shorter lists; files are named without their symbols."""
    sections = _cut_sections(whole, most, _MOST_INNER)
    if whole.ast_contexts is not None:
        files = whole.ast_contexts[:most]
        sections["ast_contexts"] = [it.model_copy(update={"symbols": []}) for it in files]
    return whole.model_copy(update=sections)


def _cut_sections(whole: Analyses, most: int, inner: int) -> dict[str, object]:
    return {
        name: shorten(section, most, inner) for name, section in whole if isinstance(section, Item)
    }


def shorten(it: AnyItem, most: int, inner: int = _MOST_INNER) -> AnyItem:
    """Return an item whose lists, inner lists and texts are cut to a length."""
    update: dict[str, object] = {}
    for name, value in it:
        if isinstance(value, Item):
            update[name] = shorten(value, most, inner)
        elif isinstance(value, str) and len(value) > _LONGEST_TEXT:
            update[name] = value[: _LONGEST_TEXT - 1] + "…"
        elif isinstance(value, list | tuple):
            kept = [
                shorten(one, inner, inner) if isinstance(one, Item) else one for one in value[:most]
            ]
            update[name] = tuple(kept) if isinstance(value, tuple) else kept
    return it.model_copy(update=update)


def _ast_contexts(files: Sequence[FileFacts]) -> list[AstContext]:
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
