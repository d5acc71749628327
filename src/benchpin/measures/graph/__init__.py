"""Dependency graphs: built from facts, measured, exported."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._automation import AutomationStep, find_automation
    from ._build import DagType, Edge, Graph, UnresolvedImport, build_graph
    from ._export import (
        GraphTotals,
        NodeMetrics,
        Seed,
        as_graphml,
        drawn,
        find_seeds,
        graph_totals,
        node_metrics,
        rank,
    )
    from ._measures import METRICS, Measures
    from ._remembered import components_of, graph_of, measures_of
    from ._structure import DependencyCycle, find_cycles, shortest_way

__all__ = [
    "METRICS",
    "AutomationStep",
    "DagType",
    "DependencyCycle",
    "Edge",
    "Graph",
    "GraphTotals",
    "Measures",
    "NodeMetrics",
    "Seed",
    "UnresolvedImport",
    "as_graphml",
    "build_graph",
    "components_of",
    "drawn",
    "find_automation",
    "find_cycles",
    "find_seeds",
    "graph_of",
    "graph_totals",
    "measures_of",
    "node_metrics",
    "rank",
    "shortest_way",
]

__getattr__ = lazy(__name__)
