"""Numbers about a graph, equal to those of NetworkX for the same graph.

Every pair of nodes with an edge between them counts once, whatever the kind and number of its
edges. Centralities and PageRank follow directions; clustering and communities do not.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from benchpin.core import Job

from .communities import find_communities, modularity
from .model import Graph
from .neighbourhoods import Neighbourhoods

if TYPE_CHECKING:
    import rustworkx

Metric = Literal["centrality", "pagerank", "clustering", "components"]
METRICS: tuple[Metric, ...] = ("centrality", "pagerank", "clustering", "components")
_TOLERANCE = 1e-12
_MOST_ITERATIONS = 10_000
_MOST_STEPS = 400_000_000
"""Steps along edges that shortest paths from everywhere may take: some twenty seconds."""
_SAMPLED = 64


@dataclass(frozen=True, slots=True)
class Centrality:
    """How central a node is."""

    degree: float
    betweenness: float | None
    closeness: float | None


@dataclass(frozen=True, slots=True)
class Cycle:
    """Nodes that all depend on one another, and one of the shortest ways around."""

    size: int
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Measures:
    """What was measured of a graph; None or nothing where it was not asked for or not possible."""

    nodes: int
    edges: int
    density: float | None
    average_degree: float | None
    max_degree: int | None
    in_degrees: list[int]
    out_degrees: list[int]
    centralities: list[Centrality] | None = None
    pageranks: list[float] | None = None
    clusterings: list[float] | None = None
    average_clustering: float | None = None
    communities: list[int] | None = None
    """The community of each node; the biggest is 0."""
    modularity: float | None = None
    components: list[int] | None = None
    """The weakly connected component of each node; the biggest is 0."""
    strong_components: int | None = None
    cycles: list[Cycle] | None = None
    not_measured: dict[str, str] = field(default_factory=dict)
    """What could not be measured, and why."""


def measure(
    graph: Graph,
    metrics: Sequence[Metric],
    job: Job,
    *,
    seeds: Sequence[int] = (),
    damping: float = 0.85,
) -> Measures:
    """Measure a graph; with seeds, PageRank starts anew at these nodes only.

    Raises:
        Cancelled: when the job was cancelled.
    """
    pairs = graph.pairs()
    count = len(graph.nodes)
    ins, outs = [0] * count, [0] * count
    for source, target in pairs:
        outs[source] += 1
        ins[target] += 1
    measured: dict[str, object] = {}
    if count:
        digraph = as_digraph(count, pairs)
        parts: dict[Metric, Callable[[], Mapping[str, object]]] = {
            "centrality": lambda: _centrality(digraph, ins, outs),
            "pagerank": lambda: {"pageranks": page_rank(digraph, damping, seeds)},
            "clustering": lambda: _clustering(count, pairs),
            "components": lambda: _components(digraph),
        }
        for name in job.each([it for it in METRICS if it in metrics], "metrics"):
            measured.update(parts[name]())
    return Measures(
        nodes=count,
        edges=len(pairs),
        density=len(pairs) / (count * (count - 1)) if count > 1 else None,
        average_degree=2 * len(pairs) / count if count else None,
        max_degree=max(map(sum, zip(ins, outs, strict=True)), default=None),
        in_degrees=ins,
        out_degrees=outs,
        **measured,  # type: ignore[arg-type] # each part returns fields of this class
    )


def as_digraph(count: int, pairs: Sequence[tuple[int, int]]) -> "rustworkx.PyDiGraph[int, None]":
    """Return a graph that rustworkx can measure."""
    import rustworkx  # noqa: PLC0415 - heavy

    digraph: rustworkx.PyDiGraph[int, None] = rustworkx.PyDiGraph(multigraph=False)
    digraph.add_nodes_from(range(count))
    digraph.add_edges_from([(source, target, None) for source, target in pairs])
    return digraph


def page_rank(
    digraph: "rustworkx.PyDiGraph[int, None]", damping: float, seeds: Sequence[int]
) -> list[float]:
    """Return the share of a random walker's time at each node."""
    import rustworkx  # noqa: PLC0415 - heavy

    ranks = rustworkx.pagerank(
        digraph,
        alpha=damping,
        personalization=dict.fromkeys(seeds, 1.0) if seeds else None,
        tol=_TOLERANCE,
        max_iter=_MOST_ITERATIONS,
    )
    return [ranks[node] for node in range(digraph.num_nodes())]


