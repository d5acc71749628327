"""A graph without directions: who is next to whom."""

from collections.abc import Sequence


class Neighbourhoods:
    """The neighbours of every node; two edges that run both ways between two nodes are one."""

    def __init__(self, count: int, pairs: Sequence[tuple[int, int]]) -> None:
        self.of: list[set[int]] = [set() for _ in range(count)]
        for source, target in pairs:
            self.of[source].add(target)
            self.of[target].add(source)
        self.edge_count = sum(map(len, self.of)) // 2

    def clusterings(self) -> list[float]:
        """Return for each node the share of pairs of its neighbours that are neighbours, too."""
        triangles = self._triangles()
        shares = []
        for number, neighbours in zip(triangles, self.of, strict=True):
            degree = len(neighbours)
            shares.append(2 * number / (degree * (degree - 1)) if number else 0.0)
        return shares

    def _triangles(self) -> list[int]:
        """Count the triangles at each node, finding each one once, at its least connected node."""
        rank = {
            node: at for at, node in enumerate(sorted(range(len(self.of)), key=self._by_degree))
        }
        later = [
            {it for it in neighbours if rank[it] > rank[node]}
            for node, neighbours in enumerate(self.of)
        ]
        triangles = [0] * len(self.of)
        for node, others in enumerate(later):
            for other in others:
                shared = others & later[other]
                if shared:
                    triangles[node] += len(shared)
                    triangles[other] += len(shared)
                    for third in shared:
                        triangles[third] += 1
        return triangles

    def _by_degree(self, node: int) -> tuple[int, int]:
        return len(self.of[node]), node
