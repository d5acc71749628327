"""How far a directed graph reaches: from each node, and at most."""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchpin.core.calls import Job

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

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
        self._inside: list[tuple[int, int]] = []
        """The edges within a component."""
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
