"""The analyses of a project as sections of one report, each cut to a length on demand."""

from typing import Annotated, TypeVar

from pydantic import WithJsonSchema

from benchpin.core import Item
from benchpin.engines.metrics.graph import DagType, Graph

from .findings import Findings
from .sections_of_code import (
    MOST,
    AstContext,
    AstSummary,
    ComplexitySection,
    DeadCodeSection,
    DebtSection,
    DuplicatesSection,
    ast_contexts_of,
    ast_summary_of,
    complexity_of,
    dead_code_of,
    debt_of,
    duplicates_of,
)
from .sections_of_files import (
    ChurnSection,
    DefectSection,
    DependencySection,
    GradientSection,
    churn_of,
    defects_of,
    dependencies_of,
    gradients_of,
)

AnyItem = TypeVar("AnyItem", bound=Item)

_SECTION = WithJsonSchema({"type": ["object", "null"]})
"""The tool of each analysis says what is in it, and callers pay for every byte of a schema."""
_LIST = WithJsonSchema({"type": ["array", "null"]})
_MOST_PLACES = 50
_MOST_INNER = 6
"""How long lists inside of lists may be, such as the places of a clone."""


class Analyses(Item):
    """Every analysis; None is one that was not asked for or could not be made."""

    ast_summary: Annotated[AstSummary | None, _SECTION]
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


def analyses_of(found: Findings, chosen: Graph | None, dag_type: DagType) -> Analyses:
    """Return every section, of very long lists the first; `chosen` is the graph asked for."""
    has_ast = "ast" in found.wanted
    whole = Analyses(
        ast_summary=ast_summary_of(found.files) if has_ast else None,
        ast_contexts=ast_contexts_of(found.files) if has_ast else None,
        complexity_report=complexity_of(found),
        churn_analysis=churn_of(found),
        dependency_graph=dependencies_of(chosen, found, dag_type),
        dead_code_results=dead_code_of(found),
        satd_results=debt_of(found),
        duplicates=duplicates_of(found),
        debt_gradient=gradients_of(found),
        defect_probability=defects_of(found),
    )
    return whole.model_copy(update=_cut_sections(whole, MOST, _MOST_PLACES))


def cut(whole: Analyses, most: int) -> Analyses:
    """Return sections with lists up to a length; files are named without what is in them."""
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
    """Return something with lists up to a length, and those inside of lists up to another."""
    update: dict[str, object] = {}
    for name, value in it:
        if isinstance(value, Item):
            update[name] = shorten(value, most, inner)
        elif isinstance(value, list | tuple):
            kept = [
                shorten(one, inner, inner) if isinstance(one, Item) else one for one in value[:most]
            ]
            update[name] = tuple(kept) if isinstance(value, tuple) else kept
    return it.model_copy(update=update)
