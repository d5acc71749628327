"""Add up events into a call tree: for each path of calls, how often and at what cost."""

from array import array
from collections.abc import Callable, MutableSequence, Sequence

from .rows import Rows

ROOT = 0
"""What was spent outside of all calls; no function."""
OTHER = -1
"""In the place of a function: what was folded together."""
_FUNCTION_BITS = 32
_MENDING_DEPTH = 200
"""How many open calls are searched for one that is left out of turn."""


class CallTree:
    """Places in the tree by number; a parent's is lower than those of its children."""

    def __init__(self, metrics: int) -> None:
        """Start with the root alone."""
        self.parents = array("q", [-1])
        self.functions = array("q", [OTHER])
        self.calls = [0]
        self.costs: list[list[int]] = [[0] for _ in range(metrics)]
        """By metric and place, without what was called from there."""
        self.open: list[int] = [ROOT]
        """The calls that are not left yet, outermost first, and the root before them."""
        self.seen: set[int] = set()
        """The functions that were called."""
        self._children: dict[int, int] = {}

    def __len__(self) -> int:
        """Return the number of places, the root included."""
        return len(self.parents)

    def feed(self, rows: Rows, on_fault: Callable[[int, str], None]) -> None:
        """Add events; `on_fault` is told the line of each that does not fit, and why."""
        nodes = self._walk(rows, on_fault)
        for costs, deltas in zip(self.costs, rows.deltas, strict=True):
            for node, delta in zip(nodes, deltas, strict=True):
                if delta:
                    costs[node] += delta

    def _walk(self, rows: Rows, on_fault: Callable[[int, str], None]) -> list[int]:
        """Follow the calls; return where the profile stood before each event."""
        nodes: list[int] = []
        functions, calls, stack, find = self.functions, self.calls, self.open, self._children.get
        node = stack.pop()
        for is_enter, function in zip(rows.enters, rows.functions, strict=True):
            nodes.append(node)
            if is_enter:
                child = find(node << _FUNCTION_BITS | function)
                if child is None:
                    child = self.grow(node, function)
                calls[child] += 1
                stack.append(node)
                node = child
            elif functions[node] == function:
                node = stack.pop()
            else:
                stack.append(node)
                on_fault(rows.lines[len(nodes) - 1], self._leave(function))
                node = stack.pop()
        stack.append(node)
        return nodes

    def grow(self, parent: int, function: int) -> int:
        """Add a place and return its number."""
        node = len(self.parents)
        if function != OTHER:
            self._children[parent << _FUNCTION_BITS | function] = node
            self.seen.add(function)
        self.parents.append(parent)
        self.functions.append(function)
        self.calls.append(0)
        for costs in self.costs:
            costs.append(0)
        return node

    def forget_paths(self) -> None:
        """Give back what is needed only to add events."""
        self._children.clear()

    def _leave(self, function: int) -> str:
        """Leave a function that is not the one entered last; return what was wrong."""
        for depth in range(1, min(len(self.open), _MENDING_DEPTH)):
            if self.functions[self.open[-depth]] == function:
                del self.open[-depth:]
                return f"{depth - 1} calls inside of function #{function} were never left"
        return f"function #{function} is left but was not entered"


def totals(tree: CallTree) -> list[MutableSequence[int]]:
    """Return by metric and place what was spent there and in all that was called from there."""
    return [_summed_upwards(tree, costs) for costs in tree.costs]


def _summed_upwards(tree: CallTree, costs: list[int]) -> MutableSequence[int]:
    """Add each place's costs to its parent's, in an array unless damage made them huge."""
    try:
        return _added_to_parents(tree, array("q", costs))
    except OverflowError:
        return _added_to_parents(tree, list(costs))


def _added_to_parents(tree: CallTree, sums: MutableSequence[int]) -> MutableSequence[int]:
    for node in range(len(tree) - 1, ROOT, -1):
        sums[tree.parents[node]] += sums[node]
    return sums


def children(tree: CallTree) -> tuple[Sequence[int], Sequence[int]]:
    """Return for each place its first child and its next sibling, 0 where there is none."""
    first, following = array("q", bytes(8 * len(tree))), array("q", bytes(8 * len(tree)))
    for node in range(len(tree) - 1, ROOT, -1):
        parent = tree.parents[node]
        following[node] = first[parent]
        first[parent] = node
    return first, following
