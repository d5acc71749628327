"""Dependency graphs: built from facts, measured, exported."""

from .build import build_graph
from .export import as_dot, as_graphml, as_mermaid
from .measures import METRICS, Cycle, Measures, Metric, measure
from .model import DagType, Edge, EdgeKind, Graph, LostImport, Node, Outcome
from .seeds import find_seeds
from .studies import Study, study_graph
from .table import COLUMNS, Row, rank, rounded, rows_of

__all__ = [
    "COLUMNS",
    "METRICS",
    "Cycle",
    "DagType",
    "Edge",
    "EdgeKind",
    "Graph",
    "LostImport",
    "Measures",
    "Metric",
    "Node",
    "Outcome",
    "Row",
    "Study",
    "as_dot",
    "as_graphml",
    "as_mermaid",
    "build_graph",
    "find_seeds",
    "measure",
    "rank",
    "rounded",
    "rows_of",
    "study_graph",
]
