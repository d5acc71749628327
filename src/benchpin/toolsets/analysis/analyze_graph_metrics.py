"""Measure the dependency graph of a project."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.content import Content, EmbeddedResource, ResourceLink
from benchpin.core.results import not_measured
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.measures import graph
from benchpin.measures.graph import DependencyCycle, GraphTotals, NodeMetrics, Seed
from benchpin.present import (
    PICTURE_FORMATS,
    Column,
    Format,
    Image,
    ListParams,
    Report,
    Table,
    View,
    location,
)
from benchpin.present.charts import node_link
from benchpin.present.pictures import Picture, Specification, bars
from benchpin.project.pictures import DependencyMap, file_map, folder_map

from ._project import project_of
from ._selection import FilesSeen, SelectionParams, files_seen

_GRAPHML = "application/graphml+xml"
# A longer graph is stored and linked: the text of a result has 40,000 characters.
_MAX_EMBEDDED_CHARS = 32_000
# How much of a long cycle a line has room for.
_MAX_STEPS = 8


class GraphParams(ListParams, SelectionParams):
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


def _steps(cycle: DependencyCycle) -> str:
    path = cycle.steps()
    shown = path if len(path) <= _MAX_STEPS else [*path[:_MAX_STEPS], "…"]
    return " -> ".join([*shown, cycle.path[0]])


def _map_picture(
    name: str, title: str, found: "Callable[[GraphReport], DependencyMap | None]"
) -> "Picture[GraphReport]":
    def spec(report: "GraphReport") -> Specification:
        drawn = found(report)
        return {} if drawn is None else node_link(drawn.kinds, drawn.height, "Imports")

    return Picture(
        name=name,
        title=title,
        rows=lambda it: drawn.rows if (drawn := found(it)) else (),
        spec=spec,
        alt=lambda it, _: drawn.seen if (drawn := found(it)) else "",
        text=lambda rows: bars("edge", "count")(
            [
                {"edge": f"{it['source']} → {it['target']}", "count": it["count"]}
                for it in rows
                if it.get("is_edge")
            ]
        ),
        link="id",
    )


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
        headline=lambda it: [*_headline(it)],
        tables=(
            Table(
                rows=lambda it: it.nodes,
                columns=(
                    Column("name"),
                    Column("kind", is_detail=True),
                    location(is_detail=True),
                    Column("in_degree", heading="in"),
                    Column("out_degree", heading="out"),
                    Column("degree_centrality", heading="degree", is_detail=True),
                    Column("betweenness_centrality", heading="betweenness"),
                    Column("closeness_centrality", heading="closeness", is_detail=True),
                    Column("pagerank"),
                    Column("clustering_coefficient", heading="clustering", is_detail=True),
                    Column("community", is_detail=True),
                    Column("component", is_detail=True),
                ),
                title="Nodes, most important first",
            ),
            Table(
                rows=lambda it: it.cycles or (),
                columns=(Column("size", heading="nodes"), Column("path", _steps)),
                title=lambda it: f"Cycles, {len(it.cycles or ())} of {it.total_cycles:,}",
                summary_rows=3,
            ),
            Table(
                rows=lambda it: it.other_cycles or (),
                columns=(
                    Column("kind"),
                    Column("size", heading="nodes"),
                    Column("path", _steps),
                ),
                title=lambda it: (
                    "Cycles only with edges of another kind, "
                    f"{len(it.other_cycles or ())} of {it.total_other_cycles:,}"
                ),
                summary_rows=3,
            ),
            Table(
                rows=lambda it: it.unresolved_imports,
                columns=(
                    location(),
                    Column("import", lambda it: " ".join([it.module, *it.names])),
                    Column("reason"),
                ),
                title=lambda it: (
                    f"Unresolved imports, {len(it.unresolved_imports)} of {_unresolved(it):,}"
                ),
                summary_rows=3,
            ),
        ),
        pictures=(
            _map_picture("folders", "How folders depend on one another", lambda it: it.folders),
            _map_picture("files", "The files with the most imports", lambda it: it.files),
        ),
        notes=lambda it: [*it.looked_at.to_lines(), *_export_note(it)],
    )

    def lacks(self) -> list[str]:
        """Return which measures are missing, and why."""
        return [*super().lacks(), *not_measured(self.not_measured)]

    def to_text(self) -> str:
        """Return the drawing if there is one, else the report in the requested format."""
        return self.drawing or super().to_text()

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

    Use it to find what much of the code depends on. Communities are files that belong together.
    References that the code does not settle are left out and counted.
    """
    project = project_of(params, bench)
    built = project.graph(params.dag_type).required()
    seeds, positions = graph.find_seeds(built, params.pagerank_seeds)
    measured = graph.measures_of(
        bench.session,
        built,
        [it for it in graph.METRICS if "all" in params.metrics or it in params.metrics],
        bench.job,
        seeds=positions,
        damping=params.damping_factor,
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
        drawing=_drawing(params, built, nodes),
        folders=folder_map(built) if has_map else None,
        files=file_map(built) if has_map else None,
        format=params.format,
        picture=params.picture or "",
    )


