"""What searches from some sources add up to for each node."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class PathSums:
    """Sums over the sources that were searched from, out of a population of them."""

    def __init__(self, count: int, population: int) -> None:
        import numpy as np

        self.population = population
        self.sources = 0
        self.dependencies, self.distances, self.reached = (np.zeros(count) for _ in range(3))
        """For each node: its dependencies, its distances, and how many sources reach it."""
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
