"""Build a profile from calls or stacks, within a budget."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from benchpin.core.text import counted
from benchpin.performance.reading import ArtifactSource
from benchpin.performance.values import CallEdge, CallNode, Profile, ProfiledRequest

from ._sums import CallSums, Name, costs_of, edges_of, nodes_of
from ._tree import FUNCTION_BITS, OTHER, ROOT, CallTree, depths, fold, totals, worth_keeping

_MAX_NODES = 3_000
# The minimum of the whole; a narrower frame cannot be seen.
_MIN_SHARE = 0.0005


class ProfileBuilder:
    """A profile while it is read: its call tree, and the sums of what no longer fits into it."""

    def __init__(self, metrics: int, source: ArtifactSource) -> None:
        source.budget.check_metrics(metrics)
        self.tree = CallTree(metrics)
        self.faults = source.faults
        self.budget = source.budget
        self._job = source.job
        self._sums = CallSums(metrics, source.budget.edges)

    def add_stack(self, stack: Iterable[int], costs: Sequence[int], calls: int = 0) -> None:
        """Add the costs of a sample to its innermost function; `stack` begins with the outermost.

        `calls` is how often the innermost was called, where the profiler counts that.
        """
        tree, node = self.tree, ROOT
        find, frames = tree.find, iter(stack)
        for function in islice(frames, self.budget.stack_frames):
            child = find(node << FUNCTION_BITS | function)
            node = tree.grow(node, function) if child is None else child
        if next(frames, None) is not None:
            node = tree.other(node)
            self.note_cut()
        tree.calls[node] += calls
        self._spend(node, costs)

    def note_cut(self) -> None:
        self.faults.add("stacks", f"more than {self.budget.stack_frames} frames; cut there")

    def enter(self, function: int) -> None:
        """Enter a function; unlike `add_stack`, the callers are not looked up again."""
        opened = self.tree.open
        opened.append(self.tree.child(opened[-1], function))

    def leave(self) -> None:
        if len(self.tree.open) > 1:
            self.tree.open.pop()

    def leave_all(self) -> int:
        entered = len(self.tree.open) - 1
        del self.tree.open[1:]
        return entered

    def spend(self, costs: Sequence[int]) -> None:
        self._spend(self.tree.open[-1], costs)

    def _spend(self, node: int, costs: Sequence[int]) -> None:
        for sums, cost in zip(self.tree.costs, costs, strict=True):
            sums[node] += cost

    @property
    def is_over_limit(self) -> bool:
        return len(self.tree) > self.budget.nodes_with(len(self.tree.costs))

    def make_room(self) -> bool:
        """Fold the cheapest paths; the sums get their costs first.

        False if there is little room after it, because calls are open: to fold after every few new
        nodes would take quadratic time.
        """
        limit = self.budget.nodes_with(len(self.tree.costs))
        inclusive = totals(self.tree)
        self._job.require_time()
        kept = worth_keeping(self.tree, inclusive[0], limit // 2)
        self._sums.add_tree(self.tree, inclusive, self._job, kept)
        self.tree = fold(self.tree, kept)
        self._job.require_time()
        return len(self.tree) <= max(1, limit - limit // 4)

    def profile(
        self,
        version: str,
        metrics: Sequence[str],
        names: Mapping[int, Name],
        *,
        events: int,
        request: ProfiledRequest | None = None,
        recorded_calls: int | None = None,
    ) -> Profile:
        """Return what was read; `recorded_calls` is how many calls the profiler says it wrote."""
        inclusive = totals(self.tree)
        self._sums.add_tree(self.tree, inclusive, self._job)
        functions, places = costs_of(self._sums.functions, names, self._job)
        self._note_gaps(sum(cost.calls for cost in functions), recorded_calls)
        limit, deepest = self.budget.kept_nodes, self.budget.kept_depth
        if len(self.tree) - 1 > limit or max(depths(self.tree)) > deepest:
            self.tree.open = self.tree.open[:1]
            self.tree = fold(self.tree, worth_keeping(self.tree, inclusive[0], limit, deepest))
            self._job.require_time()
        return Profile(
            version=version,
            metrics=tuple(metrics),
            request=request,
            events=events,
            functions=functions,
            edges=edges_of(self._sums.pairs, places, self._job),
            tree=nodes_of(self.tree, places),
            is_complete=len(self.faults) == 0,
            faults=self.faults.listed(),
        )

    def _note_gaps(self, calls: int, recorded: int | None) -> None:
        unfinished = len(self.tree.open) - 1
        if unfinished:
            self.faults.add("end of text", f"{counted(unfinished, 'call')} did not return")
        self._sums.note_left_out(self.faults)
        if recorded is not None and recorded != calls:
            self.faults.add("metadata", f"{recorded} calls were recorded, {calls} were read")


# An estimated call tree for profiles without stacks: cProfile, callgrind, XHProf.
#
# Such a profile has the cost of a function over all its callers, and of each pair of caller and
# callee. As gprof does, every call of a function is taken to cost what it costs on average: a
# caller with a third of a function's cost gets a third of what that function spends in each
# callee.


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
        if found or not self._functions:
            return found
        # In a circle of calls each function has a caller: begin with the most expensive one.
        widest = max(costs, key=lambda it: self._functions[it].inclusive[self._metric])
        cost = self._functions[widest].inclusive[self._metric]
        return {widest: cost} if cost > 0 else {}

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
