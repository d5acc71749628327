"""The model of one repository: fitted on its own past, or the one that comes with the package."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec

from ._features import COLUMNS
from ._periods import Period
from ._regression import auc, brier, fit, probabilities
from ._weights import ShippedWeights, TrainedOn, Weights, design

if TYPE_CHECKING:
    from ._regression import Floats

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
