"""Profiles of functions and the calls between them, without stacks: cProfile, callgrind, XHProf."""

from collections.abc import Sequence

from benchpin.performance.calls import CostSum, costs_of, edges_of
from benchpin.performance.values import Profile

from ._source import Functions, ProfileSource


class CallGraph:
    """Sums of functions and of pairs of caller and callee while a profile is read."""

    def __init__(self, metrics: int, source: ProfileSource) -> None:
        source.budget.check_metrics(metrics)
        self.functions = Functions(source)
        self.pairs: dict[tuple[int, int], CostSum] = {}
        self.sums: dict[int, CostSum] = {}
        self._metrics = metrics
        self._source = source

    def label(self, function: int) -> str:
        """Return a function's name."""
        return self.functions.names[function].function

    def add(self, function: int, calls: int, own: Sequence[int], inclusive: Sequence[int]) -> None:
        """Add to the sums of a function."""
        total = self._sum(function)
        total.calls += calls
        for place in range(self._metrics):
            total.own[place] += own[place]
            total.inclusive[place] += inclusive[place]

    def add_edge(self, caller: int, callee: int, calls: int, inclusive: Sequence[int]) -> None:
        """Add calls from one function to another."""
        self._sum(caller)
        self._sum(callee)
        pair = caller, callee
        total = self.pairs.get(pair)
        if total is None:
            if len(self.pairs) >= self._source.budget.edges:
                self._source.faults.add("callers", "too many pairs of caller and callee")
                return
            total = self.pairs[pair] = CostSum(self._metrics)
        total.calls += calls
        for place in range(self._metrics):
            total.inclusive[place] += inclusive[place]

    def profile(self, version: str, metrics: Sequence[str]) -> Profile:
        """Return what was read."""
        functions, places = costs_of(self.sums, self.functions.names)
        return Profile(
            version=version,
            metrics=tuple(metrics),
            request=None,
            events=sum(cost.calls for cost in functions),
            functions=functions,
            edges=edges_of(self.pairs, places),
            tree=(),
            is_complete=len(self._source.faults) == 0,
            faults=self._source.faults.listed(),
        )

    def _sum(self, function: int) -> CostSum:
        found = self.sums.get(function)
        if found is None:
            found = self.sums[function] = CostSum(self._metrics)
        return found
