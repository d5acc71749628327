"""Communities by the Louvain method: nodes move to the neighbours where they raise modularity most.

It is repeatable: nodes move in order of their numbers, and of equal gains the lowest number wins.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from .neighbourhoods import Neighbourhoods

_LEAST_GAIN = 1e-12
_Weights = list[dict[int, float]]


def find_communities(around: Neighbourhoods) -> list[int]:
    """Return the community of each node; the biggest is 0."""
    weights: _Weights = [dict.fromkeys(sorted(neighbours), 1.0) for neighbours in around.of]
    loops = [0.0] * len(weights)
    membership = list(range(len(weights)))
    while True:
        community = _move(weights, loops, 2.0 * around.edge_count)
        number = {old: new for new, old in enumerate(dict.fromkeys(community))}
        if len(number) == len(weights):
            return _by_size(membership)
        community = [number[it] for it in community]
        membership = [community[it] for it in membership]
        weights, loops = _merge(weights, loops, community, len(number))


def modularity(around: Neighbourhoods, membership: Sequence[int]) -> float:
    """Return how much denser communities are inside than chance would have them."""
    inside: Counter[int] = Counter()
    degrees: Counter[int] = Counter()
    for node, neighbours in enumerate(around.of):
        own = membership[node]
        degrees[own] += len(neighbours)
        inside[own] += sum(membership[it] == own for it in neighbours)
    ends = 2 * around.edge_count
    return sum(inside[it] / ends - (degrees[it] / ends) ** 2 for it in degrees)


def _move(weights: _Weights, loops: list[float], total: float) -> list[int]:
    """Move nodes until none gains by it; returns the community of each."""
    degrees = [sum(it.values()) + loop for it, loop in zip(weights, loops, strict=True)]
    community = list(range(len(weights)))
    volume = list(degrees)
    is_moving = total > 0
    while is_moving:
        is_moving = False
        for node, neighbours in enumerate(weights):
            own, degree = community[node], degrees[node]
            towards: defaultdict[int, float] = defaultdict(float)
            for neighbour, weight in neighbours.items():
                towards[community[neighbour]] += weight
            volume[own] -= degree
            best, most = own, towards.get(own, 0.0) - volume[own] * degree / total
            for other, weight in sorted(towards.items()):
                gain = weight - volume[other] * degree / total
                if gain > most + _LEAST_GAIN:
                    best, most = other, gain
            volume[best] += degree
            community[node] = best
            is_moving = is_moving or best != own
    return community


def _merge(
    weights: _Weights, loops: list[float], community: list[int], count: int
) -> tuple[_Weights, list[float]]:
    """Make one node of each community."""
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
