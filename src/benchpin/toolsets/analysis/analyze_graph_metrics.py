"""Find what a project hangs on: its dependency graph, measured."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, Item, Page, tool
from benchpin.engines.metrics import graph

from . import _graph_text as text
from ._formats import Report, page_of
from ._project import project_of
from ._selection import FilesSeen, SelectionParams, files_seen

_MOST_CYCLES = 20
_MOST_UNRESOLVED = 100
_Optional = Field(exclude_if=lambda it: it is None)


class GraphParams(SelectionParams):
    """Which graph, what to measure, and how to show it."""

    dag_type: graph.DagType = "import-graph"
    """Between what: files that import files, functions that call functions, types, or all."""
    metrics: tuple[Literal["centrality", "pagerank", "clustering", "components", "all"], ...] = (
        "all",
    )
    """What to measure."""
    pagerank_seeds: tuple[str, ...] = ()
    """Nodes that matter, such as main.rs: PageRank then says what is important to them."""
    damping_factor: Annotated[float, Field(ge=0, le=0.99)] = 0.85
    """How likely PageRank follows an edge rather than starts anew."""
    graphml: bool = False
    """Whether to return the whole graph as GraphML as well."""
    format: Literal[
        "summary", "detailed", "json", "csv", "markdown", "graphml", "mermaid", "dot"
    ] = "summary"
    """How to show it; mermaid and dot draw the nodes with most edges."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 20
    """How many nodes to return, the most important first."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


class NodeMetrics(Item):
    """A file, function or type, and its place in the graph; null is not measured."""

    name: str
    kind: str
    file: str
    line: int
    in_degree: int
    out_degree: int
    degree_centrality: float | None
    betweenness_centrality: float | None
    closeness_centrality: float | None
    pagerank: float | None
    clustering_coefficient: float | None
    community: int | None
    component: int | None


class DependencyCycle(Item):
    """Nodes that all depend on one another, and a shortest way around."""

    size: int
    path: list[str]


class References(Item):
    """What became of the imports, calls or bases in the code; only resolved ones make edges."""

    kind: Literal["imports", "calls", "inherits", "defines"]
    resolved: int
    external: int
    outside: int
    unresolved: int


class Seed(Item):
    """A seed, and the nodes that it means."""

    seed: str
    nodes: list[str]


class GraphReport(Report):
    """The graph as a whole, and its nodes, the most important first."""

    dag_type: graph.DagType
    total_nodes: int
    total_edges: int
    """One for each kind of edge between two nodes, as GraphML and the drawings have them."""
    connected_pairs: int
    """Nodes with an edge of any kind between them; every measure counts these."""
    density: float | None
    average_degree: float | None
    max_degree: int | None
    connected_components: int | None
    strongly_connected_components: int | None
    cycles: list[DependencyCycle] | None
    total_cycles: int | None
    average_clustering: float | None
    communities: int | None
    modularity: float | None
    references: list[References]
    unresolved_imports: list[graph.LostImport]
    """The first of them by file and line; references says how many there are."""
    seeds: list[Seed]
    nodes: list[NodeMetrics]
    total: int
    next_cursor: str | None
    not_measured: dict[str, str]
    looked_at: FilesSeen
    graphml: Annotated[str | None, _Optional] = None


@tool(title="Graph metrics", effect=Effect.READ)
def analyze_graph_metrics(params: GraphParams, bench: Bench) -> GraphReport:
    """Measure the dependency graph: centrality, PageRank, communities, components, cycles.

    Use it to find what much depends on, and what hangs together. Edges that are not certain from
    the code are left out and counted.
    """
    project = project_of(params, bench)
    study = project.graph(params.dag_type).required()
    built = study.graph
    seeds = graph.find_seeds(built, params.pagerank_seeds)
    measured = study.measure(
        [it for it in graph.METRICS if "all" in params.metrics or it in params.metrics],
        bench.job,
        seeds=sorted({at for nodes in seeds.values() for at in nodes}),
        damping=params.damping_factor,
    )
    rows = graph.rows_of(built, measured)
    ranked = graph.rank(rows)
    page = page_of(ranked, "graph", params)
    seen = files_seen(project.sources)
    wants_graphml = params.graphml or params.format == "graphml"
    graphml = graph.as_graphml(built, rows) if wants_graphml else None
    return GraphReport(
        dag_type=params.dag_type,
        total_nodes=measured.nodes,
        total_edges=measured.edges,
        connected_pairs=measured.pairs,
        density=graph.rounded(measured.density),
        average_degree=graph.rounded(measured.average_degree),
        max_degree=measured.max_degree,
        connected_components=_groups(measured.components),
        strongly_connected_components=measured.strong_components,
        cycles=_cycles(built, measured),
        total_cycles=None if measured.cycles is None else len(measured.cycles),
        average_clustering=graph.rounded(measured.average_clustering),
        communities=_groups(measured.communities),
        modularity=graph.rounded(measured.modularity),
        references=_references(built),
        unresolved_imports=built.lost_imports[:_MOST_UNRESOLVED],
        seeds=[_seed(built, name, nodes) for name, nodes in seeds.items()],
        nodes=[NodeMetrics.model_validate(it, from_attributes=True) for it in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        not_measured=measured.not_measured,
        looked_at=seen,
        graphml=graphml if params.graphml else None,
        shown=_shown(params, built, measured, ranked, page, graphml or "", seen),
    )


def _shown(
    params: GraphParams,
    built: graph.Graph,
    measured: graph.Measures,
    ranked: list[graph.Row],
    page: Page[graph.Row],
    graphml: str,
    seen: FilesSeen,
) -> str:
    kind = params.dag_type
    match params.format:
        case "summary":
            return seen.below(text.summary_text(kind, built, measured, ranked))
        case "detailed":
            return seen.below(text.detailed_text(kind, built, measured, page.items), page.footer())
        case "csv":
            return text.csv_text(ranked)
        case "markdown":
            shown = text.markdown_text(kind, built, measured, page.items)
            return seen.below(shown, page.footer()).rstrip() + "\n"
        case "graphml":
            return graphml
        case "mermaid":
            return graph.as_mermaid(built, kind)
        case "dot":
            return graph.as_dot(built, kind)
        case "json":
            return ""


def _groups(membership: list[int] | None) -> int | None:
    return None if membership is None else max(membership, default=-1) + 1


def _cycles(built: graph.Graph, measured: graph.Measures) -> list[DependencyCycle] | None:
    if measured.cycles is None:
        return None
    return [
        DependencyCycle(size=it.size, path=[built.nodes[at].id for at in it.path])
        for it in measured.cycles[:_MOST_CYCLES]
    ]


def _references(built: graph.Graph) -> list[References]:
    return [
        References(
            kind=kind,
            resolved=outcomes.get("resolved", 0),
            external=outcomes.get("external", 0),
            outside=outcomes.get("outside", 0),
            unresolved=outcomes.get("unresolved", 0),
        )
        for kind, outcomes in built.outcomes.items()
    ]


def _seed(built: graph.Graph, name: str, nodes: list[int]) -> Seed:
    return Seed(seed=name, nodes=[built.nodes[at].id for at in nodes])
