"""Graphs as they are published: totals, a row for each node, seeds, and forms for other programs.

GraphML has the whole graph; Mermaid and DOT have the most connected nodes.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated
from xml.sax.saxutils import escape, quoteattr

from pydantic import Field

from benchpin.core.errors import InvalidParams
from benchpin.core.results import Item
from benchpin.core.text import visible
from benchpin.facts import DependencyKind
from benchpin.system.processes import require_extra

from ._build import DEPENDENCY_KINDS, DagType, Edge, EdgeKind, Graph, UnresolvedImport
from ._measures import Measures
from ._sampling_error import CentralityEstimate
from ._structure import DependencyCycle

_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Seed:
    """A name that a caller gave, and the nodes that it fits."""

    seed: str
    nodes: list[str]


def find_seeds(graph: Graph, names: Sequence[str]) -> tuple[list[Seed], list[int]]:
    """Return the nodes of each name, and the positions of all of them.

    A name is an id, or the end of ids, cut before a `/`, `::` or `.`.

    Raises:
        DependencyMissing: when there are names, but not the extra that PageRank needs.
        InvalidParams: when a name fits no node, with the nearest names.
    """
    if names:
        require_extra("measures", "PageRank")
    found = {name: _find(graph, name) for name in names}
    seeds = [Seed(name, [graph.nodes[at].id for at in places]) for name, places in found.items()]
    return seeds, sorted({at for places in found.values() for at in places})


def _find(graph: Graph, name: str) -> list[int]:
    exact = [at for at, node in enumerate(graph.nodes) if node.id == name]
    if exact:
        return exact
    endings = tuple(mark + name for mark in ("/", "::", "."))
    hits = [at for at, node in enumerate(graph.nodes) if node.id.endswith(endings)]
    if hits and name:
        return hits
    raise _no_such_node(name, [node.id for node in graph.nodes])


def _no_such_node(name: str, ids: Sequence[str]) -> InvalidParams:
    from rapidfuzz.process import extract

    # Reversed, so that of equal ends the first node stays.
    ends = {end: it for it in reversed(ids) for end in (it, it.rpartition("/")[2])}
    near = [ends[end] for end, _score, _at in extract(name, list(ends), limit=_NEAREST)]
    nearest = ", ".join(map(repr, near))
    return InvalidParams(
        f"There is no node {name!r} in this graph of {len(ids)} nodes",
        suggestion=f"The nearest are {nearest}." if near else "The graph is empty; seed nothing.",
        data={"seed": name, "nearest": near},
    )


_DIGITS = 6
_MAX_CYCLES = 20
_MAX_UNRESOLVED_IMPORTS = 100


@dataclass(frozen=True, slots=True)
class NodeMetrics:
    """A file, function or type and its measures; None for what was not measured."""

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


@dataclass(frozen=True, slots=True)
class ReferenceCounts:
    """How many imports, calls or bases were resolved; only these make edges."""

    kind: EdgeKind
    resolved: int = 0
    external: int = 0
    outside: int = 0
    unresolved: int = 0


class GraphTotals(Item):
    """A graph as a whole; None for what was not measured."""

    dag_type: DagType
    total_nodes: int
    total_edges: int
    """Edges of different kinds between the same nodes are counted separately."""
    edges_by_kind: dict[DependencyKind, int]
    """How many exist at run time, and how many only lazily, in tests, for types or as parts."""
    connected_pairs: int
    """Pairs of nodes with an edge of any kind; every measure counts these."""
    density: float | None
    average_degree: float | None
    max_degree: int | None
    connected_components: int | None
    strongly_connected_components: int | None
    cycles: list[DependencyCycle] | None
    """The biggest groups of nodes that depend on one another at run time."""
    total_cycles: int | None
    other_cycles: list[DependencyCycle] | None
    """Groups that are cycles only with imports of another kind: lazy, test, type-only, parts."""
    total_other_cycles: int | None
    average_clustering: float | None
    communities: int | None
    modularity: float | None
    centrality_estimate: Annotated[
        CentralityEstimate | None, Field(exclude_if=lambda it: it is None)
    ]
    """Present if betweenness and closeness are estimates: the graph is too big for exact ones."""
    references: list[ReferenceCounts]
    unresolved_imports: list[UnresolvedImport]
    """The first by file and line; references has their number."""
    biggest_component: Annotated[int | None, Field(exclude=True)]
    """How many nodes it has."""


def graph_totals(dag_type: DagType, graph: Graph, measures: Measures) -> GraphTotals:
    """Return the totals; lists are cut, their full lengths are in the counts."""
    cycles, components = measures.cycles, measures.components
    others = None if cycles is None else measures.other_cycles
    kinds = Counter(edge.dependency for edge in graph.edges)
    return GraphTotals(
        dag_type=dag_type,
        total_nodes=measures.nodes,
        total_edges=measures.edges,
        edges_by_kind={kind: kinds[kind] for kind in DEPENDENCY_KINDS if kinds[kind]},
        connected_pairs=measures.pairs,
        density=_rounded(measures.density),
        average_degree=_rounded(measures.average_degree),
        max_degree=measures.max_degree,
        connected_components=_group_count(components),
        strongly_connected_components=measures.strong_components,
        cycles=None if cycles is None else cycles[:_MAX_CYCLES],
        total_cycles=None if cycles is None else len(cycles),
        other_cycles=None if others is None else others[:_MAX_CYCLES],
        total_other_cycles=None if others is None else len(others),
        average_clustering=_rounded(measures.average_clustering),
        communities=_group_count(measures.communities),
        modularity=_rounded(measures.modularity),
        centrality_estimate=measures.estimate,
        references=[ReferenceCounts(kind, **counts) for kind, counts in graph.outcomes.items()],
        unresolved_imports=graph.unresolved_imports[:_MAX_UNRESOLVED_IMPORTS],
        biggest_component=None if components is None else components.count(0),
    )


def node_metrics(graph: Graph, measures: Measures) -> list[NodeMetrics]:
    """Return a row for each node, in the order of the nodes, to six significant digits."""
    count = len(graph.nodes)
    absent: list[None] = [None] * count
    # Column by column, in the order of the fields: there may be many thousands of nodes.
    columns = (
        measures.in_degrees,
        measures.out_degrees,
        _column(measures.degree_centralities, count),
        _column(measures.betweennesses, count),
        _column(measures.closenesses, count),
        _column(measures.pageranks, count),
        _column(measures.clusterings, count),
        measures.communities or absent,
        measures.components or absent,
    )
    return [
        NodeMetrics(node.id, node.kind, node.file, node.line, *values)
        for node, *values in zip(graph.nodes, *columns, strict=True)
    ]


def _column(values: Sequence[float] | None, count: int) -> Sequence[float | None]:
    return [None] * count if values is None else [float(f"{it:.{_DIGITS}g}") for it in values]


def rank(nodes: list[NodeMetrics]) -> list[NodeMetrics]:
    """Return the nodes, most important first.

    By PageRank; where that was not measured, by betweenness; else by their number of edges.
    """
    return sorted(nodes, key=_importance)


def _importance(node: NodeMetrics) -> tuple[float, int, str]:
    score = node.pagerank if node.pagerank is not None else node.betweenness_centrality
    return -(score or 0.0), -(node.in_degree + node.out_degree), node.name


def _group_count(membership: list[int] | None) -> int | None:
    return None if membership is None else max(membership, default=-1) + 1


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{_DIGITS}g}")


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


_ARROWS = {"imports": "-->", "calls": "-.->", "inherits": "==>", "defines": "---", "runs": "-->"}


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
    # By the end with fewer edges: one hub must not fill the drawing with its spokes.
    edges.sort(key=lambda it: -min(degrees[it.source], degrees[it.target]))
    kept = sorted(edges[:most_edges], key=lambda it: (it.source, it.target, it.kind))
    note = (
        f"{dag_type}: {len(chosen):,} of {len(graph.nodes):,} nodes, those with the most edges; "
        f"{len(kept):,} of {len(graph.edges):,} edges"
    )
    return chosen, kept, note
