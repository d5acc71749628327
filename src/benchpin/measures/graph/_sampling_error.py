"""How far an estimated centrality may be from the exact one.

The bound is the empirical Bernstein-Serfling inequality for samples without replacement (Bardenet
and Maillard, "Concentration inequalities for sampling without replacement", 2015, theorem 4.3). It
needs the range of what is sampled: of the dependencies of a node, how many nodes can be reached
from it; of distances, an upper limit of all of them.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchpin.core.calls import Job
from benchpin.core.results import Item

from ._path_sums import PathSums, betweenness_of, closeness_of
from ._reach import Reach

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

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
