"""One row for each node: what it is, and what was measured of it."""

from dataclasses import dataclass, fields

from .measures import Measures
from .model import Graph, Node

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Row:
    """A node and its numbers, to six significant digits; None where nothing was measured."""

    node: Node
    in_degree: int
    out_degree: int
    degree_centrality: float | None
    betweenness_centrality: float | None
    closeness_centrality: float | None
    pagerank: float | None
    clustering_coefficient: float | None
    community: int | None
    component: int | None

    @property
    def name(self) -> str:
        """The id of the node."""
        return self.node.id

    @property
    def kind(self) -> str:
        """What it is: file, function, method, class."""
        return self.node.kind

    @property
    def file(self) -> str:
        """The file that it is in, or is."""
        return self.node.file

    @property
    def line(self) -> int:
        """The line on which it begins."""
        return self.node.line


COLUMNS = ("name", "kind", "file", "line", *(it.name for it in fields(Row)[1:]))
"""What a row says, in order."""


def rows_of(graph: Graph, measures: Measures) -> list[Row]:
    """Return the rows in the order of the nodes."""
    return [_row(node, at, measures) for at, node in enumerate(graph.nodes)]


def rank(rows: list[Row]) -> list[Row]:
    """Return the rows, the most important nodes first.

    By PageRank; where that was not measured, by betweenness; else by their number of edges.
    """
    return sorted(rows, key=_importance)


def _importance(row: Row) -> tuple[float, int, str]:
    edges = row.in_degree + row.out_degree
    score = row.pagerank if row.pagerank is not None else row.betweenness_centrality
    return -(score or 0.0), -edges, row.node.id


def _row(node: Node, at: int, measures: Measures) -> Row:
    central = measures.centralities[at] if measures.centralities is not None else None
    return Row(
        node=node,
        in_degree=measures.in_degrees[at],
        out_degree=measures.out_degrees[at],
        degree_centrality=rounded(central.degree if central else None),
        betweenness_centrality=rounded(central.betweenness if central else None),
        closeness_centrality=rounded(central.closeness if central else None),
        pagerank=rounded(measures.pageranks[at] if measures.pageranks is not None else None),
        clustering_coefficient=rounded(
            measures.clusterings[at] if measures.clusterings is not None else None
        ),
        community=measures.communities[at] if measures.communities is not None else None,
        component=measures.components[at] if measures.components is not None else None,
    )


def rounded(value: float | None) -> float | None:
    """Keep the digits that mean something."""
    return None if value is None else float(f"{value:.{_DIGITS}g}")
