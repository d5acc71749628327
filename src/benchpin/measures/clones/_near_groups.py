"""Groups of similar functions, made again only where pairs of them changed."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from benchpin.facts import Function

from ._aligning import Aligner
from ._grouping import CloneGroup, CloneType, Fragment, LineSpan, group_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Places

Pair = tuple[int, int]


class Clones(NamedTuple):
    """Pairs of similar functions."""

    left: "Places"
    right: "Places"
    similarities: "NDArray[np.float64]"

    def where(self, is_kept: "NDArray[np.bool_]") -> "Clones":
        """Return some of the pairs."""
        return Clones(self.left[is_kept], self.right[is_kept], self.similarities[is_kept])


class NearGroup(NamedTuple):
    """Functions that pairs connect, in order."""

    members: list[int]
    group: CloneGroup


class FunctionSource(NamedTuple):
    """Where functions are looked up by their numbers."""

    fact: Callable[[int], Function]
    aligner: "Callable[[Places], Aligner]"
    """Returns what compares some functions, by their place in the row."""


def update_groups(
    kind: CloneType,
    known: Iterable[NearGroup],
    clones: Clones,
    is_changed: "NDArray[np.bool_]",
    source: FunctionSource,
) -> list[NearGroup]:
    """Return the groups of functions that pairs connect, by their first function.

    `known` are those before, by the numbers that functions have now, or below zero for those that
    are gone. A function is changed if it is new, or if there is another pair with it.
    """
    import numpy as np

    changed = set(np.flatnonzero(is_changed).tolist())
    is_settled = np.zeros(len(is_changed), np.bool_)
    kept: list[NearGroup] = []
    fragments: dict[Pair, Fragment] = {}
    for group in known:
        if min(group.members) >= 0 and changed.isdisjoint(group.members):
            is_settled[group.members] = True
            kept.append(group)
        else:
            fragments |= _unchanged_fragments(group, changed)
    new = _NewGroups(kind, clones.where(~is_settled[clones.left]), fragments, source)
    return sorted([*kept, *new.groups()], key=lambda it: it.members[0])


def _aligned_with(members: list[int]) -> Iterator[Pair]:
    """Yield for each function the one that its gaps are to, and the function itself."""
    first, second, *_ = members
    yield second, first
    for member in members[1:]:
        yield first, member


def _unchanged_fragments(known: NearGroup, changed: set[int]) -> dict[Pair, Fragment]:
    """Return the fragments of functions that are the same if they are in a group again.

    Of two functions without another pair, the pair of the two is also as before.
    """
    return {
        pair: fragment
        for pair, fragment in zip(_aligned_with(known.members), known.group.fragments, strict=True)
        if min(pair) >= 0 and changed.isdisjoint(pair)
    }


class _NewGroups:
    """Makes groups of pairs."""

    def __init__(
        self,
        kind: CloneType,
        clones: Clones,
        known: dict[Pair, Fragment],
        source: FunctionSource,
    ) -> None:
        self._kind = kind
        self._source = source
        self._known = known
        pairs = zip(clones.left.tolist(), clones.right.tolist(), strict=True)
        self._similarities = dict(zip(pairs, clones.similarities.tolist(), strict=True))

    def groups(self) -> Iterator[NearGroup]:
        components = list(_components(self._similarities))
        fragments = self._known | self._fragments(components)
        lowest = self._lowest(components)
        for members, similarity in zip(components, lowest, strict=True):
            function = self._source.fact(members[0])
            places = [fragments[pair] for pair in _aligned_with(members)]
            tokens = function.last_token - function.first_token
            yield NearGroup(members, group_of(self._kind, tokens, _rounded(similarity), places))

    def _lowest(self, components: list[list[int]]) -> list[float]:
        """Return the lowest similarity in each component."""
        owners = {member: at for at, members in enumerate(components) for member in members}
        lowest = [1.0] * len(components)
        for (left, _), similarity in self._similarities.items():
            lowest[owners[left]] = min(lowest[owners[left]], similarity)
        return lowest

    def _fragments(self, components: list[list[int]]) -> dict[Pair, Fragment]:
        """Return the fragments that are not known."""
        import numpy as np

        pairs = [pair for it in components for pair in _aligned_with(it) if pair not in self._known]
        if not pairs:
            return {}
        functions, at = np.unique(np.array(pairs), return_inverse=True)
        aligner = self._source.aligner(functions)
        rows = at.reshape(-1, 2).tolist()
        return {
            pair: self._fragment(aligner, pair, other, member)
            for pair, (other, member) in zip(pairs, rows, strict=True)
        }

    def _fragment(self, aligner: Aligner, pair: Pair, other: int, member: int) -> Fragment:
        corpus = aligner.corpus
        start, end = int(aligner.starts[member]), int(aligner.ends[member])
        line, end_line = corpus.lines.span(start, end)
        similarity, gaps = aligner.align(other, member)
        if other > member:  # the first of its group
            similarity = 1.0
        return Fragment(
            file=corpus.paths[int(aligner.files[member])],
            line=line,
            end_line=end_line,
            function=self._source.fact(pair[1]).name,
            similarity=_rounded(self._similarities.get(pair, similarity)),
            gaps=tuple(
                LineSpan(line=gap.other_line, end_line=gap.other_end_line)
                for gap in gaps
                if gap.other_line and self._kind == "gapped"
            ),
        )


def _components(pairs: Iterable[Pair]) -> Iterator[list[int]]:
    """Yield the members of each connected component in order."""
    parents: dict[int, int] = {}

    def root(member: int) -> int:
        parents.setdefault(member, member)
        while parents[member] != member:
            parents[member] = parents[parents[member]]
            member = parents[member]
        return member

    for left, right in pairs:
        low, high = sorted((root(left), root(right)))
        parents[high] = low
    members = defaultdict[int, list[int]](list)
    for member in sorted(parents):
        members[root(member)].append(member)
    yield from members.values()


def _rounded(similarity: float) -> float:
    return int(similarity * 1000) / 1000
