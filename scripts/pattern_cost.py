r"""Find out whether Python's `re` can take more than linear time for a pattern.

The matcher of `re` tries one path after another through the automaton of a pattern. It is slow
where many paths read the same text and fail. Three shapes cause that, each found on the automaton
(Weber and Seidl 1991, "On the degree of ambiguity of finite automata"):

- a loop that can read the same text in two ways: exponential, `(a+)+$`;
- two loops, one after the other, that both read the same text: quadratic, `a*a*$`;
- a loop that a search can enter at every character of what the loop reads: quadratic, `\s+$`.

A loop after which the pattern may end does no harm: the first path matches. Possessive repeats and
atomic groups are left in one way only.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx

from pattern_automaton import Automaton, parse, sum_sets

_MAX_PATHS = 20_000
_MAX_SETS = 500
_Rounds = list[list[tuple[int, int]]]


@dataclass(slots=True)
class _Edge:
    target: int
    before: int
    after: int
    leaves: tuple[int, ...]
    """The possessive loops that this edge leaves; negative for another turn of one."""


def _minterms(whole: int, sets: set[int]) -> list[int]:
    """Split a set of characters by the sets that tell its members apart."""
    parts = [whole] if whole else []
    for it in sets:
        parts = [piece for part in parts for piece in (part & it, part & ~it) if piece]
    return parts


class _Graph:
    """The automaton without empty moves, with its states split by what must be before a move."""

    def __init__(  # noqa: C901 - builds all tables in one pass
        self, automaton: Automaton, entry: int, accept: int, *, is_whole: bool
    ) -> None:
        self.automaton = automaton
        self.alphabet = automaton.alphabet
        self.accept = accept
        reading = [entry, *(at for at, it in enumerate(automaton.sets) if it)]
        raw = {state: list(self._paths(state)) for state in reading}
        parts = [self.alphabet.everything & ~self.alphabet.end]
        for edges in raw.values():
            for edge in edges:
                parts = [
                    piece
                    for it in parts
                    for piece in (it & edge.before, it & ~edge.before)
                    if piece
                ]
        self.parts = parts
        self.nodes: list[tuple[int, int]] = []
        numbers: dict[tuple[int, int], int] = {}
        for state in reading:
            chars = automaton.sets[state] if state != entry else self.alphabet.everything
            for at, part in enumerate(parts):
                if chars & part:
                    numbers[state, at] = len(self.nodes)
                    self.nodes.append((state, chars & part))
        self.entries = {numbers[entry, at] for at in range(len(parts)) if (entry, at) in numbers}
        self.edges: list[list[tuple[int, int, tuple[int, ...]]]] = [[] for _ in self.nodes]
        self.ends: list[int] = [0] * len(self.nodes)
        """What may come after each node for the match to end there."""
        for (state, at), number in numbers.items():
            for edge in raw[state]:
                if not parts[at] & edge.before:
                    continue
                if edge.target == accept:
                    self.ends[number] |= edge.after & (self.alphabet.end if is_whole else -1)
                    continue
                for other, part in enumerate(parts):
                    label = automaton.sets[edge.target] & part & edge.after
                    if label:
                        self.edges[number].append((numbers[edge.target, other], label, edge.leaves))
        self.component = _components(self.edges)
        harmless = {
            number
            for number, (state, _) in enumerate(self.nodes)
            if state not in automaton.side and self._always_matches(number)
        }
        self.failing = _components(
            [
                [] if number in harmless else [it for it in edges if it[0] not in harmless]
                for number, edges in enumerate(self.edges)
            ]
        )
        """The loops whose every turn can be in vain: none of their nodes is sure to match."""
        for number in harmless:
            self.failing[number] = -1

    def _always_matches(self, number: int) -> bool:
        """Whether the pattern matches from here whatever text follows."""
        everything = self.alphabet.everything & ~self.alphabet.start
        waiting = [frozenset([number])]
        seen = set(waiting)
        while waiting:
            here = waiting.pop()
            open_ = everything & ~sum_sets(self.ends[it] for it in here)
            if open_ & self.alphabet.end or len(seen) > _MAX_SETS:
                return False
            steps = [(target, label & open_) for it in here for target, label, _ in self.edges[it]]
            for chars in _minterms(open_, {label for _, label in steps if label}):
                after = frozenset(target for target, label in steps if label & chars)
                if not after:
                    return False
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
        return True

    def _paths(self, state: int) -> Iterator[_Edge]:
        everything = self.alphabet.everything
        nothing: tuple[int, ...] = ()
        waiting = [(state, everything, everything, nothing, frozenset[tuple[int, int]]())]
        count = 0
        while waiting:
            here, before, after, left, seen = waiting.pop()
            count += 1
            if count > _MAX_PATHS:
                raise NotImplementedError("too many paths")
            moves = self.automaton.moves[here]
            for at, (target, more_before, more_after, leaves) in enumerate(moves):
                if (here, at) in seen:
                    continue
                is_before, is_after = before & more_before, after & more_after
                if not is_before or not is_after:
                    continue
                now_left = (*left, leaves) if leaves else left
                if self.automaton.sets[target] or target == self.accept:
                    yield _Edge(target, is_before, is_after, now_left)
                else:
                    waiting.append((target, is_before, is_after, now_left, seen | {(here, at)}))

    def within(self, number: int, component: list[int]) -> list[tuple[int, int]]:
        """Return the edges that stay in the loop of a node."""
        mine = component[number]
        return [
            (target, label)
            for target, label, _ in self.edges[number]
            if component[target] == mine >= 0
        ]

    def show(self, number: int) -> str:
        chars = self.nodes[number][1]
        shown = [it for at, it in enumerate(self.alphabet.chars) if chars >> at & 1]
        return repr("".join(shown[:4]))[1:-1] + ("…" if len(shown) > 4 else "")  # noqa: PLR2004


def _components(edges: list[list[tuple[int, int, tuple[int, ...]]]]) -> list[int]:
    """Number the strongly connected components."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(edges)))
    graph.add_edges_from((at, it[0]) for at, some in enumerate(edges) for it in some)
    found = [0] * len(edges)
    for number, members in enumerate(nx.strongly_connected_components(graph)):
        for it in members:
            found[it] = number
    return found


