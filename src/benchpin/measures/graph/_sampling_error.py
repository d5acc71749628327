"""How far an estimated centrality may be from the exact one.

The bound is the empirical Bernstein-Serfling inequality for samples without replacement (Bardenet
and Maillard, "Concentration inequalities for sampling without replacement", 2015, theorem 4.3). It
needs the range of what is sampled: of the dependencies of a node, how many nodes can be reached
from it; of distances, an upper limit of all of them.
"""

import math
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchpin.core.calls import Job
from benchpin.core.results import Item

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]


class PathSums:
    """Sums over the sources that were searched from, out of a population of them."""

    def __init__(self, count: int, population: int) -> None:
        import numpy as np

        self.population = population
        self.sources = 0
        # For each node: its dependencies, its distances, and how many sources reach it.
        self.dependencies, self.distances, self.reached = (np.zeros(count) for _ in range(3))
        self.squared_dependencies, self.squared_distances = (np.zeros(count) for _ in range(2))

    @property
    def is_complete(self) -> bool:
        """Whether every source of the population was searched from."""
        return self.sources == self.population

    def add(
        self,
        sources: int,
        nodes: "NDArray[np.int64]",
        distances: "NDArray[np.int32]",
        dependencies: "Floats",
    ) -> None:
        """Add searches from some sources: the nodes that each reached, and their values."""
        import numpy as np

        self.sources += sources
        far = distances.astype(np.float64)
        np.add.at(self.reached, nodes, 1.0)
        np.add.at(self.distances, nodes, far)
        np.add.at(self.squared_distances, nodes, far * far)
        np.add.at(self.dependencies, nodes, dependencies)
        np.add.at(self.squared_dependencies, nodes, dependencies * dependencies)

    def centralities(self) -> tuple[list[float], list[float]]:
        """Return betweenness and closeness: exact if complete, else scaled to the population."""
        scale = self.population / self.sources if self.sources else 1.0
        return (
            betweenness_of(self.dependencies * scale).tolist(),
            closeness_of(self.reached * scale, self.distances * scale).tolist(),
        )


def betweenness_of(dependencies: "Floats") -> "Floats":
    """Return the betweenness: the share of the ordered pairs of other nodes."""
    count = len(dependencies)
    return dependencies / max(1, (count - 1) * (count - 2))


def closeness_of(reached: "Floats", distances: "Floats") -> "Floats":
    """Return the closeness as Wasserman and Faust improved it for several components."""
    import numpy as np

    most = max(1, len(reached) - 1)
    return reached * reached / np.maximum(distances, 1.0) / most


Pairs = Sequence[tuple[int, int]]
_WORD_BITS = 64
# A part of the table of what reaches what: 64 MB.
_WORDS_AT_ONCE = 8_000_000
# How many words the tables of what reaches what may have together, about 5 s: their number grows
# with the square of the nodes.
MAX_WORDS = 1_000_000_000


