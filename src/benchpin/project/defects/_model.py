"""The model: a logistic line through lines of code and recent commits.

`bench/defects.py --train` makes `weights.json` from public histories. More features and a fit on a
repository's own past were tried: on ten histories that nothing was chosen on, neither ranked files
better (docs/metrics.md has the figures).
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec


class Weights(msgspec.Struct, frozen=True):
    """A fitted model: log-odds = intercept + base · base rate + the sum of weight · value.

    Values are standardised; the base rate is that of the last half-year, in log-odds.
    """

    intercept: float
    base: float
    columns: dict[str, float]
    """The columns that count; all others weigh nothing."""
    spread: float
    """The deviation of the log-odds whose 80 % interval held four of five groups of files.

    A group is the files of one band in one year of a history that the weights had not seen.
    """


@dataclass(frozen=True)
class TrainedOn:
    """One history that weights were fitted on."""

    name: str
    since: str
    until: str
    files: int
    fixed: int


@dataclass(frozen=True)
class ModelScore:
    """How well the model predicted a year of histories that it had not seen, on average."""

    histories: int
    auc: float
    """How often a file that was fixed had the higher probability; 0.5 is chance."""
    brier: float
    """The mean squared error of the probabilities; 0 is best."""
    auc_of_lines: float
    """The AUC of lines of code alone."""


class ShippedWeights(msgspec.Struct, frozen=True):
    """The weights that come with the package."""

    mean: dict[str, float]
    deviation: dict[str, float]
    history: Weights
    """For a repository with a history: lines of code and commits."""
    static: Weights
    """For files without a history: lines of code."""
    trained_on: list[TrainedOn]
    score: ModelScore


class FittedModel(msgspec.Struct, frozen=True):
    """The weights that serve, and what the history lacks."""

    weights: Weights
    reason: str = ""
    """What is missing of the history, or why there is none; empty for nothing."""


@cache
def shipped_weights() -> ShippedWeights:
    packed = files(__package__).joinpath("weights.json").read_bytes()
    return msgspec.json.decode(packed, type=ShippedWeights)
