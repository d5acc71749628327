"""What the model weighs, and the weights that come with the package.

`scripts/train_defects.py` makes `weights.json` from public histories.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from .features import COLUMNS, Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Weights(msgspec.Struct, frozen=True):
    """A fitted model: log-odds = intercept + base · base rate + the sum of weight · value.

    Values are standardised; the base rate is that of the year before, in log-odds.
    """

    intercept: float
    base: float
    columns: dict[str, float]
    spread: float
    """How far the log-odds were off for a whole project in a year that was not seen."""
    covariance: list[list[float]] = []
    """Of intercept, base and columns; empty where many histories leave no doubt about them."""

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


class Shipped(msgspec.Struct, frozen=True):
    """All that comes with the package."""

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
    """The mean of repositories that were left out in turn, in the last year of each."""


@cache
def shipped_weights() -> Shipped:
    """Return the weights that come with the package."""
    return msgspec.json.decode(_packed(), type=Shipped)


@cache
def weights_digest() -> str:
    """Return the digest of the weights."""
    return hashlib.sha256(_packed()).hexdigest()


def _packed() -> bytes:
    return files(__package__).joinpath("weights.json").read_bytes()


def standardised(
    rows: Sequence[Row], mean: Mapping[str, float], deviation: Mapping[str, float]
) -> "Floats":
    """Return a row a file and a column a value; what is not known is not a number."""
    import numpy as np

    nothing = float("nan")
    raw = [
        [nothing if (it := row.values[name]) is None else it for name in COLUMNS] for row in rows
    ]
    values = np.array(raw, np.float64).reshape(len(rows), len(COLUMNS))
    centre = np.array([mean[name] for name in COLUMNS])
    return np.asarray((values - centre) / np.array([deviation[name] for name in COLUMNS]))


def design(rows: Sequence[Row], base: float, shipped: Shipped) -> "Floats":
    """Return what a fit takes: the base rate, and values that are average where none is known."""
    import numpy as np

    values = standardised(rows, shipped.mean, shipped.deviation)
    known = np.where(np.isnan(values), 0.0, values)
    return np.column_stack([np.full(len(rows), base), known])
