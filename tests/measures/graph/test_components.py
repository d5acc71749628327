"""Components equal those of NetworkX."""

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from benchpin.measures.graph._structure import strong_components, weak_components

NODES = 12
PAIRS = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)), max_size=40)
DEEP = 5_000
"""More than Python would recurse."""


def _graph(pairs: list[tuple[int, int]]) -> "nx.DiGraph[int]":
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(NODES))
    graph.add_edges_from(pairs)
    return graph


@given(PAIRS)
def test_strong_components_are_those_of_networkx(pairs: list[tuple[int, int]]) -> None:
    found = strong_components(NODES, pairs)
    expected = nx.strongly_connected_components(_graph(pairs))
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected))


@given(PAIRS)
def test_a_strong_component_comes_after_all_that_it_leads_to(pairs: list[tuple[int, int]]) -> None:
    found = strong_components(NODES, pairs)
    number = {node: at for at, members in enumerate(found) for node in members}
    assert all(number[source] >= number[target] for source, target in pairs)


@given(PAIRS)
def test_weak_components_are_those_of_networkx(pairs: list[tuple[int, int]]) -> None:
    found = weak_components(NODES, pairs)
    expected = nx.weakly_connected_components(_graph(pairs))
    assert sorted(found) == sorted(map(sorted, expected))


def test_a_chain_deeper_than_the_stack_of_python_is_searched() -> None:
    around = [(at, (at + 1) % DEEP) for at in range(DEEP)]
    assert [len(it) for it in strong_components(DEEP, around)] == [DEEP]
    assert len(strong_components(DEEP, around[:-1])) == DEEP
