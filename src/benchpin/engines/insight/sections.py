"""The analyses of a project as sections of one report, each cut to a length on demand."""

from benchpin.core import Item
from benchpin.engines.metrics.graph import DagType, Graph

from .findings import Findings
from .sections_of_code import (
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


class Analyses(Item):
    """Every analysis; None is one that was not asked for or could not be made."""

    ast_summary: AstSummary | None
    ast_contexts: list[AstContext] | None
    """The biggest files first."""
    complexity_report: ComplexitySection | None
    churn_analysis: ChurnSection | None
    dependency_graph: DependencySection | None
    dead_code_results: DeadCodeSection | None
    satd_results: DebtSection | None
    duplicates: DuplicatesSection | None
    debt_gradient: GradientSection | None
    defect_probability: DefectSection | None


def analyses_of(
    found: Findings, chosen: Graph | None, dag_type: DagType, most: int | None
) -> Analyses:
    """Return every section with lists up to a length; None cuts nothing.

    `chosen` is the graph that was asked for.
    """
    has_ast = "ast" in found.wanted
    return Analyses(
        ast_summary=ast_summary_of(found.files) if has_ast else None,
        ast_contexts=ast_contexts_of(found.files, most) if has_ast else None,
        complexity_report=complexity_of(found, most),
        churn_analysis=churn_of(found, most),
        dependency_graph=dependencies_of(chosen, found, dag_type, most),
        dead_code_results=dead_code_of(found, most),
        satd_results=debt_of(found, most),
        duplicates=duplicates_of(found, most),
        debt_gradient=gradients_of(found, most),
        defect_probability=defects_of(found, most),
    )
