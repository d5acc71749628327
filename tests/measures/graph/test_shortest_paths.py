"""Exact values equal those of rustworkx; estimates stay within their bounds."""

import random

import networkx as nx
import pytest
import rustworkx
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.measures.graph import _shortest_paths as shortest_paths
from benchpin.measures.graph._sampling_error import Reach
from benchpin.measures.graph._shortest_paths import ShortestPaths, measure_paths

Pairs = list[tuple[int, int]]
NODES = 600


def _layered(seed: int, count: int = NODES, edges: int = 4_000) -> Pairs:
    """Return a graph as imports make them: mostly towards lower numbers, with some cycles."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    pairs = set[tuple[int, int]]()
    while len(pairs) < edges:
        source = chance.randrange(count)
        target = int(chance.random() ** 2 * min(count, source + 5))
        if source != target:
            pairs.add((source, target))
    return sorted(pairs)


def _exact(count: int, pairs: Pairs) -> tuple[list[float], list[float]]:
    digraph: rustworkx.PyDiGraph[int, None] = rustworkx.PyDiGraph(multigraph=False)
    digraph.add_nodes_from(range(count))
    digraph.add_edges_from_no_data(pairs)
    betweenness = rustworkx.digraph_betweenness_centrality(digraph)
    closeness = rustworkx.digraph_closeness_centrality(digraph)
    nodes = range(count)
    return [betweenness[it] for it in nodes], [closeness[it] for it in nodes]


def _measured(count: int, pairs: Pairs, most_steps: int) -> ShortestPaths:
    found = measure_paths(count, pairs, Job(), most_steps)
    assert found is not None
    return found


def test_a_graph_larger_than_the_buffer_of_a_pipe_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shortest_paths, "_CELLS", 7 * NODES)  # many batches, the last one shorter
    pairs = _layered(1, edges=15_000)
    found = _measured(NODES, pairs, shortest_paths.MAX_STEPS)
    betweenness, closeness = _exact(NODES, pairs)
    assert found.estimate is None
    assert found.betweenness == pytest.approx(betweenness, abs=1e-12)
    assert found.closeness == pytest.approx(closeness, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_an_estimate_says_so_and_stays_within_its_bound(seed: int) -> None:
    pairs = _layered(seed)
    found = _measured(NODES, pairs, 100_000)
    betweenness, closeness = _exact(NODES, pairs)
    estimate = found.estimate
    assert estimate is not None
    assert 30 <= estimate.sampled_nodes < estimate.of_nodes <= NODES
    errors = [abs(one - other) for one, other in zip(found.betweenness, betweenness, strict=True)]
    assert max(errors) <= estimate.betweenness_error
    errors = [abs(one - other) for one, other in zip(found.closeness, closeness, strict=True)]
    assert max(errors) <= estimate.closeness_error


def test_the_same_graph_gives_the_same_estimate() -> None:
    pairs = _layered(3)
    assert _measured(NODES, pairs, 100_000) == _measured(NODES, pairs, 100_000)


def test_a_better_sample_has_a_smaller_bound() -> None:
    pairs = _layered(4)
    few, many = (_measured(NODES, pairs, it).estimate for it in (50_000, 400_000))
    assert few is not None
    assert many is not None
    assert many.sampled_nodes > few.sampled_nodes
    assert many.betweenness_error < few.betweenness_error


def test_time_that_runs_out_leaves_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortest_paths, "_CELLS", 10 * NODES)
    ticks = iter(range(20))
    job = Job(time_limit_s=15, monotonic=lambda: float(next(ticks, 20)))
    found = measure_paths(NODES, _layered(5), job)
    assert found is not None
    assert found.estimate is not None
    assert found.estimate.sampled_nodes < found.estimate.of_nodes


def test_a_cancelled_job_ends_the_search() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        measure_paths(2, [(0, 1)], job)


def test_counting_what_is_reachable_is_bounded_and_can_be_cancelled() -> None:
    count = 20_000
    chain = [(it, it - 1) for it in range(1, count)]
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        Reach(count, chain).counts(job)
    assert Reach(count, chain).counts(job, most_words=1_000_000)[1:-1].tolist() == [
        *range(1, count - 1)
    ]


@given(st.integers(1, 20), st.data())
def test_reach_counts_what_is_reachable_and_limits_distances(
    count: int, data: st.DataObject
) -> None:
    node = st.integers(0, count - 1)
    pairs = sorted(data.draw(st.sets(st.tuples(node, node).filter(lambda it: it[0] != it[1]))))
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(pairs)
    reach = Reach(count, pairs)
    expected = [len(nx.descendants(graph, it)) if graph.in_degree(it) else 0 for it in range(count)]
    assert reach.counts(Job()).tolist() == expected
    limits = reach.counts(Job(), most_words=0).tolist()
    assert all(limit >= it for limit, it in zip(limits, expected, strict=True))
    assert max(limits) < count
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    assert reach.longest_distance() >= max(max(it.values()) for it in lengths.values())
