"""Sum the costs of functions and of pairs of caller and callee, and publish them with the tree."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from benchpin.core.calls import Job
from benchpin.performance.reading import FaultLog
from benchpin.performance.values import CallEdge, CallNode, Cost, Profile

from ._tree import OTHER, ROOT, CallTree, children, totals

Pair = tuple[int, int]
# Some milliseconds of sums.
_NODES_PER_CHECK = 1_000
# Parts of a path, from its end, that are compared.
_MAX_PARTS = 6
# A function's name and its file, empty if the profile does not have it.
_Named = tuple[str, str]


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
        self._is_full = False

    def add_tree(
        self,
        tree: CallTree,
        inclusive: Sequence[Sequence[int]],
        job: Job,
        kept: bytearray | None = None,
    ) -> None:
        """Add the costs of a tree, except for nodes that are kept for later."""
        # Depth first without recursion, because call trees are deeper than Python's stack.
        first, following = children(tree)
        active: dict[int | Pair, int] = defaultdict(int)
        path: list[int] = []
        node, steps = first[ROOT], 0
        while node or path:
            steps += 1
            if steps % _NODES_PER_CHECK == 0:
                job.require_time()
            if not node:
                node = path.pop()
                active[tree.functions[node]] -= 1
                active[_pair(tree, node)] -= 1
                node = following[node]
                continue
            function, pair = tree.functions[node], _pair(tree, node)
            if function != OTHER and not (kept and kept[node]):
                costs, depth = [sums[node] for sums in inclusive], active[function]
                own = [sums[node] for sums in tree.costs]
                total = self.add(function, tree.calls[node], own, () if depth else costs)
                total.deepest = max(total.deepest, depth)
                if pair[0] != OTHER:
                    self.add_pair(pair, tree.calls[node], () if active[pair] else costs)
            active[function] += 1
            active[pair] += 1
            path.append(node)
            node = first[node]

    def add(
        self, function: int, calls: int, own: Sequence[int], inclusive: Sequence[int]
    ) -> CostSum:
        """Add calls of a function; of inner ones nothing is inclusive."""
        total = self.functions.get(function)
        if total is None:
            total = self.functions[function] = CostSum(self._metrics)
        total.calls += calls
        for metric, cost in enumerate(own):
            total.own[metric] += cost
        for metric, cost in enumerate(inclusive):
            total.inclusive[metric] += cost
        return total

    def add_pair(self, pair: Pair, calls: int, inclusive: Sequence[int]) -> None:
        total = self.pairs.get(pair)
        if total is None:
            if len(self.pairs) >= self._most_pairs:
                self._is_full = True
                return
            total = self.pairs[pair] = CostSum(self._metrics)
        total.calls += calls
        for metric, cost in enumerate(inclusive):
            total.inclusive[metric] += cost

    def note_left_out(self, faults: FaultLog) -> None:
        if self._is_full:
            problem = f"more than {self._most_pairs} caller-callee pairs; some are left out"
            faults.add("callers", problem)


def _pair(tree: CallTree, node: int) -> Pair:
    return tree.functions[tree.parents[node]], tree.functions[node]


def costs_of(
    sums: Mapping[int, CostSum], names: Mapping[int, Name], job: Job
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
        for number, total in job.timed(sums.items())
        for name in [names.get(number) or Name(f"#{number}")]
    }
    order = sorted(costs, key=lambda number: (*_rank(costs[number]), number))
    return tuple(costs[number] for number in order), {it: place for place, it in enumerate(order)}


def edges_of(
    pairs: Mapping[Pair, CostSum], places: Mapping[int, int], job: Job
) -> tuple[CallEdge, ...]:
    edges = [
        CallEdge(
            caller=places[caller],
            callee=places[callee],
            calls=total.calls,
            inclusive=tuple(total.inclusive),
        )
        for (caller, callee), total in job.timed(pairs.items())
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


# Which functions of two sets of profiles are the same: by name and file, not by name alone.
#
# Between two versions of a program its lines move, and its folder may be another one. So
# functions of one name in one file are distinguished by the order of their lines, and a file that
# only one set has is the one of the other set that ends in the same path.


class MatchedFunctions:
    """The functions of both sets, numbered from 0, and the number of each function of a profile."""

    def __init__(self, before: Sequence[Profile], after: Sequence[Profile]) -> None:
        self.names: list[Name] = []
        """By number, as the later set knows them."""
        self._numbers: dict[tuple[str, str, int | None], int] = {}
        self._moved = _moved_files(_files(before), _files(after))
        self._lines = _matched_lines(self._by_name(before, self._moved), self._by_name(after, {}))
        self.after = [self._numbered(profile, {}, {}) for profile in after]
        """By profile, the number of each of its functions."""
        self.before = [self._numbered(profile, self._moved, self._lines) for profile in before]

    @staticmethod
    def _by_name(
        profiles: Iterable[Profile], moved: Mapping[str, str]
    ) -> dict[_Named, set[int | None]]:
        lines: dict[_Named, set[int | None]] = defaultdict(set)
        for cost in _costs(profiles):
            lines[_named(cost, moved)].add(cost.line)
        return lines

    def _numbered(
        self,
        profile: Profile,
        moved: Mapping[str, str],
        lines: Mapping[tuple[_Named, int | None], int | None],
    ) -> list[int]:
        found = []
        for cost in profile.functions:
            named = _named(cost, moved)
            line = lines.get((named, cost.line), cost.line)
            number = self._numbers.setdefault((*named, line), len(self.names))
            if number == len(self.names):
                self.names.append(Name(cost.function, cost.file, cost.line))
            found.append(number)
        return found


def _costs(profiles: Iterable[Profile]) -> Iterator[Cost]:
    return (cost for profile in profiles for cost in profile.functions)


def _named(cost: Cost, moved: Mapping[str, str]) -> _Named:
    file = cost.file or ""
    return cost.function, moved.get(file, file)


def _files(profiles: Iterable[Profile]) -> set[str]:
    return {cost.file for cost in _costs(profiles) if cost.file}


def _moved_files(before: set[str], after: set[str]) -> dict[str, str]:
    """Match files that only one set has by the longest end of their path that is unique."""
    moved: dict[str, str] = {}
    old, new = before - after, after - before
    for parts in range(_MAX_PARTS, 0, -1):
        ours, theirs = _by_ending(old, parts), _by_ending(new, parts)
        for ending, [path, *others] in ours.items():
            there = theirs.get(ending, [])
            if not others and len(there) == 1:
                moved[path] = there[0]
        old -= moved.keys()
        new -= set(moved.values())
    return moved


def _by_ending(files: set[str], parts: int) -> dict[tuple[str, ...], list[str]]:
    endings: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for file in sorted(files):
        endings[PurePosixPath(file.replace("\\", "/")).parts[-parts:]].append(file)
    return endings


def _matched_lines(
    before: Mapping[_Named, set[int | None]], after: Mapping[_Named, set[int | None]]
) -> dict[tuple[_Named, int | None], int | None]:
    """Return the later line of earlier functions: in their order, if there are as many as before.

    Otherwise only functions whose line is the same are the same.
    """
    matched = {}
    for named, lines in before.items():
        theirs = after.get(named, set())
        if len(lines) == len(theirs):
            pairs = zip(sorted(lines, key=_line), sorted(theirs, key=_line), strict=True)
            matched.update({(named, old): new for old, new in pairs})
    return matched


def _line(line: int | None) -> int:
    return line or 0