def find_slowness(
    pattern: str | bytes, flags: int, *, is_searched: bool, is_whole: bool = False
) -> str | None:
    """Say why a pattern is not linear, or return None.

    Args:
        pattern: the text of the pattern.
        flags: the flags it is compiled with.
        is_searched: it is looked for at every position, not only matched at the first.
        is_whole: it must match to the end (`fullmatch`).
    """
    automaton, entry, accept = parse(pattern, flags)
    graph = _Graph(automaton, entry, accept, is_whole=is_whole)
    return _twofold(graph) or _adjacent(graph) or (_reentered(graph) if is_searched else None)


def _twofold(graph: _Graph) -> str | None:
    """Find a loop that reads the same text in two ways."""
    # Each turn of a possessive loop is final.
    edges = [[it for it in some if min(it[2], default=0) >= 0] for some in graph.edges]
    loops = _components(
        [
            [it for it in some if graph.failing[at] == graph.failing[it[0]] >= 0]
            for at, some in enumerate(edges)
        ]
    )
    rounds = [
        [(target, label) for target, label, _ in some if loops[target] == loops[at]]
        for at, some in enumerate(edges)
    ]
    for pivot, begins in enumerate(rounds):
        seen = set[tuple[int, int, bool]]()
        waiting = [(pivot, pivot, False)] if begins else []
        while waiting:
            left, right, differ = waiting.pop()
            for at, (one, chars) in enumerate(rounds[left]):
                for other_at, (other, more) in enumerate(rounds[right]):
                    if not chars & more:
                        continue
                    apart = differ or one != other or (left == right and at != other_at)
                    if apart and one == other == pivot:
                        return f"a loop reads {graph.show(pivot)} in two ways (exponential)"
                    if (one, other, apart) not in seen:
                        seen.add((one, other, apart))
                        waiting.append((one, other, apart))
    return None


def _adjacent(graph: _Graph) -> str | None:
    """Find two loops, one after the other, that read the same text."""
    every = range(len(graph.nodes))
    rounds = [graph.within(it, graph.component) for it in every]
    in_vain = [graph.within(it, graph.failing) for it in every]
    for first in every:
        for last in every if rounds[first] else ():
            if not in_vain[last] or graph.component[first] == graph.component[last]:
                continue
            if _joins(graph, first, last, rounds, in_vain):
                shown = f"{graph.show(first)} and {graph.show(last)}"
                return f"two loops in a row read {shown} (quadratic)"
    return None


def _joins(graph: _Graph, first: int, last: int, rounds: _Rounds, in_vain: _Rounds) -> bool:
    """Whether a word leads from the first loop back to it, to the last, and round the last."""
    around = graph.automaton.inside[graph.nodes[first][0]]
    seen = {(first, first, last)}
    waiting = [(first, first, last)]
    while waiting:
        one, between, two = waiting.pop()
        for stays, chars in rounds[one]:
            for goes, more, leaves in graph.edges[between]:
                # What is possessive is left at one place only.
                if not around.isdisjoint(leaves):
                    continue
                if not chars & more:
                    continue
                for turns, most in in_vain[two]:
                    if not chars & more & most:
                        continue
                    state = (stays, goes, turns)
                    if state == (first, last, last):
                        return True
                    if state not in seen:
                        seen.add(state)
                        waiting.append(state)
    return False


def _reentered(graph: _Graph) -> str | None:
    """Find a loop that a search enters anew at each character which the loop reads."""
    in_vain = [graph.within(it, graph.failing) for it in range(len(graph.nodes))]
    for loop, rounds in enumerate(in_vain):
        if rounds and any(_enters(graph, entry, loop, in_vain) for entry in graph.entries):
            return f"a search enters the loop over {graph.show(loop)} again and again (quadratic)"
    return None


def _enters(graph: _Graph, entry: int, loop: int, in_vain: _Rounds) -> bool:
    """Whether a word leads from where a search starts to such a place again, and to the loop."""
    waiting = [(entry, loop)]
    seen = set(waiting)
    while waiting:
        goes, stays = waiting.pop()
        steps = [(it, label) for it, label, _ in graph.edges[goes]]
        if goes in graph.entries:
            steps += [(it, graph.nodes[it][1] & graph.alphabet.any) for it in graph.entries]
        for target, chars in in_vain[stays]:
            for step, label in steps:
                both = chars & label
                if step == target == loop and both & graph.nodes[entry][1]:
                    return True
                if both and (step, target) not in seen:
                    seen.add((step, target))
                    waiting.append((step, target))
    return False


if __name__ == "__main__":
    for given in sys.argv[1:]:
        print(given, "→", find_slowness(given, 0, is_searched=True) or "linear")
