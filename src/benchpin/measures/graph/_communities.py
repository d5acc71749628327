"""Communities by the Louvain method: nodes join the neighbours where they raise modularity most.

The result is repeatable: nodes move in order of their numbers, then those next to one that moved;
of equal gains the lowest number wins.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Sequence

from benchpin.core.calls import Job

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
