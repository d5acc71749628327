"""Build a profile from calls or stacks, within a budget."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from benchpin.core.text import counted
from benchpin.performance.reading import FaultLog
from benchpin.performance.values import Profile, ProfiledRequest

from ._budget import Budget
from ._sums import CallSums, Name, costs_of, edges_of, nodes_of
from ._tree import FUNCTION_BITS, ROOT, CallTree, depths, fold, totals, worth_keeping


class ProfileBuilder:
    """A profile while it is read: its call tree, and the sums of what no longer fits into it."""

    def __init__(self, metrics: int, budget: Budget, faults: FaultLog) -> None:
        budget.check_metrics(metrics)
        self.tree = CallTree(metrics)
        self.faults = faults
        self.budget = budget
        self._sums = CallSums(metrics, budget.edges)

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
        """Note that a stack has more frames than are read."""
        self.faults.add("stacks", f"more than {self.budget.stack_frames} frames; cut there")

    def enter(self, function: int) -> None:
        """Enter a function; unlike `add_stack`, the callers are not looked up again."""
        opened = self.tree.open
        opened.append(self.tree.child(opened[-1], function))

    def leave(self) -> None:
        """Leave the innermost function."""
        if len(self.tree.open) > 1:
            self.tree.open.pop()

    def leave_all(self) -> int:
        """Leave all functions; return how many were entered."""
        entered = len(self.tree.open) - 1
        del self.tree.open[1:]
        return entered

    def spend(self, costs: Sequence[int]) -> None:
        """Add costs to the innermost function that was entered."""
        self._spend(self.tree.open[-1], costs)

    def _spend(self, node: int, costs: Sequence[int]) -> None:
        for sums, cost in zip(self.tree.costs, costs, strict=True):
            sums[node] += cost

    @property
    def is_over_limit(self) -> bool:
        """Whether the tree has more nodes than the budget allows."""
        return len(self.tree) > self.budget.nodes_with(len(self.tree.costs))

    def make_room(self) -> bool:
        """Fold the cheapest paths; the sums get their costs first.

        False if there is little room after it, because calls are open: to fold after every few new
        nodes would take quadratic time.
        """
        limit = self.budget.nodes_with(len(self.tree.costs))
        inclusive = totals(self.tree)
        kept = worth_keeping(self.tree, inclusive[0], limit // 2)
        self._sums.add_tree(self.tree, inclusive, kept)
        self.tree = fold(self.tree, kept)
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
        self._sums.add_tree(self.tree, inclusive)
        functions, places = costs_of(self._sums.functions, names)
        self._note_gaps(sum(cost.calls for cost in functions), recorded_calls)
        limit, deepest = self.budget.kept_nodes, self.budget.kept_depth
        if len(self.tree) - 1 > limit or max(depths(self.tree)) > deepest:
            self.tree.open = self.tree.open[:1]
            self.tree = fold(self.tree, worth_keeping(self.tree, inclusive[0], limit, deepest))
        return Profile(
            version=version,
            metrics=tuple(metrics),
            request=request,
            events=events,
            functions=functions,
            edges=edges_of(self._sums.pairs, places),
            tree=nodes_of(self.tree, places),
            is_complete=len(self.faults) == 0,
            faults=self.faults.listed(),
        )

    def _note_gaps(self, calls: int, recorded: int | None) -> None:
        unfinished = len(self.tree.open) - 1
        if unfinished:
            self.faults.add("end of text", f"{counted(unfinished, 'call')} did not return")
        if self._sums.pairs_left_out:
            self.faults.add(
                "callers", f"more than {self.budget.edges} caller-callee pairs; some are left out"
            )
        if recorded is not None and recorded != calls:
            self.faults.add("metadata", f"{recorded} calls were recorded, {calls} were read")
