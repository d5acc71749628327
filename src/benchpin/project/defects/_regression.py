"""Logistic regression with a ridge, fitted by Newton's method, and its AUC and Brier score."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MAX_STEPS = 50
_SETTLED = 1e-9
# Newton's steps are shortened to this: far from the minimum they overshoot.
_MAX_STEP = 5.0
# Beyond these log-odds, probabilities are 0 or 1 in floating point.
FARTHEST = 30.0


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Weights, the intercept first, and their covariance."""

    weights: "Floats"
    covariance: "Floats"


def fit(
    rows: "Floats",
    outcomes: "Floats",
    prior: "Floats",
    ridge: "Floats",
    importance: "Floats | None" = None,
) -> Fit:
    """Return the weights that explain outcomes best while staying near the prior ones.

    Minimises the log-loss plus half of `ridge` times the squared distance from `prior`. Rows have
    no column for the intercept; `prior` and `ridge` have. A row counts as many times as its
    `importance` says, by default once.
    """
    import numpy as np

    counts = np.ones(len(rows)) if importance is None else importance
    columns = np.column_stack([np.ones(len(rows)), rows])
    weights = prior.copy()
    for _ in range(_MAX_STEPS):
        chances = probabilities(columns @ weights)
        gradient = columns.T @ (counts * (chances - outcomes)) + ridge * (weights - prior)
        step = np.linalg.solve(_curvature(columns, chances, ridge, counts), gradient)
        longest = float(np.abs(step).max())
        weights = weights - step * (_MAX_STEP / max(longest, _MAX_STEP))
        if longest < _SETTLED:
            break
    curvature = _curvature(columns, probabilities(columns @ weights), ridge, counts)
    return Fit(weights, np.asarray(np.linalg.inv(curvature), np.float64))


def probabilities(log_odds: "Floats") -> "Floats":
    """Return log-odds as probabilities."""
    import numpy as np

    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -FARTHEST, FARTHEST))))


def auc(scores: "Floats", outcomes: "Floats") -> float | None:
    """Return how often a file with the outcome scores higher than one without; ties are halves.

    None when all files have the same outcome.
    """
    import numpy as np

    positive = outcomes > 0
    count, others = int(positive.sum()), int((~positive).sum())
    if not count or not others:
        return None
    _, places, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[places]
    return float((ranks[positive].sum() - count * (count + 1) / 2) / (count * others))


def brier(chances: "Floats", outcomes: "Floats") -> float:
    """Return the mean squared distance of the probabilities from what happened."""
    return float(((chances - outcomes) ** 2).mean())


def _curvature(columns: "Floats", chances: "Floats", ridge: "Floats", counts: "Floats") -> "Floats":
    import numpy as np

    weights = counts * chances * (1 - chances)
    return np.asarray((columns.T * weights) @ columns + np.diag(ridge))