def _export(graphml: str, bench: Bench) -> EmbeddedResource | ResourceLink:
    if len(graphml) <= _MAX_EMBEDDED_CHARS:
        return EmbeddedResource("export://graph.graphml", _GRAPHML, graphml)
    stored = bench.results.store(graphml, _GRAPHML)
    size = len(graphml.encode())
    return ResourceLink(stored.uri, "graph.graphml", _GRAPHML, "The graph, in pages", size)


def _export_note(report: GraphReport) -> Iterator[str]:
    if report.export is not None and report.graphml is not None:
        yield f"GraphML: {report.export.uri}, {counted(len(report.graphml), 'character')}"


def _drawing(params: GraphParams, built: graph.Graph, nodes: list[NodeMetrics]) -> str:
    match params.format:
        case "graphml":
            return graph.as_graphml(built, nodes)
        case "mermaid":
            return graph.as_mermaid(built, params.dag_type)
        case "dot":
            return graph.as_dot(built, params.dag_type)
    return ""


def _headline(totals: GraphTotals) -> Iterator[str]:
    size = f"{counted(totals.total_nodes, 'node')}, {counted(totals.total_edges, 'edge')}"
    pairs = (
        f" between {totals.connected_pairs:,} pairs"
        if totals.connected_pairs != totals.total_edges
        else ""
    )
    yield f"{totals.dag_type}: {size}{pairs}"
    if totals.edges_by_kind.keys() - {"runtime"}:
        kinds = (f"{count:,} {kind}" for kind, count in totals.edges_by_kind.items())
        yield f"edges by kind: {', '.join(kinds)}"
    for counts in totals.references:
        names = ("external", "outside", "resolved", "unresolved")
        found = ((getattr(counts, name), name) for name in names)
        yield f"{counts.kind}: " + ", ".join(f"{count:,} {name}" for count, name in found if count)
    if totals.density is not None:
        yield (
            f"density {totals.density:g}; edges per node: {totals.average_degree:.3g} on average, "
            f"{totals.max_degree:,} at most"
        )
    if totals.connected_components is not None:
        parts = counted(totals.connected_components, "connected component")
        cycles = counted(
            totals.total_cycles or 0, "group of nodes in a cycle", "groups of nodes in cycles"
        )
        others = (
            f", {totals.total_other_cycles:,} more by kind" if totals.total_other_cycles else ""
        )
        biggest = counted(totals.biggest_component or 0, "node")
        yield f"{parts}, the biggest of {biggest}; {cycles}{others}"
    if totals.communities is not None:
        modularity = "" if totals.modularity is None else f" (modularity {totals.modularity:.4f})"
        yield (
            f"average clustering {totals.average_clustering:.4f}; "
            f"{counted(totals.communities, 'community', 'communities')}{modularity}"
        )
    estimate = totals.centrality_estimate
    if estimate is not None:
        yield (
            "betweenness and closeness are estimated from "
            f"{estimate.sampled_nodes:,} of {counted(estimate.of_nodes, 'node')}: at most "
            f"{estimate.betweenness_error:g} and {estimate.closeness_error:g} off, "
            f"with {estimate.confidence:.0%} confidence"
        )


def _unresolved(report: GraphReport) -> int:
    return sum(counts.unresolved for counts in report.references if counts.kind == "imports")
