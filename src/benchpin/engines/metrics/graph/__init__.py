"""Dependency graphs: built from facts, measured, exported."""

from .build import build_graph
from .model import DagType, Edge, EdgeKind, Graph, Node, Outcome

__all__ = ["DagType", "Edge", "EdgeKind", "Graph", "Node", "Outcome", "build_graph"]
