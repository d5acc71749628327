"""Two sets of call trees as one tree: what each path of calls cost before and after.

`tree_difference(before, after)` takes the profiles of each set, usually repeated runs of one thing,
and returns a `TreeDifference`. Its `nodes` are in the order of a `Profile`'s tree: parents come
before their children, siblings by cost, and `parent` is a position in `nodes`, -1 for a root. To
draw it: the width of a frame is `after` (or the larger of `before` and `after`), its colour is
`own_verdict`, its strength is `own_after - own_before`. A frame that is new has `before == 0`; one
that is gone has `after == 0`. All costs are means over the profiles of their set, in whole units of
`metric`, so that the sets may have different sizes.
"""

from collections.abc import Iterator, Sequence

from benchpin.core.errors import InvalidParams
from benchpin.performance.comparing import Verdict, group_of, judge, noise
from benchpin.performance.snapshots import time_index
from benchpin.performance.values import Profile, PublishedValue

from ._sums import MatchedFunctions, Name
from ._tree import OTHER

# Frames with a smaller share of the total are not tested: each test makes the others stricter.
_MIN_SHARE = 0.001
# Nodes of the result, as many as a stored profile has at most; the narrowest are left out, and
# their cost remains in that of their callers.
_MAX_NODES = 20_000


class DiffNode(PublishedValue, frozen=True, array_like=True):
    """A frame: one path of calls, before and after."""

    parent: int
    """Position of the caller in the nodes; -1 for a root."""
    function: int
    """Position in the functions; -1 for `(other)`, where a tree was cut."""
    own_before: int
    """Without callees."""
    own_after: int
    before: int
    """With callees."""
    after: int
    own_verdict: Verdict
    """Whether the change of its own cost is beyond noise; unclear with fewer than five profiles."""
    verdict: Verdict
    """The same for its cost with callees."""


class TreeDifference(PublishedValue, frozen=True):
    """Two sets of call trees as one."""

    metric: str
    """As in `Profile.metrics`; wall time where both sets have it."""
    before_profiles: int
    after_profiles: int
    functions: tuple[Name, ...]
    nodes: tuple[DiffNode, ...]


class _Frames:
    """The frames of all trees; the own and inclusive costs of each, by side and profile."""

    def __init__(self, sizes: tuple[int, int]) -> None:
        self._sizes = sizes
        self._places: dict[tuple[int, int], int] = {}
        self.parents: list[int] = []
        self.functions: list[int] = []
        self.own: list[tuple[list[int], list[int]]] = []
        self.inclusive: list[tuple[list[int], list[int]]] = []

    def add(self, profile: Profile, numbers: Sequence[int], side: int, number: int) -> None:
        metric = time_index(profile) or 0
        places: list[int] = []
        for node in profile.tree:
            parent = places[node.parent] if node.parent >= 0 else -1
            function = numbers[node.function] if node.function >= 0 else OTHER
            place = self._place(parent, function)
            places.append(place)
            self.own[place][side][number] += node.self[metric]
            self.inclusive[place][side][number] += node.inclusive[metric]

    def _place(self, parent: int, function: int) -> int:
        place = self._places.setdefault((parent, function), len(self.parents))
        if place == len(self.parents):
            self.parents.append(parent)
            self.functions.append(function)
            for costs in (self.own, self.inclusive):
                costs.append(([0] * self._sizes[0], [0] * self._sizes[1]))
        return place

    def widths(self) -> list[float]:
        """Return the mean inclusive cost of each frame, in the set where it is larger."""
        return [max(_mean(before), _mean(after)) for before, after in self.inclusive]


def tree_difference(before: Sequence[Profile], after: Sequence[Profile]) -> TreeDifference:
    """Join the call trees of two sets of profiles.

    Raises:
        InvalidParams: when a set is empty or has no stacks, or they measured different things.
    """
    metric = _shared_metric(before, after)
    functions = MatchedFunctions(before, after)
    frames = _Frames((len(before), len(after)))
    sides = ((before, functions.before), (after, functions.after))
    for side, (profiles, numbers) in enumerate(sides):
        for number, profile in enumerate(profiles):
            frames.add(profile, numbers[number], side, number)
    return TreeDifference(
        metric=metric,
        before_profiles=len(before),
        after_profiles=len(after),
        functions=tuple(functions.names),
        nodes=tuple(_nodes(frames)),
    )


def _shared_metric(before: Sequence[Profile], after: Sequence[Profile]) -> str:
    found = {profile.metrics[time_index(profile) or 0] for profile in (*before, *after)}
    if not before or not after or not all(each.tree for each in (*before, *after)):
        raise InvalidParams(
            "there are no stacks to compare on one of the sides",
            suggestion="Give profiles with call stacks, such as SPX, py-spy, speedscope or pprof.",
        )
    if len(found) > 1:
        raise InvalidParams(
            f"the profiles measured different things: {', '.join(sorted(found))}",
            suggestion="Compare profiles of the same profiler, recorded with the same options.",
        )
    return found.pop()


def _nodes(frames: _Frames) -> Iterator[DiffNode]:
    widths = frames.widths()
    whole = sum(widths[place] for place, parent in enumerate(frames.parents) if parent < 0)
    kept = sorted(range(len(widths)), key=lambda it: (-widths[it], it))[:_MAX_NODES]
    tested = 2 * sum(widths[place] >= _MIN_SHARE * whole for place in kept)
    below: dict[int, list[int]] = {}
    for place in kept:  # by width, so the children of each parent are too
        below.setdefault(frames.parents[place], []).append(place)
    pending = [(place, -1) for place in reversed(below.get(-1, []))]
    written = 0
    while pending:
        place, parent = pending.pop()
        is_tested = widths[place] >= _MIN_SHARE * whole
        yield _node(frames, place, parent, tested if is_tested else 0)
        pending += [(child, written) for child in reversed(below.get(place, []))]
        written += 1


def _node(frames: _Frames, place: int, parent: int, comparisons: int) -> DiffNode:
    own, inclusive = frames.own[place], frames.inclusive[place]
    return DiffNode(
        parent=parent,
        function=frames.functions[place],
        own_before=round(_mean(own[0])),
        own_after=round(_mean(own[1])),
        before=round(_mean(inclusive[0])),
        after=round(_mean(inclusive[1])),
        own_verdict=_verdict(*own, comparisons),
        verdict=_verdict(*inclusive, comparisons),
    )


def _verdict(before: Sequence[int], after: Sequence[int], comparisons: int) -> Verdict:
    if not comparisons:
        return "unchanged"
    one, other = group_of(before), group_of(after)
    return judge(one, other, noise(one, other, comparisons))


def _mean(costs: Sequence[int]) -> float:
    return sum(costs) / len(costs)
