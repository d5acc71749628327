"""The weights of the model, and those that come with the package.

`bench/defects_train.py` makes `weights.json` from public histories.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from ._features import COLUMNS, FeatureRow

if TYPE_CHECKING:
    from ._regression import Floats


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
        """Return intercept, base and columns in one row."""
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
    """Return the weights that come with the package."""
    return msgspec.json.decode(_packed(), type=ShippedWeights)


@cache
def weights_digest() -> str:
    """Return the digest of the weights."""
    return hashlib.sha256(_packed()).hexdigest()


def _packed() -> bytes:
    return files(__package__).joinpath("weights.json").read_bytes()


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
