"""What each function, and each pair of caller and callee, cost over all paths of calls."""

from collections import defaultdict
from collections.abc import Sequence

from .call_tree import OTHER, ROOT, CallTree, children

Pair = tuple[int, int]


class Tally:
    """Sums of a function, or of a pair of caller and callee."""

    __slots__ = ("calls", "deepest", "inclusive", "own")

    def __init__(self, metrics: int) -> None:
        """Start at nothing."""
        self.calls = 0
        self.own = [0] * metrics
        self.inclusive = [0] * metrics
        self.deepest = 0


class Ledger:
    """Sums of functions and of pairs.

    Of a recursion the inclusive sums take the outermost call only, for a pair as for a function.
    """

    def __init__(self, metrics: int, most_pairs: int) -> None:
        """Start empty."""
        self._metrics = metrics
        self._most_pairs = most_pairs
        self.functions: dict[int, Tally] = {}
        self.pairs: dict[Pair, Tally] = {}
        self.pairs_left_out = 0

    def settle(
        self, tree: CallTree, inclusive: Sequence[Sequence[int]], kept: bytearray | None = None
    ) -> None:
        """Add what the places of a tree tell, but for those that are kept for later."""
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
        tally = self.functions.get(function)
        if tally is None:
            tally = self.functions[function] = Tally(self._metrics)
        tally.calls += tree.calls[node]
        tally.deepest = max(tally.deepest, depth)
        for metric, cost in enumerate(costs):
            tally.own[metric] += tree.costs[metric][node]
            if depth == 0:
                tally.inclusive[metric] += cost

    def _add_pair(self, pair: Pair, calls: int, costs: list[int], *, is_inner: bool) -> None:
        tally = self.pairs.get(pair)
        if tally is None:
            if len(self.pairs) >= self._most_pairs:
                self.pairs_left_out += 1
                return
            tally = self.pairs[pair] = Tally(self._metrics)
        tally.calls += calls
        if not is_inner:
            for metric, cost in enumerate(costs):
                tally.inclusive[metric] += cost


def _pair(tree: CallTree, node: int) -> Pair:
    return tree.functions[tree.parents[node]], tree.functions[node]
