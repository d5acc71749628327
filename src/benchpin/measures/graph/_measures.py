"""Measures of a graph; they equal those of NetworkX for the same graph.

Each pair of nodes with an edge counts once, whatever the kind and number of its edges. Centralities
and PageRank are of the directed graph; clustering and communities ignore directions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from benchpin.core.calls import Job
from benchpin.system.processes import has_extra, lacks_extra

from ._build import Graph
from ._sampling_error import CentralityEstimate
from ._shortest_paths import measure_paths
from ._structure import (
    DependencyCycle,
    UndirectedGraph,
    find_communities,
    find_cycles,
    modularity,
    strong_components,
    weak_components,
)

Pairs = Sequence[tuple[int, int]]
Metric = Literal["centrality", "pagerank", "clustering", "components"]
# Fastest first, so that little is missing when time runs out.
METRICS: tuple[Metric, ...] = ("components", "pagerank", "clustering", "centrality")
# What only NumPy computes in time on large graphs; it is an extra.
_OF_ARRAYS = frozenset({"pagerank", "centrality"})
_OVER_PATHS = ("betweenness_centrality", "closeness_centrality")
_LATE = "out of time"
# The sum of all changes below which it has converged, for the six digits that are shown.
_TOLERANCE = 1e-12
# A damping of 0.99, the highest allowed, needs about 2,800.
_MAX_ITERATIONS = 10_000


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of a graph, lists in the order of its nodes; None where not measured."""

    nodes: int
    edges: int
    pairs: int
    """Ordered pairs of nodes with an edge of any kind."""
    density: float | None
    average_degree: float | None
    max_degree: int | None
    in_degrees: list[int]
    out_degrees: list[int]
    degree_centralities: list[float] | None = None
    betweennesses: list[float] | None = None
    closenesses: list[float] | None = None
    estimate: CentralityEstimate | None = None
    """How betweenness and closeness were estimated; None for exact values."""
    pageranks: list[float] | None = None
    clusterings: list[float] | None = None
    average_clustering: float | None = None
    communities: list[int] | None = None
    """The community of each node; the biggest is 0."""
    modularity: float | None = None
    components: list[int] | None = None
    """The weakly connected component of each node; the biggest is 0."""
    strong_components: int | None = None
    cycles: list[DependencyCycle] | None = None
    """Of runtime edges, the biggest first."""
    cycle_members: list[list[int]] = field(default_factory=list)
    """The nodes of each of the cycles."""
    other_cycles: list[DependencyCycle] = field(default_factory=list)
    """Those that need edges of other kinds, by kind."""
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
    """Measure a graph; with seeds, PageRank restarts only at these nodes."""
    pairs = graph.pairs()
    count = len(graph.nodes)
    measures = _counted(count, len(graph.edges), pairs)
    if not count:
        return measures
    steps: dict[Metric, Callable[[Measures], Measures]] = {
        "components": lambda it: _with_components(it, pairs, graph),
        "pagerank": lambda it: _with_ranks(
            it, page_rank(count, pairs, job, damping=damping, seeds=seeds)
        ),
        "clustering": lambda it: _with_clustering(it, UndirectedGraph(count, pairs), job),
        "centrality": lambda it: _with_centrality(it, pairs, job),
    }
    wanted = [name for name in METRICS if name in metrics]
    if not has_extra("measures"):
        lacking: dict[str, str] = {
            name: lacks_extra("measures") for name in wanted if name in _OF_ARRAYS
        }
        measures = replace(measures, not_measured=lacking)
        wanted = [name for name in wanted if name not in lacking]
    # `job.each` ends early when time is up: what is not done by then is named as late.
    done: set[str] = set()
    for name in job.each(wanted, "metrics"):
        measures = steps[name](measures)
        done.add(name)
    late = {name: _LATE for name in wanted if name not in done}
    return replace(measures, not_measured=measures.not_measured | late)


def _counted(count: int, edges: int, pairs: Pairs) -> Measures:
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


def _with_ranks(measures: Measures, ranks: list[float] | None) -> Measures:
    if ranks is None:
        return replace(measures, not_measured=measures.not_measured | {"pagerank": _LATE})
    return replace(measures, pageranks=ranks)


def _with_centrality(measures: Measures, pairs: Pairs, job: Job) -> Measures:
    count = measures.nodes
    degrees = [
        (one + other) / (count - 1) if count > 1 else 1.0
        for one, other in zip(measures.in_degrees, measures.out_degrees, strict=True)
    ]
    measures = replace(measures, degree_centralities=degrees)
    paths = measure_paths(count, pairs, job)
    if paths is None:
        job.leave_out("betweenness and closeness centrality")
        late = dict.fromkeys(_OVER_PATHS, _LATE)
        return replace(measures, not_measured=measures.not_measured | late)
    if paths.estimate is not None and job.is_expired:
        job.leave_out("exact betweenness and closeness centrality")
    return replace(
        measures,
        betweennesses=paths.betweenness,
        closenesses=paths.closeness,
        estimate=paths.estimate,
    )


def _with_clustering(measures: Measures, graph: UndirectedGraph, job: Job) -> Measures:
    clusterings = graph.clusterings()
    communities = find_communities(graph, job)
    return replace(
        measures,
        clusterings=clusterings,
        average_clustering=sum(clusterings) / measures.nodes,
        communities=communities,
        modularity=modularity(graph, communities) if graph.edge_count else None,
    )


def _with_components(measures: Measures, pairs: Pairs, graph: Graph) -> Measures:
    weak = sorted(weak_components(measures.nodes, pairs), key=_by_size)
    component = [0] * measures.nodes
    for number, members in enumerate(weak):
        for node in members:
            component[node] = number
    strong = strong_components(measures.nodes, pairs)
    found = find_cycles(graph)
    return replace(
        measures,
        components=component,
        strong_components=len(strong),
        cycles=[it for it, _ in found if it.kind == "runtime"],
        cycle_members=[members for it, members in found if it.kind == "runtime"],
        other_cycles=[it for it, _ in found if it.kind != "runtime"],
    )


def _by_size(members: Sequence[int]) -> tuple[int, int]:
    return -len(members), members[0]


def page_rank(
    count: int,
    pairs: Sequence[tuple[int, int]],
    job: Job,
    *,
    damping: float,
    seeds: Sequence[int] = (),
) -> list[float] | None:
    """Return the PageRank of each node, which add up to 1; None when there was no time for it.

    With seeds it restarts only at these nodes. So does a walk at a node without edges.
    """
    import numpy as np

    sources, targets = np.array(pairs, np.int64).reshape(-1, 2).T
    degrees = np.bincount(sources, minlength=count)
    shares = damping / degrees[sources]
    is_end = degrees == 0  # a walk cannot go on from here: its share restarts
    restarts = np.zeros(count)
    restarts[list(dict.fromkeys(seeds)) or slice(None)] = 1.0  # without seeds, everywhere
    restarts /= restarts.sum()
    ranks = restarts
    for done in range(_MAX_ITERATIONS):
        job.check()
        if job.is_expired:
            job.leave_out("PageRank")
            return None
        job.report(done, None, "iterations of PageRank")
        lost = damping * ranks[is_end].sum() + 1 - damping
        following = np.bincount(targets, ranks[sources] * shares, count) + lost * restarts
        change = np.abs(following - ranks).sum()
        ranks = following
        if change < _TOLERANCE:
            break
    found: list[float] = ranks.tolist()
    return found
