"""Who called whom and what it cost: the call tree that every kind of profile is read into."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._builder import ProfileBuilder, estimated_tree
    from ._difference import DiffNode, TreeDifference, tree_difference
    from ._repeated import Pair, RepeatedFunctions, measured_route
    from ._sums import CallSums, Name, costs_of, edges_of
    from ._tree import FUNCTION_BITS, ROOT, CallTree, Events

__all__ = [
    "FUNCTION_BITS",
    "ROOT",
    "CallSums",
    "CallTree",
    "DiffNode",
    "Events",
    "Name",
    "Pair",
    "ProfileBuilder",
    "RepeatedFunctions",
    "TreeDifference",
    "costs_of",
    "edges_of",
    "estimated_tree",
    "measured_route",
    "tree_difference",
]

__getattr__ = lazy(__name__)
