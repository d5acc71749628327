import io
import re

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.measures.graph import (
    METRICS,
    Graph,
    Seed,
    as_graphml,
    find_seeds,
    node_metrics,
    rank,
)
from benchpin.measures.graph._build import Edge, Node
from benchpin.measures.graph._export import DOT_EDGES, DOT_NODES, MERMAID_NODES, as_dot, as_mermaid
from benchpin.measures.graph._measures import measure

_NODES = [
    Node("src/a.py", "src/a.py", "file", "src/a.py", 1),
    Node("src/a.py::A.run", "A.run", "method", "src/a.py", 3),
    Node("src/b.py", "src/b.py", "file", "src/b.py", 1),
]
GRAPH = Graph(
    _NODES,
    [Edge(0, 1, "defines", 1, 1.0), Edge(0, 2, "imports", 2, 1.0), Edge(1, 2, "calls", 1, 0.6)],
    {},
)


def _graphml(graph: Graph) -> "nx.DiGraph[str]":
    rows = node_metrics(graph, measure(graph, METRICS, Job()))
    read = nx.read_graphml(io.BytesIO(as_graphml(graph, rows).encode()))
    assert isinstance(read, nx.DiGraph)
    return read


def _star(count: int) -> Graph:
    nodes = [Node(f"f{at:05}.py", f"f{at:05}.py", "file", "f", 1) for at in range(count)]
    edges = [Edge(at, 0, "imports", 1, 1.0) for at in range(1, count)]
    return Graph(nodes, edges, {})


def test_graphml_is_read_by_networkx_with_types_and_numbers() -> None:
    read = _graphml(GRAPH)
    assert dict(read.nodes["src/a.py::A.run"]) == {
        "label": "A.run",
        "kind": "method",
        "file": "src/a.py",
        "line": 3,
        "in_degree": 1,
        "out_degree": 1,
        "degree_centrality": 1.0,
        "betweenness_centrality": 0.0,
        "closeness_centrality": 0.5,
        "pagerank": pytest.approx(0.282, abs=1e-3),
        "clustering_coefficient": 1.0,
        "community": 0,
        "component": 0,
    }
    assert dict(read.edges["src/a.py", "src/b.py"]) == {
        "relation": "imports",
        "references": 2.0,
        "confidence": 1.0,
        "dependency": "runtime",
    }
    assert isinstance(read.nodes["src/b.py"]["line"], int)


def test_what_was_not_measured_is_left_out_of_graphml() -> None:
    rows = node_metrics(GRAPH, measure(GRAPH, ["pagerank"], Job()))
    assert '<data key="pagerank">' in as_graphml(GRAPH, rows)
    assert '<data key="community">' not in as_graphml(GRAPH, rows)


@given(st.lists(st.text(min_size=1), unique=True, min_size=2, max_size=4))
def test_any_name_makes_valid_graphml(names: list[str]) -> None:
    nodes = [Node(it, it, "file", it, 1) for it in sorted(names)]
    rows = node_metrics(graph := Graph(nodes, [], {}), measure(graph, [], Job()))
    nx.read_graphml(io.BytesIO(as_graphml(graph, rows).encode()))


@given(st.text(min_size=1))
def test_any_name_is_quoted_in_mermaid_and_dot(name: str) -> None:
    graph = Graph([Node(name, name, "file", name, 1)], [], {})
    label = as_mermaid(graph, "call-graph").split('["', 1)[1].rsplit('"]', 1)[0]
    assert not set(label) & set('"[]{}<>|&\n\r;`') - {";"}
    dot = as_dot(graph, "call-graph")
    node = next(it for it in dot.split("\n") if "[label=" in it)
    assert re.fullmatch(r'    "(?:[^"\\]|\\.)*" \[label="(?:[^"\\]|\\.)*"\];', node, re.DOTALL)


def test_mermaid_draws_nodes_and_edges() -> None:
    assert as_mermaid(GRAPH, "full-dependency") == (
        "%% full-dependency: 3 of 3 nodes, those with the most edges; 3 of 3 edges\n"
        "flowchart LR\n"
        '    n0["src/a.py"]\n'
        '    n1["A.run"]\n'
        '    n2["src/b.py"]\n'
        "    n0 --- n1\n"
        "    n0 --> n2\n"
        "    n1 -.-> n2\n"
    )


def test_dot_draws_nodes_and_edges() -> None:
    assert as_dot(GRAPH, "full-dependency") == (
        "// full-dependency: 3 of 3 nodes, those with the most edges; 3 of 3 edges\n"
        'digraph "full-dependency" {\n'
        "    rankdir=LR;\n"
        "    node [shape=box];\n"
        '    "src/a.py" [label="src/a.py"];\n'
        '    "src/a.py::A.run" [label="A.run"];\n'
        '    "src/b.py" [label="src/b.py"];\n'
        '    "src/a.py" -> "src/a.py::A.run" [class="defines"];\n'
        '    "src/a.py" -> "src/b.py" [class="imports"];\n'
        '    "src/a.py::A.run" -> "src/b.py" [class="calls"];\n'
        "}\n"
    )


def test_a_big_graph_is_drawn_in_part_and_says_so() -> None:
    mermaid = as_mermaid(_star(3_000), "import-graph")
    assert mermaid.startswith(
        "%% import-graph: 100 of 3,000 nodes, those with the most edges; 99 of"
    )
    assert mermaid.count('["') == MERMAID_NODES
    dot = as_dot(_star(3_000), "import-graph")
    assert dot.count("[label=") == DOT_NODES
    assert dot.count(" -> ") <= DOT_EDGES


def test_the_most_important_nodes_come_first() -> None:
    rows = node_metrics(GRAPH, measure(GRAPH, METRICS, Job()))
    assert [row.name for row in rank(rows)] == ["src/b.py", "src/a.py::A.run", "src/a.py"]
    by_degree = rank(node_metrics(_star(4), measure(_star(4), [], Job())))
    assert [row.name for row in by_degree][:2] == ["f00000.py", "f00001.py"]


@pytest.mark.parametrize(
    ("seed", "nodes"), [("src/a.py", [0]), ("a.py", [0]), ("A.run", [1]), ("run", [1])]
)
def test_a_seed_is_an_id_or_the_end_of_one(seed: str, nodes: list[int]) -> None:
    assert find_seeds(GRAPH, [seed]) == ([Seed(seed, [_NODES[at].id for at in nodes])], nodes)


@pytest.mark.parametrize("seed", ["bb.py", "", "y"])
def test_a_seed_that_fits_nothing_is_refused_with_the_nearest(seed: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        find_seeds(GRAPH, [seed])
    assert "src/b.py" in refused.value.suggestion


def test_a_graph_of_nothing_has_no_nearest_seed() -> None:
    with pytest.raises(InvalidParams, match="no node 'x' in this graph of 0 nodes"):
        find_seeds(Graph([], [], {}), ["x"])
