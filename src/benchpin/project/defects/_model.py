"""The model: logistic regression with a ridge, fitted on a repository's own past or shipped.

`bench/defects_train.py` makes `weights.json`, the shipped weights, from public histories.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

import msgspec

from ._features import COLUMNS, FeatureRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Weights(msgspec.Struct, frozen=True):
    """A fitted model: log-odds = intercept + base · base rate + the sum of weight · value.

    Values are standardised; the base rate is that of the last half-year, in log-odds.
    """

    intercept: float
    base: float
    columns: dict[str, float]
    spread: float
    """The deviation of the log-odds whose 80 % interval held four of five groups of files.

    A group is the files of one band in one year of a history that the weights had not seen.
    """
    covariance: list[list[float]] = []
    """Of intercept, base and columns; empty where it is negligible, after many histories."""

    def vector(self) -> list[float]:
        return [self.intercept, self.base, *(self.columns[name] for name in COLUMNS)]


@dataclass(frozen=True)
class TrainedOn:
    """One history that weights were fitted on."""

    name: str
    since: str
    until: str
    files: int
    fixed: int


class ShippedWeights(msgspec.Struct, frozen=True):
    """The weights that come with the package."""

    mean: dict[str, float]
    deviation: dict[str, float]
    history: Weights
    """For a repository with a history."""
    static: Weights
    """For files without a history: by their code alone."""
    own_spread: float
    """The spread of models that were fitted on a repository's own history."""
    trained_on: list[TrainedOn]
    auc: float
    brier: float
    """Both the mean over repositories, each left out in turn, in its last year."""


@cache
def shipped_weights() -> ShippedWeights:
    packed = files(__package__).joinpath("weights.json").read_bytes()
    return msgspec.json.decode(packed, type=ShippedWeights)


def standardised(
    rows: Sequence[FeatureRow], mean: Mapping[str, float], deviation: Mapping[str, float]
) -> list[list[float]]:
    """Return one row for each file, one column for each value; NaN where it is unknown."""
    scale = [(name, mean[name], deviation[name]) for name in COLUMNS]
    return [
        [
            math.nan if (value := row.values[name]) is None else (value - centre) / spread
            for name, centre, spread in scale
        ]
        for row in rows
    ]


def design(rows: Sequence[FeatureRow], base: float, shipped: ShippedWeights) -> "Floats":
    """Return the input of a fit: the base rate, and the values, an average one where unknown."""
    import numpy as np

    # The shape is that of a table even without rows.
    values = np.array(standardised(rows, shipped.mean, shipped.deviation), np.float64)
    values = values.reshape(len(rows), len(COLUMNS))
    known = np.where(np.isnan(values), 0.0, values)
    return np.column_stack([np.full(len(rows), base), known])


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


@dataclass(frozen=True, slots=True)
class Period:
    """A year."""

    since: datetime
    until: datetime
    rows: Sequence[FeatureRow]
    """The files as they were at the beginning."""
    outcomes: Sequence[bool]
    """Whether a bug fix touched each of them."""
    base: float
    """The log-odds of that in the year before."""

    @property
    def fixed(self) -> int:
        """How many files a bug fix touched."""
        return sum(self.outcomes)


# How firmly a repository's own weights are held by those of all others.
RIDGE = 100.0
_FIRM = 1e6
_DIGITS = 4
# How many files must have been fixed, and how many not, in each of two years.
MIN_FIXED_FILES = 10


@dataclass(frozen=True)
class ModelScore:
    """How well a model predicted the last year, which was held back."""

    since: str
    until: str
    files: int
    fixed: int
    """Files that a bug fix touched in that year."""
    auc: float | None
    """How often a file that was fixed had the higher probability; 0.5 is chance."""
    brier: float
    """The mean squared error of the probabilities; 0 is best."""
    auc_of_lines: float | None
    """The AUC of lines of code alone."""


class FittedModel(msgspec.Struct, frozen=True):
    """Weights, where they come from, and how well they predict."""

    source: Literal["own", "shipped"]
    reason: str
    """Why the repository's own history was not used; empty when it was."""
    weights: Weights
    trained_on: list[TrainedOn]
    score: ModelScore | None
    """None when no year could be held back."""


def is_enough(period: Period) -> bool:
    """Whether a year has enough of both kinds of files to learn from."""
    return MIN_FIXED_FILES <= period.fixed <= len(period.rows) - MIN_FIXED_FILES


def own_model(periods: Sequence[Period], name: str, shipped: ShippedWeights) -> FittedModel:
    """Fit on all years; the score is that of a fit on the older ones, in the newest."""
    newest, *older = periods
    score = score_of(fit_own(older, shipped), newest, shipped)
    trained = [
        TrainedOn(name, str(it.since.date()), str(it.until.date()), len(it.rows), it.fixed)
        for it in reversed(periods)
    ]
    return FittedModel("own", "", fit_own(periods, shipped), trained, score)


def shipped_model(shipped: ShippedWeights, reason: str, last: Period | None = None) -> FittedModel:
    """Return the model of the package, with its score in the last year if that is known."""
    score = None if last is None else score_of(shipped.history, last, shipped)
    return FittedModel("shipped", reason, shipped.history, shipped.trained_on, score)


def fit_own(periods: Sequence[Period], shipped: ShippedWeights) -> Weights:
    """Fit weights to years of one repository, starting from those of all others."""
    import numpy as np

    rows = np.vstack([design(it.rows, it.base, shipped) for it in periods])
    outcomes = np.concatenate([np.array(it.outcomes, np.float64) for it in periods])
    prior = np.array(shipped.history.vector())
    ridge = np.full(len(prior), RIDGE)
    ridge[1] = _FIRM  # a few years do not tell how the rate of one carries over to the next
    fitted = fit(rows, outcomes, prior, ridge)
    intercept, base, *columns = fitted.weights.tolist()
    return Weights(
        intercept,
        base,
        dict(zip(COLUMNS, columns, strict=True)),
        shipped.own_spread,
        fitted.covariance.tolist(),
    )


def chances(weights: Weights, period: Period, shipped: ShippedWeights) -> "Floats":
    """Return the probability of each file of a year."""
    import numpy as np

    rows = design(period.rows, period.base, shipped)
    return probabilities(np.column_stack([np.ones(len(rows)), rows]) @ np.array(weights.vector()))


def score_of(weights: Weights, period: Period, shipped: ShippedWeights) -> ModelScore:
    """Return how well weights predict a year."""
    import numpy as np

    outcomes = np.array(period.outcomes, np.float64)
    lines = np.array([row.values["code_lines"] or 0.0 for row in period.rows])
    predicted = chances(weights, period, shipped)
    return ModelScore(
        since=str(period.since.date()),
        until=str(period.until.date()),
        files=len(period.rows),
        fixed=period.fixed,
        auc=_rounded(auc(predicted, outcomes)),
        brier=round(brier(predicted, outcomes), _DIGITS),
        auc_of_lines=_rounded(auc(lines, outcomes)),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
