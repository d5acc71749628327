"""Sum events into a call tree, and cut the tree to a size by folding its cheapest paths."""

from array import array
from collections.abc import Callable, MutableSequence, Sequence
from typing import NamedTuple

# The node for costs outside of all calls; it has no function.
ROOT = 0
# The function of a node that sums up folded nodes.
OTHER = -1
FUNCTION_BITS = 32
# No function has this number: profiles have fewer.
_OTHER_KEY = (1 << FUNCTION_BITS) - 1
_REPAIR_DEPTH = 200


# Calls as a profiler that traces records them: entered, left, and the cost in between.


class Events(NamedTuple):
    """Events in their order, one list for each field."""

    lines: Sequence[int]
    enters: Sequence[int]
    """1 where a function is entered, 0 where it returns."""
    functions: Sequence[int]
    deltas: Sequence[Sequence[int]]
    """By metric, the cost since the previous event."""

    def first(self, count: int) -> "Events":
        return Events(
            self.lines[:count],
            self.enters[:count],
            self.functions[:count],
            [column[:count] for column in self.deltas],
        )


class CallTree:
    """Nodes by number, one list for each attribute; a parent has a lower number than its children.

    Lists of numbers instead of objects: a tree has up to half a million nodes.
    """

    def __init__(self, metrics: int) -> None:
        self.parents = array("q", [-1])
        self.functions = array("q", [OTHER])
        self.calls = [0]
        self.costs: list[list[int]] = [[0] for _ in range(metrics)]
        """By metric and node, without callees."""
        self.open: list[int] = [ROOT]
        """The root, then the calls that have not returned, outermost first."""
        self.seen: set[int] = set()
        """The functions that were called."""
        self._children: dict[int, int] = {}
        """Nodes by parent and function, packed into one number: cheaper to hash than a tuple."""
        self.find = self._children.get
        """Returns the node of a packed number; for loops, where a call of `child` costs more."""

    def __len__(self) -> int:
        return len(self.parents)

    def feed(self, events: Events, on_fault: Callable[[int, str], None]) -> None:
        """Add events; `on_fault` gets the line and the problem of each that does not fit."""
        nodes = self._walk(events, on_fault)
        for costs, deltas in zip(self.costs, events.deltas, strict=True):
            for node, delta in zip(nodes, deltas, strict=True):
                if delta:
                    costs[node] += delta

    def _walk(self, events: Events, on_fault: Callable[[int, str], None]) -> list[int]:
        """Follow the calls; return the current node before each event."""
        # Runs for every event: attributes are bound to locals, and the current node is kept out
        # of the stack, so that most events cost one dict lookup and one push or pop.
        nodes: list[int] = []
        functions, calls, stack, find = self.functions, self.calls, self.open, self.find
        node = stack.pop()
        for is_enter, function in zip(events.enters, events.functions, strict=True):
            nodes.append(node)
            if is_enter:
                child = find(node << FUNCTION_BITS | function)
                if child is None:
                    child = self.grow(node, function)
                calls[child] += 1
                stack.append(node)
                node = child
            elif functions[node] == function:
                node = stack.pop()
            else:
                stack.append(node)
                on_fault(events.lines[len(nodes) - 1], self._leave(function))
                node = stack.pop()
        stack.append(node)
        return nodes

    def child(self, parent: int, function: int) -> int:
        found = self._children.get(parent << FUNCTION_BITS | function)
        return self.grow(parent, function) if found is None else found

    def other(self, parent: int) -> int:
        """Return the node for calls of `parent` that are not distinguished."""
        key = (parent << FUNCTION_BITS) + _OTHER_KEY
        node = self._children.get(key)
        if node is None:
            node = self._children[key] = self.grow(parent, OTHER)
        return node

    def grow(self, parent: int, function: int) -> int:
        node = len(self.parents)
        if function != OTHER:
            self._children[parent << FUNCTION_BITS | function] = node
            self.seen.add(function)
        self.parents.append(parent)
        self.functions.append(function)
        self.calls.append(0)
        for costs in self.costs:
            costs.append(0)
        return node

    def forget_paths(self) -> None:
        """Free what is only needed to add events."""
        self._children.clear()

    def _leave(self, function: int) -> str:
        """Return from a function that is not the innermost; return what is wrong."""
        for depth in range(1, min(len(self.open), _REPAIR_DEPTH)):
            if self.functions[self.open[-depth]] == function:
                del self.open[-depth:]
                return f"{depth - 1} calls inside function #{function} did not return"
        return f"function #{function} returns but was not called"


