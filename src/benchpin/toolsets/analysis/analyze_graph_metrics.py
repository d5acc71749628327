"""Measure the dependency graph of a project."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.content import Content, EmbeddedResource, ResourceLink
from benchpin.core.results import not_measured
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.measures import graph
from benchpin.measures.graph import GraphTotals, NodeMetrics, Seed
from benchpin.measures.views import graph as graph_view
from benchpin.measures.views.dependency_map import DependencyMap, file_map, folder_map
from benchpin.present import PICTURE_FORMATS, Format, Image, ListParams, Report, View

from ._selection import FilesSeen, ScopedParams, files_seen, project_of

_GRAPHML = "application/graphml+xml"
# A longer graph is stored and linked: the text of a result has 40,000 characters.
_MAX_EMBEDDED_CHARS = 32_000


class GraphParams(ListParams, ScopedParams):
    """Which graph, what to measure, and how to show it."""

    dag_type: graph.DagType = "import-graph"
    """Files that import, functions that call, types and their bases, or all."""
    metrics: Rare[
        tuple[Literal["centrality", "pagerank", "clustering", "components", "all"], ...]
    ] = ("all",)
    """What to measure."""
    pagerank_seeds: Rare[tuple[str, ...]] = ()
    """Nodes such as main.rs: PageRank then ranks what is important to these."""
    damping_factor: Rare[Annotated[float, Field(ge=0, le=0.99)]] = 0.85
    """The probability that PageRank follows an edge instead of restarting."""
    graphml: Rare[bool] = False
    """Whether to return the whole graph as GraphML as well."""
    format: Rare[Literal[Format, Image, "graphml", "mermaid", "dot"]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details, csv has every node; mermaid and dot draw the
    nodes with the most edges."""
    picture: Rare[Literal["folders", "files"] | None] = None
    """What svg and png show: how folders import one another, or the files with most imports."""

    shown_by = ListParams.shown_by | {"graphml"}


class GraphReport(Report, GraphTotals):
    """Totals, and nodes, most important first."""

    seeds: list[Seed]
    nodes: list[NodeMetrics]
    total: int
    next_cursor: str | None
    not_measured: dict[str, str]
    looked_at: FilesSeen
    graphml: Annotated[str | None, Field(exclude_if=lambda it: it is None)] = None
    drawing: Annotated[str, Field(exclude=True)] = ""
    """The graph in a format of its own, if one was asked for."""
    export: Annotated[EmbeddedResource | ResourceLink | None, Field(exclude=True)] = None
    """The GraphML as a block of content: itself, or a link if it is long."""
    folders: Annotated[DependencyMap | None, Field(exclude=True)] = None
    files: Annotated[DependencyMap | None, Field(exclude=True)] = None

    view = View["GraphReport"](
        title="Dependency graph",
        headline=graph_view.headline,
        tables=graph_view.TABLES,
        pictures=graph_view.MAPS,
        notes=lambda it: [*it.looked_at.to_lines(), *it.export_note()],
    )

    def lacks(self) -> list[str]:
        """Return which measures are missing, and why."""
        return [*super().lacks(), *not_measured(self.not_measured)]

    def to_text(self) -> str:
        """Return the drawing if there is one, else the report in the requested format."""
        return self.drawing or super().to_text()

    def export_note(self) -> Iterator[str]:
        """Yield where the GraphML is, if it was asked for."""
        if self.export and self.graphml:
            yield f"GraphML: {self.export.uri}, {counted(len(self.graphml), 'character')}"

    def to_content(self) -> Sequence[Content]:
        """Return the report, and the GraphML if it was asked for and is not in the report."""
        blocks = super().to_content()
        if self.export is None or self.format in {"json", "graphml"}:
            return blocks
        return (*blocks, self.export)


@tool(
    title="Graph metrics",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "dependencies between modules, circular imports, cycles, who imports, what depends on "
        "it, call graph, coupling, draw a diagram, inheritance, architecture graph, class "
        "hierarchy, impact, tangled modules, import loops, most used module, what is everything "
        "built on"
    ),
)
def analyze_graph_metrics(params: GraphParams, bench: Bench) -> GraphReport:
    """Measure the dependency graph: centrality, PageRank, communities, components, cycles.

    PageRank shows what much of the code depends on. Communities are files that belong together.
    References that cannot be resolved are left out and counted.
    """
    project = project_of(params, bench)
    built = project.graph(params.dag_type).required()
    seeds, positions = graph.find_seeds(built, params.pagerank_seeds)
    metrics = [it for it in graph.METRICS if "all" in params.metrics or it in params.metrics]
    measured = graph.measures_of(
        project, params.dag_type, metrics, seeds=positions, damping=params.damping_factor
    )
    nodes = graph.node_metrics(built, measured)
    graphml = graph.as_graphml(built, nodes) if params.graphml else None
    page = params.page(graph.rank(nodes))
    has_map = params.format in PICTURE_FORMATS and params.dag_type == "import-graph"
    return GraphReport(
        **dict(graph.graph_totals(params.dag_type, built, measured)),
        seeds=seeds,
        nodes=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        not_measured=measured.not_measured,
        looked_at=files_seen(project.sources),
        graphml=graphml,
        export=None if graphml is None else _export(graphml, bench),
        drawing=graph.drawn(params.format, built, params.dag_type, nodes),
        folders=folder_map(built) if has_map else None,
        files=file_map(built) if has_map else None,
        format=params.format,
        picture=params.picture or "",
    )


def _export(graphml: str, bench: Bench) -> EmbeddedResource | ResourceLink:
    if len(graphml) <= _MAX_EMBEDDED_CHARS:
        return EmbeddedResource("export://graph.graphml", _GRAPHML, graphml)
    uri, size = bench.results.store(graphml, _GRAPHML).uri, len(graphml.encode())
    return ResourceLink(uri, "graph.graphml", _GRAPHML, "The graph, in pages", size)