def _centrality(
    digraph: "rustworkx.PyDiGraph[int, None]", ins: Sequence[int], outs: Sequence[int]
) -> Mapping[str, object]:
    import rustworkx  # noqa: PLC0415 - heavy

    count = digraph.num_nodes()
    scale = 1 / (count - 1) if count > 1 else 1.0
    degrees = [
        (one + other) * scale if count > 1 else 1.0 for one, other in zip(ins, outs, strict=True)
    ]
    steps = _estimated_steps(digraph)
    if steps > _MOST_STEPS:
        reason = f"about {steps:,} steps along edges are needed, over {_MOST_STEPS:,}"
        return {
            "centralities": [Centrality(degree, None, None) for degree in degrees],
            "not_measured": {"betweenness_centrality": reason, "closeness_centrality": reason},
        }
    betweenness = rustworkx.digraph_betweenness_centrality(digraph, normalized=True)
    closeness = rustworkx.digraph_closeness_centrality(digraph, wf_improved=True)
    return {
        "centralities": [
            Centrality(degree, betweenness[node], closeness[node])
            for node, degree in enumerate(degrees)
        ]
    }


def _estimated_steps(digraph: "rustworkx.PyDiGraph[int, None]") -> int:
    """Estimate from some nodes how many edges the shortest paths from all nodes go along."""
    import rustworkx  # noqa: PLC0415 - heavy

    count, edges = digraph.num_nodes(), digraph.num_edges()
    if count * edges <= _MOST_STEPS:
        return count * edges
    sampled = range(0, count, max(1, count // _SAMPLED))
    reached = sum(len(rustworkx.descendants(digraph, node)) for node in sampled)
    return int(reached / len(sampled) * edges)


def _clustering(count: int, pairs: Sequence[tuple[int, int]]) -> Mapping[str, object]:
    around = Neighbourhoods(count, pairs)
    clusterings = around.clusterings()
    communities = find_communities(around)
    return {
        "clusterings": clusterings,
        "average_clustering": sum(clusterings) / count,
        "communities": communities,
        "modularity": modularity(around, communities) if around.edge_count else None,
    }


def _components(digraph: "rustworkx.PyDiGraph[int, None]") -> Mapping[str, object]:
    import rustworkx  # noqa: PLC0415 - heavy

    weak = sorted(map(sorted, rustworkx.weakly_connected_components(digraph)), key=_by_size)
    component = [0] * digraph.num_nodes()
    for number, members in enumerate(weak):
        for node in members:
            component[node] = number
    strong = rustworkx.strongly_connected_components(digraph)
    tangles = sorted((sorted(it) for it in strong if len(it) > 1), key=_by_size)
    return {
        "components": component,
        "strong_components": len(strong),
        "cycles": [Cycle(len(it), _shortest_cycle(digraph, it)) for it in tangles],
    }


def _by_size(members: Sequence[int]) -> tuple[int, int]:
    return -len(members), members[0]


def _shortest_cycle(
    digraph: "rustworkx.PyDiGraph[int, None]", members: Sequence[int]
) -> tuple[int, ...]:
    """Return a shortest way from the first member back to itself."""
    start, inside = members[0], set(members)
    came_from: dict[int, int] = {}
    pending = [start]
    for node in pending:
        for after in sorted(digraph.successor_indices(node)):
            if after == start:
                way = [node]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return tuple(reversed(way))
            if after in inside and after not in came_from:
                came_from[after] = node
                pending.append(after)
    return (start,)
