"""Betweenness and closeness: measures over the shortest paths between all nodes.

Brandes' algorithm ("A faster algorithm for betweenness centrality", 2001), for many sources at once
in NumPy. Between two batches of sources the job reports progress and can be cancelled.

A search from every source gives exact values. Where that is too much work, or time runs out, the
values are estimates from some of the sources, chosen at random (Brandes and Pich, "Centrality
estimation in large networks", 2007), with a bound of their error.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchpin.core.calls import Job

from ._sampling_error import CentralityEstimate, PathSums, estimate_errors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

# How many steps along edges the searches may take, about 10 s; with more, sources are sampled.
MAX_STEPS = 200_000_000
# Pairs of a source and a node in one batch, at 28 bytes each.
_CELLS = 2_000_000
# This many sources are tried to estimate the work for all of them.
_PILOTS = 256
# Fewer make no estimate worth reporting.
_MIN_SOURCES = 30
# The same sources for the same graph: the same call gives the same numbers.
_SEED = 2001

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class ShortestPaths:
    """The measures of each node."""

    betweenness: list[float]
    closeness: list[float]
    estimate: CentralityEstimate | None
    """How they were estimated; None for exact values."""


def measure_paths(
    count: int, pairs: Pairs, job: Job, most_steps: int = MAX_STEPS
) -> ShortestPaths | None:
    """Measure all nodes; None when there was no time even for an estimate."""
    import numpy as np

    graph = Adjacency(count, pairs)
    # A node without edges of its own is the start of no path.
    population = np.flatnonzero(graph.degrees)
    random = np.random.default_rng(_SEED)
    search = _Searches(graph, len(population))
    sources = random.permutation(population)
    if len(population) * len(pairs) > most_steps:
        # Chosen apart from the sample: its size must not depend on what is in it.
        pilots = random.permutation(population)[:_PILOTS]
        search.run(pilots, PathSums(count, len(population)), job)
        sources = sources[: int(most_steps * len(pilots) / max(1, search.steps))]
    sums = PathSums(count, len(population))
    search.run(sources, sums, job)
    if sums.is_complete:
        return ShortestPaths(*sums.centralities(), estimate=None)
    if sums.sources < _MIN_SOURCES:
        return None
    estimate = estimate_errors(sums, count, pairs, job)
    return ShortestPaths(*sums.centralities(), estimate)


class Adjacency:
    """The edges of a graph, sorted by source."""

    def __init__(self, count: int, pairs: Pairs) -> None:
        import numpy as np

        rows = np.array(pairs, np.int64).reshape(-1, 2)
        rows = rows[np.argsort(rows[:, 0], kind="stable")]  # stable: the same call, the same sums
        self.count = count
        self.targets = rows[:, 1].copy()
        self.degrees = np.bincount(rows[:, 0], minlength=count)
        self.starts = np.cumsum(self.degrees) - self.degrees

    def edges_of(self, nodes: "Numbers") -> "tuple[Numbers, Numbers]":
        """Return the number of edges from each node, and the positions of all these edges."""
        import numpy as np

        counts = self.degrees[nodes]
        begins = np.cumsum(counts) - counts
        at = np.repeat(self.starts[nodes] - begins, counts)
        return counts, at + np.arange(len(at))


class _Searches:
    """Breadth-first searches from a batch of sources at once.

    A cell is a pair of a source in the batch and a node. The arrays have a row of all nodes for
    each source, and are cleared where a search has been.
    """

    def __init__(self, graph: Adjacency, most_sources: int) -> None:
        import numpy as np

        self._graph = graph
        self.width = max(1, min(most_sources, _CELLS // max(1, graph.count)))
        cells = self.width * graph.count
        self._distances = np.full(cells, -1, np.int32)
        # How many shortest paths there are from the source.
        self._paths = np.zeros(cells)
        self._dependencies = np.zeros(cells)
        self._turns: Numbers = np.zeros(cells, np.int64)
        self.steps = 0

    def run(self, sources: "Numbers", sums: PathSums, job: Job) -> None:
        """Search from each source and add what was found; end early when the time is up."""
        for at in range(0, len(sources), self.width):
            job.check()
            if job.is_expired:
                return
            job.report(at, len(sources), "nodes to search from")
            self._search(sources[at : at + self.width], sums)

    def _search(self, sources: "Numbers", sums: PathSums) -> None:
        import numpy as np

        count, distances, paths = self._graph.count, self._distances, self._paths
        starts = np.arange(len(sources)) * count + sources
        distances[starts], paths[starts] = 0, 1.0
        visited, crossed, front = [starts], [], starts
        while len(front):
            nodes = front % count
            edges, at = self._graph.edges_of(nodes)
            self.steps += len(at)
            cells = self._graph.targets[at] + np.repeat(front - nodes, edges)
            is_new = distances[cells] < 0
            heads, tails = np.repeat(front, edges)[is_new], cells[is_new]
            distances[tails] = len(visited)
            np.add.at(paths, tails, paths[heads])
            crossed.append((heads, tails))
            front = self._once(tails)
            visited.append(front)
        dependencies = self._dependencies
        for heads, tails in reversed(crossed):
            shares = paths[heads] / paths[tails] * (1 + dependencies[tails])
            np.add.at(dependencies, heads, shares)
        reached = np.concatenate(visited[1:])
        sums.add(len(sources), reached % count, distances[reached], dependencies[reached])
        # Cleared where the search was: it reaches few of the cells in a sparse graph.
        for cells in visited:
            distances[cells], paths[cells], dependencies[cells] = -1, 0.0, 0.0

    def _once(self, cells: "Numbers") -> "Numbers":
        import numpy as np

        # Each cell keeps the turn that wrote it last; `np.unique` would have to sort.
        turns = np.arange(len(cells))
        self._turns[cells] = turns
        last: Numbers = cells[self._turns[cells] == turns]
        return last