class Reach:
    """The strongly connected components of a graph, each after all those that it leads to."""

    def __init__(self, count: int, pairs: Pairs) -> None:
        import rustworkx

        self._count = count
        digraph: rustworkx.PyDiGraph[int, None] = rustworkx.PyDiGraph(multigraph=False)
        digraph.add_nodes_from(range(count))
        digraph.add_edges_from_no_data(list(pairs))
        self._members = rustworkx.strongly_connected_components(digraph)
        self._component = [0] * count
        for number, members in enumerate(self._members):
            for node in members:
                self._component[node] = number
        self._successors: list[set[int]] = [set() for _ in self._members]
        # The edges within a component.
        self._inside: list[tuple[int, int]] = []
        for source, target in pairs:
            one, other = self._component[source], self._component[target]
            if one == other:
                self._inside.append((source, target))
            else:
                self._successors[one].add(other)

    def counts(self, job: Job, most_words: int = MAX_WORDS) -> "Numbers":
        """Return how many other nodes can be reached from each node that is reached itself.

        The others have none: no path leads through them. Where to count them is too much work, or
        time is up, it is an upper limit.
        """
        import numpy as np

        edges = len(self._inside) + sum(map(len, self._successors))
        words = (edges + len(self._members)) * self._count // _WORD_BITS
        is_exact = words <= most_words and not job.is_expired
        reached = self._reached(job) if is_exact else self._most_reached()
        reached[~self._are_between()] = 1
        counts: Numbers = reached[np.array(self._component, np.int64)] - 1
        return counts

    def _most_reached(self) -> "Numbers":
        """Return how many nodes each component reaches at most, itself included."""
        import numpy as np

        most = [0] * len(self._members)
        for number, successors in enumerate(self._successors):
            beyond = sum(most[it] for it in successors)
            most[number] = min(self._count, len(self._members[number]) + beyond)
        return np.array(most, np.int64)

    def _reached(self, job: Job) -> "Numbers":
        """Return how many nodes each component reaches, itself included.

        Bit by bit: a component reaches what its successors reach. All components of the same height
        are done at once, and as many nodes to reach as fit into the table.
        """
        import numpy as np

        count, component = self._count, np.array(self._component, np.int64)
        levels = list(self._levels())
        edges = max((len(successors) for _, successors, _ in levels), default=0)
        width = max(1, _WORDS_AT_ONCE // max(1, edges, len(self._members)))
        reached = np.zeros(len(self._members), np.int64)
        for first in range(0, count, width * _WORD_BITS):
            job.check()
            job.report(first, count, "nodes that can be reached")
            nodes = np.arange(first, min(first + width * _WORD_BITS, count))
            words, bits = np.divmod(nodes - first, _WORD_BITS)
            table = np.zeros((len(self._members), width), np.uint64)
            own = np.uint64(1) << bits.astype(np.uint64)
            np.bitwise_or.at(table, (component[nodes], words), own)
            for numbers, successors, begins in levels:
                table[numbers] |= np.bitwise_or.reduceat(table[successors], begins, axis=0)
            reached += np.bitwise_count(table).sum(axis=1, dtype=np.int64)
        return reached

    def _are_between(self) -> "NDArray[np.bool_]":
        """Return which components lead on and are reached from elsewhere, or have several nodes."""
        import numpy as np

        are_between = np.array([len(it) > 1 for it in self._members], np.bool_)
        for successors in self._successors:
            are_between[[it for it in successors if self._successors[it]]] = True
        return are_between

    def _levels(self) -> "Iterator[tuple[Numbers, Numbers, Numbers]]":
        """Yield components above others, lowest first: their successors, and where these begin."""
        import numpy as np

        are_between = self._are_between()
        heights = [0] * len(self._members)
        levels = defaultdict[int, list[int]](list)
        for number, successors in enumerate(self._successors):
            if successors:
                heights[number] = 1 + max(heights[it] for it in successors)
                if are_between[number]:
                    levels[heights[number]].append(number)
        for _, numbers in sorted(levels.items()):
            sizes = np.array([len(self._successors[it]) for it in numbers])
            successors_of = [it for number in numbers for it in self._successors[number]]
            yield np.array(numbers), np.array(successors_of), np.cumsum(sizes) - sizes

    def longest_distance(self) -> int:
        """Return an upper limit of the distances between nodes.

        No shortest path within a component is longer than one to a given node and on from there.
        """
        ahead, back = (defaultdict[int, list[int]](list) for _ in range(2))
        for source, target in self._inside:
            ahead[source].append(target)
            back[target].append(source)
        longest = [0] * len(self._members)
        for number, members in enumerate(self._members):
            across = _farthest(members[0], ahead) + _farthest(members[0], back)
            beyond = max((1 + longest[it] for it in self._successors[number]), default=0)
            longest[number] = across + beyond
        return max(longest, default=0)


def _farthest(start: int, neighbours: "defaultdict[int, list[int]]") -> int:
    """Return the distance to the node that is farthest away."""
    if start not in neighbours:
        return 0
    distances = {start: 0}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for neighbour in neighbours[node]:
            if neighbour not in distances:
                distances[neighbour] = distances[node] + 1
                waiting.append(neighbour)
    return distances[node]


CONFIDENCE = 0.95
_KAPPA = 7 / 3 + 3 / math.sqrt(2)
# The theorem holds with probability 1 - 5δ for each side.
_SIDES = 10
# Dependencies, distances and sources that reach a node.
_QUANTITIES = 3


class CentralityEstimate(Item):
    """How betweenness and closeness were estimated, and how far off they may be."""

    sampled_nodes: int
    """From how many nodes shortest paths were searched."""
    of_nodes: int
    """How many there are to search from."""
    betweenness_error: float
    """No betweenness is further from the exact one than this, with this confidence."""
    closeness_error: float
    confidence: float


def estimate_errors(
    sums: PathSums, count: int, pairs: Sequence[tuple[int, int]], job: Job
) -> CentralityEstimate:
    """Return the bounds that hold for all nodes at once."""
    import numpy as np

    width = _Width(sums, count)
    scale = sums.population / sums.sources
    reach = Reach(count, pairs)
    spread = width.of(
        sums.dependencies, sums.squared_dependencies, reach.counts(job).astype(np.float64)
    )
    far = width.of(sums.distances, sums.squared_distances, float(reach.longest_distance()))
    near = width.of(sums.reached, sums.reached, 1.0)
    reached, distances = sums.reached * scale, sums.distances * scale
    # Every source that reaches a node is at least one step away, and that is the most there can be.
    most = np.minimum(reached + near, sums.population)
    high = closeness_of(most, np.maximum(distances - far, most))
    low = closeness_of(np.maximum(reached - near, 0.0), distances + far)
    now = closeness_of(reached, distances)
    return CentralityEstimate(
        sampled_nodes=sums.sources,
        of_nodes=sums.population,
        betweenness_error=_rounded_up(betweenness_of(spread)),
        closeness_error=_rounded_up(np.maximum(high - now, now - low)),
        confidence=CONFIDENCE,
    )


class _Width:
    """Half the width of the confidence interval of a sum over the population."""

    def __init__(self, sums: PathSums, count: int) -> None:
        self._sums = sums
        self._log = math.log(_SIDES * _QUANTITIES * count / (1 - CONFIDENCE))

    def of(self, values: "Floats", squares: "Floats", ranges: "Floats | float") -> "Floats":
        """Return it for each node, from sums over the sample."""
        import numpy as np

        size, population = self._sums.sources, self._sums.population
        means = values / size
        deviations = np.sqrt(np.maximum(squares / size - means * means, 0.0))
        if size <= population / 2:
            rho = 1 - (size - 1) / population
        else:
            rho = (1 - size / population) * (1 + 1 / size)
        width = deviations * math.sqrt(2 * rho * self._log / size)
        width = width + _KAPPA * ranges * self._log / size
        return np.asarray(width * population)


def _rounded_up(errors: "Floats") -> float:
    """Return the largest error with two digits, never less than it is."""
    worst = float(errors.max(initial=0.0))
    if not worst:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(worst)) - 1)
    return float(f"{math.ceil(worst / unit) * unit:.2g}")
