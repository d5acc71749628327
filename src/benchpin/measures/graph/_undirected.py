"""A graph without directions, and how clustered it is."""

from collections.abc import Sequence


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
