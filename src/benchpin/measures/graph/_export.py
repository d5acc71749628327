"""Graphs for other programs: GraphML in full; Mermaid and DOT with the most connected nodes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from benchpin.core.text import visible

from ._build import DagType, Edge, Graph
from ._node_metrics import NodeMetrics

# Mermaid refuses more than 500 edges, and more than 50,000 characters.
MERMAID_NODES, MERMAID_EDGES = 100, 400
# In a bigger drawing nothing can be read.
DOT_NODES, DOT_EDGES = 500, 2_000
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NODE_KEYS = {
    "label": "string",
    "kind": "string",
    "file": "string",
    "line": "int",
    "in_degree": "int",
    "out_degree": "int",
    "degree_centrality": "double",
    "betweenness_centrality": "double",
    "closeness_centrality": "double",
    "pagerank": "double",
    "clustering_coefficient": "double",
    "community": "int",
    "component": "int",
}
_EDGE_KEYS = {
    "relation": "string",
    "references": "double",
    "confidence": "double",
    "dependency": "string",
    "import_line": "int",
}
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns \
http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""
Value = str | int | float | None


def drawn(form: str, graph: Graph, dag_type: DagType, rows: Sequence[NodeMetrics]) -> str:
    """Return a graph as `graphml`, `mermaid` or `dot`; empty for other forms."""
    match form:
        case "graphml":
            return as_graphml(graph, rows)
        case "mermaid":
            return as_mermaid(graph, dag_type)
        case "dot":
            return as_dot(graph, dag_type)
    return ""


def as_graphml(graph: Graph, rows: Sequence[NodeMetrics]) -> str:
    """Return the whole graph as GraphML; `rows` are in the order of the nodes."""
    return _HEAD + "\n".join(_graphml_lines(graph, rows)) + "\n"


def _graphml_lines(graph: Graph, rows: Sequence[NodeMetrics]) -> Iterator[str]:
    for domain, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for name, kind in keys.items():
            yield f'<key id="{name}" for="{domain}" attr.name="{name}" attr.type="{kind}"/>'
    yield '<graph edgedefault="directed">'
    for node, row in zip(graph.nodes, rows, strict=True):
        values: dict[str, Value] = {"label": node.label}
        values |= {key: getattr(row, key) for key in _NODE_KEYS if key != "label"}
        yield f"<node id={_attribute(node.id)}>{_values(values)}</node>"
    for edge in graph.edges:
        source = _attribute(graph.nodes[edge.source].id)
        target = _attribute(graph.nodes[edge.target].id)
        of_edge = (
            edge.kind,
            float(edge.count),
            edge.confidence,
            edge.dependency,
            edge.line or None,
        )
        values = dict(zip(_EDGE_KEYS, of_edge, strict=True))
        yield f"<edge source={source} target={target}>{_values(values)}</edge>"
    yield "</graph>"
    yield "</graphml>"


def _values(values: Mapping[str, Value]) -> str:
    return "".join(
        f'<data key="{key}">{escape(_clean(str(value)))}</data>'
        for key, value in values.items()
        if value is not None
    )


def _attribute(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def as_mermaid(graph: Graph, dag_type: DagType) -> str:
    """Return the most connected part of the graph as a Mermaid flowchart."""
    chosen, edges, note = _excerpt(graph, dag_type, MERMAID_NODES, MERMAID_EDGES)
    lines = [f"%% {note}", "flowchart LR"]
    lines += [f'    n{at}["{_mermaid(graph.nodes[at].label)}"]' for at in chosen]
    lines += [f"    n{edge.source} {_ARROWS[edge.kind]} n{edge.target}" for edge in edges]
    return "\n".join(lines) + "\n"


_ARROWS = {"imports": "-->", "calls": "-.->", "inherits": "==>", "defines": "---"}


def _mermaid(text: str) -> str:
    """Write characters that are syntax in Mermaid as entity codes."""
    return re.sub(r"[^\w ./:()$@+-]", lambda it: f"#{ord(it[0])};", text)


def as_dot(graph: Graph, dag_type: DagType) -> str:
    """Return the most connected part of the graph as DOT, the language of Graphviz."""
    chosen, edges, note = _excerpt(graph, dag_type, DOT_NODES, DOT_EDGES)
    nodes = graph.nodes
    lines = [
        f"// {note}",
        f"digraph {_dot(dag_type)} {{",
        "    rankdir=LR;",
        "    node [shape=box];",
    ]
    lines += [f"    {_dot(nodes[at].id)} [label={_dot(nodes[at].label)}];" for at in chosen]
    lines += [
        f"    {_dot(nodes[edge.source].id)} -> {_dot(nodes[edge.target].id)}"
        f" [class={_dot(edge.kind)}];"
        for edge in edges
    ]
    return "\n".join([*lines, "}", ""])


def _dot(text: str) -> str:
    quoted = visible(_clean(text)).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + quoted.replace("\r", "").replace("\n", "\\n") + '"'


def _excerpt(
    graph: Graph, dag_type: DagType, most_nodes: int, most_edges: int
) -> tuple[list[int], list[Edge], str]:
    """Return the nodes with the most edges, the edges between them, and a note on what is cut."""
    degrees = [0] * len(graph.nodes)
    for source, target in graph.pairs():
        degrees[source] += 1
        degrees[target] += 1
    ordered = sorted(range(len(degrees)), key=lambda at: (-degrees[at], at))
    chosen = sorted(ordered[:most_nodes])
    inside = set(chosen)
    edges = [it for it in graph.edges if it.source in inside and it.target in inside]
    edges.sort(key=lambda it: -min(degrees[it.source], degrees[it.target]))
    kept = sorted(edges[:most_edges], key=lambda it: (it.source, it.target, it.kind))
    note = (
        f"{dag_type}: {len(chosen):,} of {len(graph.nodes):,} nodes, those with the most edges; "
        f"{len(kept):,} of {len(graph.edges):,} edges"
    )
    return chosen, kept, note
