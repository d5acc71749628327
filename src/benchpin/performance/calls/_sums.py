"""Sum the costs of functions and of pairs of caller and callee, and publish them with the tree."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchpin.performance.values import CallEdge, CallNode, Cost

from ._tree import OTHER, ROOT, CallTree, children, totals

Pair = tuple[int, int]


class Name(NamedTuple):
    """The name of a function, and where it is defined if that is known."""

    function: str
    file: str | None = None
    line: int | None = None


class CostSum:
    """Sums of a function, or of a pair of caller and callee."""

    __slots__ = ("calls", "deepest", "inclusive", "own")

    def __init__(self, metrics: int) -> None:
        self.calls = 0
        self.own = [0] * metrics
        self.inclusive = [0] * metrics
        self.deepest = 0


class CallSums:
    """Sums of functions and of pairs.

    Of recursive calls only the outermost counts as inclusive, for a pair as for a function.
    """

    def __init__(self, metrics: int, most_pairs: int) -> None:
        self._metrics = metrics
        self._most_pairs = most_pairs
        self.functions: dict[int, CostSum] = {}
        self.pairs: dict[Pair, CostSum] = {}
        self.pairs_left_out = 0

    def add_tree(
        self, tree: CallTree, inclusive: Sequence[Sequence[int]], kept: bytearray | None = None
    ) -> None:
        """Add the costs of a tree, except for nodes that are kept for later."""
        # Depth first without recursion, because call trees are deeper than Python's stack.
        first, following = children(tree)
        active: dict[int | Pair, int] = defaultdict(int)
        path: list[int] = []
        node = first[ROOT]
        while node or path:
            if not node:
                node = path.pop()
                active[tree.functions[node]] -= 1
                active[_pair(tree, node)] -= 1
                node = following[node]
                continue
            function, pair = tree.functions[node], _pair(tree, node)
            if function != OTHER and not (kept and kept[node]):
                costs = [sums[node] for sums in inclusive]
                self._add_function(tree, node, costs, active[function])
                if pair[0] != OTHER:
                    self._add_pair(pair, tree.calls[node], costs, is_inner=active[pair] > 0)
            active[function] += 1
            active[pair] += 1
            path.append(node)
            node = first[node]

    def _add_function(self, tree: CallTree, node: int, costs: list[int], depth: int) -> None:
        function = tree.functions[node]
        total = self.functions.get(function)
        if total is None:
            total = self.functions[function] = CostSum(self._metrics)
        total.calls += tree.calls[node]
        total.deepest = max(total.deepest, depth)
        for metric, cost in enumerate(costs):
            total.own[metric] += tree.costs[metric][node]
            if depth == 0:
                total.inclusive[metric] += cost

    def _add_pair(self, pair: Pair, calls: int, costs: list[int], *, is_inner: bool) -> None:
        total = self.pairs.get(pair)
        if total is None:
            if len(self.pairs) >= self._most_pairs:
                self.pairs_left_out += 1
                return
            total = self.pairs[pair] = CostSum(self._metrics)
        total.calls += calls
        if not is_inner:
            for metric, cost in enumerate(costs):
                total.inclusive[metric] += cost


def _pair(tree: CallTree, node: int) -> Pair:
    return tree.functions[tree.parents[node]], tree.functions[node]


def costs_of(
    sums: Mapping[int, CostSum], names: Mapping[int, Name]
) -> tuple[tuple[Cost, ...], dict[int, int]]:
    """Return the functions by self cost, highest first, and the position of each number."""
    costs = {
        number: Cost(
            function=name.function,
            calls=total.calls,
            self=tuple(total.own),
            inclusive=tuple(total.inclusive),
            deepest_recursion=total.deepest,
            file=name.file,
            line=name.line,
        )
        for number, total in sums.items()
        for name in [names.get(number) or Name(f"#{number}")]
    }
    order = sorted(costs, key=lambda number: (*_rank(costs[number]), number))
    return tuple(costs[number] for number in order), {it: place for place, it in enumerate(order)}


def edges_of(pairs: Mapping[Pair, CostSum], places: Mapping[int, int]) -> tuple[CallEdge, ...]:
    """Return the pairs of caller and callee, by their positions."""
    edges = [
        CallEdge(
            caller=places[caller],
            callee=places[callee],
            calls=total.calls,
            inclusive=tuple(total.inclusive),
        )
        for (caller, callee), total in pairs.items()
    ]
    return tuple(sorted(edges, key=lambda edge: (edge.caller, edge.callee)))


def nodes_of(tree: CallTree, places: Mapping[int, int]) -> tuple[CallNode, ...]:
    """Return the tree from the top, the most expensive children first."""
    inclusive = totals(tree)
    below: dict[int, list[int]] = {}
    for node in range(1, len(tree)):
        below.setdefault(tree.parents[node], []).append(node)

    def most_expensive(node: int) -> tuple[int, int]:
        return -inclusive[0][node], places.get(tree.functions[node], len(places))

    nodes: list[CallNode] = []
    pending = [(ROOT, -1)]
    while pending:
        node, parent = pending.pop()
        function = tree.functions[node]
        if node != ROOT:
            nodes.append(
                CallNode(
                    parent=parent,
                    function=OTHER if function == OTHER else places[function],
                    calls=tree.calls[node],
                    self=tuple(costs[node] for costs in tree.costs),
                    inclusive=tuple(sums[node] for sums in inclusive),
                )
            )
        place = len(nodes) - 1
        ranked = sorted(below.get(node, []), key=most_expensive)
        pending.extend((child, place) for child in reversed(ranked))
    return tuple(nodes)


def _rank(cost: Cost) -> tuple[int, int, str, str, int]:
    return -cost.self[0], -cost.inclusive[0], cost.function, cost.file or "", cost.line or 0
