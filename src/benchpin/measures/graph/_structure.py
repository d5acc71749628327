"""The structure of a graph: communities, connected components, and cycles.

Communities are found by the Louvain method: nodes join the neighbours where they raise modularity
most. The result is repeatable: nodes move in order of their numbers, then those next to one that
moved; of equal gains the lowest number wins. Cycles are those of runtime edges, and those that need
edges of a weaker kind.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchpin.core.calls import Job
from benchpin.facts import DependencyKind

from ._build import DEPENDENCY_KINDS, Edge, Graph

# Smaller gains are rounding errors, and nodes would move back and forth for them.
_MIN_GAIN = 1e-12
_MAX_ROUNDS = 10
# How many nodes are moved between two checks whether to go on.
_CHECKED = 1_000
_Weights = list[dict[int, float]]


class UndirectedGraph:
    """The neighbours of every node; edges in both directions between two nodes count once."""

    def __init__(self, count: int, pairs: Sequence[tuple[int, int]]) -> None:
        self.neighbours: list[set[int]] = [set() for _ in range(count)]
        for source, target in pairs:
            self.neighbours[source].add(target)
            self.neighbours[target].add(source)
        self.edge_count = sum(map(len, self.neighbours)) // 2

    def clusterings(self) -> list[float]:
        """Return for each node the share of pairs of its neighbours that are neighbours too."""
        return [
            2 * triangles / (len(near) * (len(near) - 1)) if triangles else 0.0
            for triangles, near in zip(self._triangles(), self.neighbours, strict=True)
        ]

    def _triangles(self) -> list[int]:
        """Count the triangles at each node.

        Each is found once, from its node of lowest degree: so a node with thousands of neighbours
        does not cost the square of their number.
        """
        by_degree = sorted(range(len(self.neighbours)), key=lambda it: len(self.neighbours[it]))
        rank = {node: at for at, node in enumerate(by_degree)}
        later = [
            {it for it in near if rank[it] > rank[node]}
            for node, near in enumerate(self.neighbours)
        ]
        triangles = [0] * len(self.neighbours)
        for node, others in enumerate(later):
            for other in others:
                shared = others & later[other]
                if shared:
                    triangles[node] += len(shared)
                    triangles[other] += len(shared)
                    for third in shared:
                        triangles[third] += 1
        return triangles


def find_communities(graph: UndirectedGraph, job: Job) -> list[int]:
    """Return the community of each node; the biggest is 0."""
    singles: _Weights = [dict.fromkeys(sorted(neighbours), 1.0) for neighbours in graph.neighbours]
    membership = list(range(len(singles)))
    for _ in range(_MAX_ROUNDS):
        # After communities have merged, single nodes may fit better elsewhere.
        better = _climb(singles, membership, 2.0 * graph.edge_count, job)
        if better == membership:
            break
        membership = better
    return _by_size(membership)


def _climb(singles: _Weights, membership: list[int], total: float, job: Job) -> list[int]:
    """Move nodes, merge each community into a node, and repeat until nothing moves."""
    weights, loops = singles, [0.0] * len(singles)
    community = _numbered(_move(weights, loops, total, membership, job))
    membership = community
    while max(community, default=-1) + 1 < len(weights):
        weights, loops = _merge(weights, loops, community, max(community) + 1)
        community = _numbered(_move(weights, loops, total, list(range(len(weights))), job))
        membership = [community[it] for it in membership]
    return membership


def _numbered(community: list[int]) -> list[int]:
    """Number communities in the order of their first nodes."""
    number = {old: new for new, old in enumerate(dict.fromkeys(community))}
    return [number[it] for it in community]


def modularity(graph: UndirectedGraph, membership: Sequence[int]) -> float:
    """Return how much denser communities are inside than in a random graph of the same degrees."""
    inside: Counter[int] = Counter()
    degrees: Counter[int] = Counter()
    for node, neighbours in enumerate(graph.neighbours):
        own = membership[node]
        degrees[own] += len(neighbours)
        inside[own] += sum(membership[it] == own for it in neighbours)
    ends = 2 * graph.edge_count
    return sum(inside[it] / ends - (degrees[it] / ends) ** 2 for it in degrees)


def _move(
    weights: _Weights, loops: list[float], total: float, start: list[int], job: Job
) -> list[int]:
    """Move nodes until no move gains anything; return the community of each."""
    degrees = [sum(it.values()) + loop for it, loop in zip(weights, loops, strict=True)]
    community = list(start)
    volume = [0.0] * len(weights)
    for own, degree in zip(community, degrees, strict=True):
        volume[own] += degree
    waiting = deque(node for node, neighbours in enumerate(weights) if neighbours)
    is_waiting = [True] * len(weights)
    moves = 0
    while waiting:
        moves += 1
        if not moves % _CHECKED:
            job.check()
            job.report(len(weights) - len(waiting), len(weights), "nodes into communities")
        node = waiting.popleft()
        is_waiting[node] = False
        neighbours, own, degree = weights[node], community[node], degrees[node]
        # The inner loop, run for every edge in every round: no function calls.
        towards: dict[int, float] = {}
        for neighbour, weight in neighbours.items():
            other = community[neighbour]
            towards[other] = towards.get(other, 0.0) + weight
        volume[own] -= degree
        pull = degree / total
        best, most = own, towards.get(own, 0.0) - volume[own] * pull
        for other, weight in sorted(towards.items()):
            gain = weight - volume[other] * pull
            if gain > most + _MIN_GAIN:
                best, most = other, gain
        volume[best] += degree
        if best != own:
            community[node] = best
            for neighbour in neighbours:
                if not is_waiting[neighbour] and community[neighbour] != best:
                    is_waiting[neighbour] = True
                    waiting.append(neighbour)
    return community


def _merge(
    weights: _Weights, loops: list[float], community: list[int], count: int
) -> tuple[_Weights, list[float]]:
    """Merge each community into one node."""
    merged: list[defaultdict[int, float]] = [defaultdict(float) for _ in range(count)]
    merged_loops = [0.0] * count
    for node, neighbours in enumerate(weights):
        own = community[node]
        merged_loops[own] += loops[node]
        for neighbour, weight in neighbours.items():
            other = community[neighbour]
            if other == own:
                merged_loops[own] += weight
            else:
                merged[own][other] += weight
    return [dict(sorted(it.items())) for it in merged], merged_loops


def _by_size(membership: list[int]) -> list[int]:
    sizes = Counter(membership)
    first = {it: at for at, it in reversed(list(enumerate(membership)))}
    ordered = sorted(sizes, key=lambda it: (-sizes[it], first[it]))
    number = {old: new for new, old in enumerate(ordered)}
    return [number[it] for it in membership]


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
    considered: list[tuple[int, int]] = []  # the pairs of all kinds so far
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
        # In which order nodes were reached, from 1; 0 for one that was not.
        self.number = [0] * count
        # The lowest number of a pending node that a node is known to lead to.
        self._lowest = [0] * count
        self._is_pending = bytearray(count)
        # Nodes that were reached and are in no component yet.
        self._pending: list[int] = []
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
        while above[node] != node:  # halves the path as it goes, so that later ones are short
            above[node] = node = above[above[node]]
        return node

    for source, target in pairs:
        one, other = find(source), find(target)
        above[max(one, other)] = min(one, other)
    groups: dict[int, list[int]] = {}
    for node in range(count):
        groups.setdefault(find(node), []).append(node)
    return list(groups.values())
