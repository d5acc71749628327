"""An estimated call tree for profiles without stacks: cProfile, callgrind, XHProf.

Such a profile has the cost of a function over all its callers, and of each pair of caller and
callee. As gprof does, every call of a function is taken to cost what it costs on average: a caller
with a third of a function's cost gets a third of what that function spends in each callee.
"""

import heapq
from collections import defaultdict

from benchpin.performance.values import CallEdge, CallNode, Profile

from ._tree import OTHER

_MAX_NODES = 3_000
# The minimum of the whole; a narrower frame cannot be seen.
_MIN_SHARE = 0.0005


class _Estimate:
    """The tree while it grows, its widest frame first."""

    def __init__(self, profile: Profile, metric: int) -> None:
        self._functions = profile.functions
        self._metric = metric
        self._callees: dict[int, list[CallEdge]] = defaultdict(list)
        for edge in profile.edges:
            if edge.caller != edge.callee and edge.inclusive[metric] > 0:
                self._callees[edge.caller].append(edge)
        self._nodes: list[CallNode] = []
        self._waiting: list[tuple[int, int]] = []
        """By cost, negative, and number."""

    def tree(self) -> tuple[CallNode, ...]:
        """Return the nodes, callers before their callees, with the cost of one metric."""
        roots = self._roots()
        least = max(1, int(_MIN_SHARE * sum(roots.values())))
        for function, cost in roots.items():
            if cost >= least:
                self._add(-1, function, self._functions[function].calls, cost)
        while self._waiting and len(self._nodes) < _MAX_NODES:
            _, node = heapq.heappop(self._waiting)
            self._expand(node, least)
        return tuple(self._nodes)

    def _roots(self) -> dict[int, int]:
        """Return what each function cost that no caller explains."""
        costs = {at: it.inclusive[self._metric] for at, it in enumerate(self._functions)}
        for edges in self._callees.values():
            for edge in edges:
                costs[edge.callee] -= edge.inclusive[self._metric]
        found = {at: cost for at, cost in costs.items() if cost > 0}
        return found or self._widest()

    def _widest(self) -> dict[int, int]:
        """Return the most expensive function: in a circle of calls, each one has a caller."""
        costs = {at: it.inclusive[self._metric] for at, it in enumerate(self._functions)}
        widest = max(costs, key=costs.__getitem__, default=None)
        return {} if widest is None or costs[widest] <= 0 else {widest: costs[widest]}

    def _add(self, parent: int, function: int, calls: int, cost: int) -> None:
        heapq.heappush(self._waiting, (-cost, len(self._nodes)))
        self._nodes.append(CallNode(parent, function, calls, (cost,), (cost,)))

    def _expand(self, number: int, least: int) -> None:
        """Give a node its callees; what is left is its own cost."""
        node = self._nodes[number]
        function = self._functions[node.function]
        edges = self._callees.get(node.function, [])
        # Recursion counts calls within calls: callees can have more than their caller.
        spent = sum(edge.inclusive[self._metric] for edge in edges)
        whole = max(function.inclusive[self._metric], spent, 1)
        path, other, left = self._path(number), 0, node.inclusive[0]
        for edge in sorted(edges, key=lambda it: (-it.inclusive[self._metric], it.callee)):
            cost = edge.inclusive[self._metric] * node.inclusive[0] // whole
            left -= cost
            if cost < least or edge.callee in path:
                other += cost
                continue
            calls = round(edge.calls * node.inclusive[0] / whole)
            self._add(number, edge.callee, calls, cost)
        if other:
            self._nodes.append(CallNode(number, OTHER, 0, (other,), (other,)))
        own = (left,)
        self._nodes[number] = CallNode(node.parent, node.function, node.calls, own, node.inclusive)

    def _path(self, number: int) -> set[int]:
        found = set()
        while number >= 0:
            found.add(self._nodes[number].function)
            number = self._nodes[number].parent
        return found


def estimated_tree(profile: Profile, metric: int) -> tuple[CallNode, ...]:
    """Return the estimated stacks of a profile; the costs of its nodes are those of one metric."""
    return _Estimate(profile, metric).tree()
