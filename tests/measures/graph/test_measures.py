"""Every number is compared with NetworkX's for the same graph."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from networkx.algorithms.link_analysis import pagerank_alg

from benchpin.core.calls import Job
from benchpin.measures.graph import METRICS, Graph, Measures
from benchpin.measures.graph._build import Edge, Node
from benchpin.measures.graph._measures import measure
from benchpin.measures.graph._structure import UndirectedGraph, modularity

Pairs = set[tuple[int, int]]


def graph_of(count: int, pairs: Pairs) -> Graph:
    nodes = [Node(f"n{at}", f"n{at}", "file", f"n{at}", 1) for at in range(count)]
    edges = [Edge(one, other, "imports", 1, 1.0) for one, other in sorted(pairs)]
    return Graph(nodes, edges, {})


def networkx_of(count: int, pairs: Pairs) -> "nx.DiGraph[int]":
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(sorted(pairs))
    return graph


@st.composite
def random_graphs(draw: st.DrawFn) -> tuple[int, Pairs]:
    count = draw(st.integers(1, 25))
    node = st.integers(0, count - 1)
    pairs = draw(st.sets(st.tuples(node, node).filter(lambda it: it[0] != it[1]), max_size=80))
    return count, pairs


def _all(count: int, pairs: Pairs) -> Measures:
    return measure(graph_of(count, pairs), METRICS, Job())


def _by_node(values: dict[int, float]) -> list[float]:
    return [values[node] for node in sorted(values)]


@given(random_graphs())
def test_centralities_equal_those_of_networkx(made: tuple[int, Pairs]) -> None:
    measured = _all(*made)
    expected = networkx_of(*made)
    degrees = nx.degree_centrality(expected)
    assert measured.degree_centralities == pytest.approx(_by_node(degrees))
    assert measured.betweennesses == pytest.approx(
        _by_node(nx.betweenness_centrality(expected)), abs=1e-6
    )
    assert measured.closenesses == pytest.approx(
        _by_node(nx.closeness_centrality(expected, wf_improved=True)), abs=1e-6
    )


@given(random_graphs(), st.data())
def test_pagerank_equals_that_of_networkx_with_seeds_and_without(
    made: tuple[int, Pairs], data: st.DataObject
) -> None:
    count, pairs = made
    seeds = data.draw(st.lists(st.integers(0, count - 1), unique=True, max_size=3))
    damping = data.draw(st.sampled_from([0.5, 0.85, 0.95]))
    measured = measure(graph_of(*made), ["pagerank"], Job(), seeds=seeds, damping=damping)
    # `nx.pagerank` itself needs scipy; the stubs do not know the way without.
    expected = pagerank_alg._pagerank_python(  # type: ignore[attr-defined]
        networkx_of(count, pairs),
        alpha=damping,
        personalization=dict.fromkeys(seeds, 1.0) if seeds else None,
        tol=1e-12,
        max_iter=5_000,
    )
    assert measured.pageranks == pytest.approx(_by_node(expected), abs=1e-6)


@given(random_graphs())
def test_clustering_and_density_equal_those_of_networkx(made: tuple[int, Pairs]) -> None:
    measured = _all(*made)
    expected = networkx_of(*made)
    plain = expected.to_undirected()
    clusterings = nx.clustering(plain)
    assert isinstance(clusterings, dict)
    assert measured.clusterings == pytest.approx(_by_node(clusterings))
    assert measured.average_clustering == pytest.approx(nx.average_clustering(plain))
    if made[0] > 1:
        assert measured.density == pytest.approx(nx.density(expected))


@given(random_graphs())
def test_components_equal_those_of_networkx(made: tuple[int, Pairs]) -> None:
    measured = _all(*made)
    expected = networkx_of(*made)
    weak = measured.components or []
    groups = {frozenset(at for at, it in enumerate(weak) if it == group) for group in set(weak)}
    assert groups == {frozenset(it) for it in nx.weakly_connected_components(expected)}
    assert measured.strong_components == nx.number_strongly_connected_components(expected)
    tangled = sorted(len(it) for it in nx.strongly_connected_components(expected) if len(it) > 1)
    assert sorted(it.size for it in measured.cycles or []) == tangled


@given(random_graphs())
def test_a_cycle_is_a_way_around(made: tuple[int, Pairs]) -> None:
    for cycle in _all(*made).cycles or []:
        path = [int(it.removeprefix("n")) for it in cycle.path]
        assert set(zip(path, (*path[1:], path[0]), strict=True)) <= made[1]


@given(random_graphs())
def test_modularity_of_the_communities_equals_that_of_networkx(made: tuple[int, Pairs]) -> None:
    measured = _all(*made)
    membership = measured.communities or []
    if not made[1]:
        assert measured.modularity is None
        return
    groups = [{at for at, it in enumerate(membership) if it == group} for group in set(membership)]
    plain = networkx_of(*made).to_undirected()
    assert measured.modularity == pytest.approx(nx.community.modularity(plain, groups), abs=1e-9)


@given(random_graphs(), st.data())
def test_modularity_of_any_partition_equals_that_of_networkx(
    made: tuple[int, Pairs], data: st.DataObject
) -> None:
    count, pairs = made
    if not pairs:
        return
    membership = data.draw(st.lists(st.integers(0, 4), min_size=count, max_size=count))
    groups = [{at for at, it in enumerate(membership) if it == group} for group in set(membership)]
    plain = networkx_of(*made).to_undirected()
    assert modularity(UndirectedGraph(count, sorted(pairs)), membership) == pytest.approx(
        nx.community.modularity(plain, groups), abs=1e-9
    )


def _clubs(seed: int) -> tuple[int, Pairs]:
    planted = nx.planted_partition_graph(6, 12, 0.6, 0.03, seed=seed)
    return 72, {(min(it), max(it)) for it in planted.edges()}


@pytest.mark.parametrize("seed", range(5))
def test_communities_are_as_good_as_those_of_networkx(seed: int) -> None:
    count, pairs = _clubs(seed)
    plain = networkx_of(count, pairs).to_undirected()
    theirs = nx.community.modularity(plain, nx.community.louvain_communities(plain, seed=1))
    ours = _all(count, pairs).modularity
    assert ours is not None
    assert ours >= theirs - 0.01


def test_the_biggest_community_and_component_have_the_lowest_numbers() -> None:
    pairs = {(0, 1), (2, 3), (3, 4), (4, 2)}
    measured = _all(5, pairs)
    assert measured.communities == [1, 1, 0, 0, 0]
    assert measured.components == [1, 1, 0, 0, 0]


def test_a_graph_of_nothing_has_no_numbers() -> None:
    measured = _all(0, set())
    assert (measured.nodes, measured.edges) == (0, 0)
    assert measured.density is measured.average_degree is measured.max_degree is None
    assert (measured.betweennesses, measured.pageranks, measured.modularity) == (None, None, None)


def test_only_what_was_asked_for_is_measured() -> None:
    measured = measure(graph_of(3, {(0, 1)}), ["components"], Job())
    assert measured.components == [0, 0, 1]
    assert (measured.betweennesses, measured.pageranks, measured.clusterings) == (None, None, None)


def test_what_there_is_no_time_for_is_not_measured_and_says_so() -> None:
    ticks = iter([0.0, 0.5])
    job = Job(time_limit_s=1, monotonic=lambda: next(ticks, 2.0))
    measured = measure(graph_of(2, {(0, 1)}), ["centrality"], job)
    assert (measured.betweennesses, measured.closenesses) == (None, None)
    assert measured.degree_centralities == [1.0, 1.0]
    assert measured.not_measured == {
        "betweenness_centrality": "out of time",
        "closeness_centrality": "out of time",
    }
    assert job.missing == ["betweenness and closeness centrality"]


def test_metrics_that_there_is_no_time_for_are_named() -> None:
    ticks = iter([0.0])
    job = Job(time_limit_s=1, monotonic=lambda: next(ticks, 2.0))
    measured = measure(graph_of(2, {(0, 1)}), ["pagerank", "components"], job)
    assert measured.pageranks is None
    assert measured.not_measured == {"components": "out of time", "pagerank": "out of time"}
    assert job.missing == ["2 of 2 metrics"]
