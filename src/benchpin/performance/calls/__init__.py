"""Who called whom and what it cost: the call tree that every kind of profile is read into."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._budget import Budget
    from ._builder import ProfileBuilder
    from ._difference import DiffNode, TreeDifference, tree_difference
    from ._estimated import estimated_tree
    from ._events import Events
    from ._repeated import Pair, RepeatedFunctions, measured_route
    from ._sums import CostSum, Name, costs_of, edges_of
    from ._tree import FUNCTION_BITS, ROOT, CallTree

__all__ = [
    "FUNCTION_BITS",
    "ROOT",
    "Budget",
    "CallTree",
    "CostSum",
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

__getattr__ = lazy(
    __name__,
    """
    _budget: Budget
    _builder: ProfileBuilder
    _difference: DiffNode TreeDifference tree_difference
    _estimated: estimated_tree
    _events: Events
    _repeated: Pair RepeatedFunctions measured_route
    _sums: CostSum Name costs_of edges_of
    _tree: CallTree FUNCTION_BITS ROOT
    """,
)
