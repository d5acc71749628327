"""Numbers about a graph, equal to those of NetworkX for the same graph.

Every pair of nodes with an edge between them counts once, whatever the kind and number of its
edges. Centralities and PageRank follow directions; clustering and communities do not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from benchpin.core import Job

from .communities import find_communities, modularity
from .model import Graph
from .neighbourhoods import Neighbourhoods
from .shortest_paths import as_digraph, measure_paths

if TYPE_CHECKING:
    from .shortest_paths import Digraph

Metric = Literal["centrality", "pagerank", "clustering", "components"]
METRICS: tuple[Metric, ...] = ("components", "pagerank", "clustering", "centrality")
"""From quick to slow, so that little is missing when time is short."""
_TOLERANCE = 1e-12
_MOST_ITERATIONS = 10_000
_OVER_PATHS = ("betweenness_centrality", "closeness_centrality")


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
    pairs: int
    """Nodes with an edge of any kind between them, each direction once."""
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
    measures = _counted(count, len(graph.edges), pairs)
    if not count:
        return measures
    digraph = as_digraph(count, pairs)
    steps: dict[Metric, Callable[[Measures], Measures]] = {
        "components": lambda it: _with_components(it, digraph),
        "pagerank": lambda it: replace(it, pageranks=page_rank(digraph, damping, seeds)),
        "clustering": lambda it: _with_clustering(it, Neighbourhoods(count, pairs), job),
        "centrality": lambda it: _with_centrality(it, digraph, job),
    }
    wanted = [name for name in METRICS if name in metrics]
    done: set[str] = set()
    for name in job.each(wanted, "metrics"):
        measures = steps[name](measures)
        done.add(name)
    late = {name: "out of time" for name in wanted if name not in done}
    return replace(measures, not_measured=measures.not_measured | late)


def _counted(count: int, edges: int, pairs: Sequence[tuple[int, int]]) -> Measures:
    ins, outs = [0] * count, [0] * count
    for source, target in pairs:
        outs[source] += 1
        ins[target] += 1
    return Measures(
        nodes=count,
        edges=edges,
        pairs=len(pairs),
        density=len(pairs) / (count * (count - 1)) if count > 1 else None,
        average_degree=2 * len(pairs) / count if count else None,
        max_degree=max(map(sum, zip(ins, outs, strict=True)), default=None),
        in_degrees=ins,
        out_degrees=outs,
    )


def page_rank(digraph: "Digraph", damping: float, seeds: Sequence[int]) -> list[float]:
    """Return the share of a random walker's time at each node."""
    import rustworkx

    start = dict.fromkeys(seeds, 1.0) if seeds else None
    ranks = rustworkx.pagerank(
        digraph,
        alpha=damping,
        nstart=start,  # so that what cannot be reached has no rank at all, not almost none
        personalization=start,
        tol=_TOLERANCE,
        max_iter=_MOST_ITERATIONS,
    )
    return [ranks[node] for node in range(digraph.num_nodes())]


def _with_centrality(measures: Measures, digraph: "Digraph", job: Job) -> Measures:
    count = measures.nodes
    degrees = [
        (one + other) / (count - 1) if count > 1 else 1.0
        for one, other in zip(measures.in_degrees, measures.out_degrees, strict=True)
    ]
    paths = measure_paths(digraph, job)
    if paths is None:
        reason = "out of time" if job.is_expired else "the process that measures it ended early"
        job.leave_out("betweenness and closeness centrality")
        return replace(
            measures,
            centralities=[Centrality(degree, None, None) for degree in degrees],
            not_measured=dict.fromkeys(_OVER_PATHS, reason),
        )
    values = zip(degrees, paths.betweenness, paths.closeness, strict=True)
    return replace(measures, centralities=[Centrality(*it) for it in values])


def _with_clustering(measures: Measures, around: Neighbourhoods, job: Job) -> Measures:
    clusterings = around.clusterings()
    communities = find_communities(around, job)
    return replace(
        measures,
        clusterings=clusterings,
        average_clustering=sum(clusterings) / measures.nodes,
        communities=communities,
        modularity=modularity(around, communities) if around.edge_count else None,
    )


def _with_components(measures: Measures, digraph: "Digraph") -> Measures:
    import rustworkx

    weak = sorted(map(sorted, rustworkx.weakly_connected_components(digraph)), key=_by_size)
    component = [0] * measures.nodes
    for number, members in enumerate(weak):
        for node in members:
            component[node] = number
    strong = rustworkx.strongly_connected_components(digraph)
    tangles = sorted((sorted(it) for it in strong if len(it) > 1), key=_by_size)
    return replace(
        measures,
        components=component,
        strong_components=len(strong),
        cycles=[Cycle(len(it), _shortest_cycle(digraph, it)) for it in tangles],
    )


def _by_size(members: Sequence[int]) -> tuple[int, int]:
    return -len(members), members[0]


def _shortest_cycle(digraph: "Digraph", members: Sequence[int]) -> tuple[int, ...]:
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