def totals(tree: CallTree) -> list[MutableSequence[int]]:
    return [_summed_upwards(tree, costs) for costs in tree.costs]


def _summed_upwards(tree: CallTree, costs: list[int]) -> MutableSequence[int]:
    try:
        return _added_to_parents(tree, array("q", costs))
    except OverflowError:  # damage can make costs larger than 64 bits
        return _added_to_parents(tree, list(costs))


def _added_to_parents(tree: CallTree, sums: MutableSequence[int]) -> MutableSequence[int]:
    for node in range(len(tree) - 1, ROOT, -1):
        sums[tree.parents[node]] += sums[node]
    return sums


def children(tree: CallTree) -> tuple[Sequence[int], Sequence[int]]:
    """Return the first child and the next sibling of each node, 0 where there is none."""
    first, following = array("q", bytes(8 * len(tree))), array("q", bytes(8 * len(tree)))
    for node in range(len(tree) - 1, ROOT, -1):
        parent = tree.parents[node]
        following[node] = first[parent]
        first[parent] = node
    return first, following


def depths(tree: CallTree) -> Sequence[int]:
    found = array("q", [0])
    for node in range(1, len(tree)):
        found.append(found[tree.parents[node]] + 1)
    return found


def worth_keeping(
    tree: CallTree, inclusive: Sequence[int], limit: int, deepest: int | None = None
) -> bytearray:
    """Mark the most expensive nodes that fit the limit, counting an `(other)` for their rest.

    Open calls are always kept.
    """
    kept = bytearray(len(tree))
    kept[ROOT] = 1
    missing = array("q", bytes(8 * len(tree)))
    for node in range(1, len(tree)):
        missing[tree.parents[node]] += 1
    levels = depths(tree)
    taken: list[int] = []
    others = int(missing[ROOT] > 0)
    fitting = opened = len(tree.open) - 1
    for node in tree.open[1:] + sorted(
        range(1, len(tree)), key=inclusive.__getitem__, reverse=True
    ):
        parent = tree.parents[node]
        is_too_deep = deepest is not None and levels[node] > deepest
        if kept[node] or not kept[parent] or tree.functions[node] == OTHER or is_too_deep:
            continue
        kept[node] = 1
        taken.append(node)
        missing[parent] -= 1
        others += (missing[node] > 0) - (missing[parent] == 0)
        if len(taken) + others <= limit:
            fitting = max(opened, len(taken))
        elif len(taken) >= max(limit, opened):
            break
    for node in taken[fitting:]:
        kept[node] = 0
    return kept


def fold(tree: CallTree, kept: bytearray) -> CallTree:
    """Return the tree with the marked nodes; the rest below each is `(other)`.

    No events can be added to the old tree.
    """
    tree.forget_paths()
    folded = CallTree(len(tree.costs))
    folded.seen |= tree.seen
    places = array("q", bytes(8 * len(tree)))
    others: dict[int, int] = {}
    for node in range(1, len(tree)):
        parent = places[tree.parents[node]]
        if kept[node]:
            place = folded.grow(parent, tree.functions[node])
        elif folded.functions[parent] == OTHER and parent != ROOT:
            place = parent
        else:
            place = others.get(parent) or folded.grow(parent, OTHER)
            others[parent] = place
        places[node] = place
        folded.calls[place] += tree.calls[node]
        for sums, costs in zip(folded.costs, tree.costs, strict=True):
            sums[place] += costs[node]
    folded.open = [places[node] for node in tree.open]
    return folded
