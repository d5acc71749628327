"""Dependency graphs: built from facts, measured, exported."""

from .build import build_graph
from .cycles import DependencyCycle, find_cycles
from .dependency_graph import DagType, Edge, EdgeKind, Graph, Node, UnresolvedImport
from .export import as_dot, as_graphml, as_mermaid
from .measures import METRICS, Measures, Metric, measure
from .node_metrics import (
    GraphTotals,
    NodeMetrics,
    ReferenceCounts,
    graph_totals,
    node_metrics,
    rank,
)
from .remembered import components_of, graph_of, measures_of
from .seeds import Seed, find_seeds

__all__ = [
    "METRICS",
    "DagType",
    "DependencyCycle",
    "Edge",
    "EdgeKind",
    "Graph",
    "GraphTotals",
    "Measures",
    "Metric",
    "Node",
    "NodeMetrics",
    "ReferenceCounts",
    "Seed",
    "UnresolvedImport",
    "as_dot",
    "as_graphml",
    "as_mermaid",
    "build_graph",
    "components_of",
    "find_cycles",
    "find_seeds",
    "graph_of",
    "graph_totals",
    "measure",
    "measures_of",
    "node_metrics",
    "rank",
]
