"""Cycles of a graph: those of runtime edges, and those that need edges of a weaker kind."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchpin.facts import DependencyKind

from ._build import DEPENDENCY_KINDS, Edge, Graph

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class DependencyCycle:
    """Nodes that all depend on one another."""

    size: int
    path: list[str]
    """A shortest cycle: at run time through the first of them, else through an edge of its kind."""
    kind: DependencyKind
    """The weakest kind of edge that it needs; only a cycle of runtime edges exists at run time."""
    lines: list[int]
    """For each node of the path, the line with its import of the next; 0 for other references."""

    def steps(self) -> list[str]:
        """Return the path, each node with the line of its import."""
        both = zip(self.path, self.lines, strict=True)
        return [f"{node}:{line}" if line else node for node, line in both]


def find_cycles(graph: Graph) -> list[tuple[DependencyCycle, list[int]]]:
    """Return the cycles and their nodes: by kind, the strongest first, then the biggest first.

    Kinds are added one after the other, so that every group of nodes is found once, with the kind
    without which it would not be a cycle, or a smaller one.
    """
    strongest: dict[tuple[int, int], Edge] = {}
    for edge in graph.edges:
        known = strongest.setdefault((edge.source, edge.target), edge)
        if _strength(edge) < _strength(known):
            strongest[edge.source, edge.target] = edge
    found: list[tuple[DependencyCycle, list[int]]] = []
    seen: set[tuple[int, ...]] = set()
    considered: list[tuple[int, int]] = []
    for kind in DEPENDENCY_KINDS:
        added = [pair for pair, edge in strongest.items() if edge.dependency == kind]
        if not added:
            continue
        considered += added
        groups = [it for it in _groups(len(graph.nodes), considered) if tuple(it) not in seen]
        seen.update(map(tuple, groups))
        after, first = _adjacent(considered), _adjacent(added)
        for members in groups:
            path = _path(members, after, first)
            found.append((_described(graph, members, path, kind, strongest), members))
    return found


def _adjacent(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """Return the targets of each source, in order."""
    after: defaultdict[int, list[int]] = defaultdict(list)
    for source, target in sorted(pairs):
        after[source].append(target)
    return after


def _strength(edge: Edge) -> int:
    return DEPENDENCY_KINDS.index(edge.dependency)


def _groups(count: int, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the strongly connected components of more than one node, the biggest first."""
    groups = strong_components(count, pairs)
    return sorted((sorted(it) for it in groups if len(it) > 1), key=lambda it: (-len(it), it[0]))


def _path(
    members: list[int], after: Mapping[int, list[int]], added: Mapping[int, list[int]]
) -> list[int]:
    """Return a shortest cycle through the first node; unless all edges were added, through one."""
    inside = frozenset(members)
    if all(added.get(it) == after[it] for it in members):
        return shortest_way(after, inside, members[0], members[0])
    edges = ((node, it) for node in members for it in added.get(node, ()) if it in inside)
    source, target = next(edges)
    return [source, *shortest_way(after, inside, target, source)]


def shortest_way(
    after: Mapping[int, list[int]], inside: Collection[int], start: int, goal: int
) -> list[int]:
    """Return the nodes of a shortest path without its goal, by breadth-first search."""
    came_from: dict[int, int] = {}
    pending = [start]
    for node in pending:
        for following in after.get(node, ()):
            if following == goal:
                path = [node]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return path[::-1]
            if following in inside and following != start and following not in came_from:
                came_from[following] = node
                pending.append(following)
    return [start]


def _described(
    graph: Graph,
    members: Sequence[int],
    path: Sequence[int],
    kind: DependencyKind,
    edges: Mapping[tuple[int, int], Edge],
) -> DependencyCycle:
    steps = zip(path, (*path[1:], path[0]), strict=True)
    return DependencyCycle(
        size=len(members),
        path=[graph.nodes[at].id for at in path],
        kind=kind,
        lines=[edges[step].line for step in steps],
    )


# The connected components of a directed graph.


def strong_components(count: int, pairs: Pairs) -> list[list[int]]:
    """Return the groups of nodes that reach one another, each after all those that it leads to."""
    search = _Search(count, pairs)
    for node in range(count):
        if not search.number[node]:
            search.run(node)
    return search.found


class _Search:
    """Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972).

    With a stack of its own instead of recursion: a chain of imports may be deeper than Python's.
    """

    def __init__(self, count: int, pairs: Pairs) -> None:
        self._after: list[list[int]] = [[] for _ in range(count)]
        for source, target in pairs:
            self._after[source].append(target)
        self.number = [0] * count
        """In which order nodes were reached, from 1; 0 for one that was not."""
        self._lowest = [0] * count
        """The lowest number of a pending node that a node is known to lead to."""
        self._is_pending = bytearray(count)
        self._pending: list[int] = []
        """Nodes that were reached and are in no component yet."""
        self._reached = 0
        self.found: list[list[int]] = []

    def run(self, start: int) -> None:
        """Find the components of all nodes that a node leads to."""
        number, lowest, is_pending = self.number, self._lowest, self._is_pending
        path = [(start, self._reach(start))]
        while path:
            node, targets = path[-1]
            for target in targets:
                if not number[target]:
                    path.append((target, self._reach(target)))
                    break
                if is_pending[target] and number[target] < lowest[node]:
                    lowest[node] = number[target]
            else:
                path.pop()
                if lowest[node] == number[node]:
                    self._close(node)
                elif lowest[node] < lowest[path[-1][0]]:
                    lowest[path[-1][0]] = lowest[node]

    def _reach(self, node: int) -> Iterator[int]:
        self._reached += 1
        self.number[node] = self._lowest[node] = self._reached
        self._pending.append(node)
        self._is_pending[node] = True
        return iter(self._after[node])

    def _close(self, node: int) -> None:
        """End a component with the node of it that was reached first."""
        members = [self._pending.pop()]
        while members[-1] != node:
            members.append(self._pending.pop())
        for member in members:
            self._is_pending[member] = False
        self.found.append(members)


def weak_components(count: int, pairs: Pairs) -> list[list[int]]:
    """Return the groups of nodes that edges connect, whatever their direction; nodes in order."""
    above = list(range(count))

    def find(node: int) -> int:
        while above[node] != node:
            above[node] = node = above[above[node]]
        return node

    for source, target in pairs:
        one, other = find(source), find(target)
        above[max(one, other)] = min(one, other)
    groups: dict[int, list[int]] = {}
    for node in range(count):
        groups.setdefault(find(node), []).append(node)
    return list(groups.values())
