"""Train the weights that come with the package: `defects_train.py REPOSITORY...`.

Every history is left out in turn, to see how weights do in a repository that they never saw.
"""

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchpin.engines.insight.defects import fitted_model, weights
from benchpin.engines.insight.defects.features import COLUMNS
from benchpin.engines.insight.defects.fitted_model import chances, fit_own, is_enough, score_of
from benchpin.engines.insight.defects.periods import Period
from benchpin.engines.insight.defects.regression import fit, probabilities
from benchpin.engines.insight.defects.weights import ShippedWeights, TrainedOn, Weights, design
from defects_histories import Histories, gather

RIDGE = 10.0
_NEARLY_NONE = 1e-3
_STEPS = 50
Floats = NDArray[np.float64]
PLACE = Path(weights.__file__).with_name("weights.json")


def train(histories: Histories) -> ShippedWeights:
    """Fit weights on all years of some histories; their spread is not known yet."""
    every = [period for periods in histories.values() for period in periods]
    values = np.array(
        [
            [math.nan if (it := row.values[name]) is None else it for name in COLUMNS]
            for period in every
            for row in period.rows
        ]
    )
    mean = dict(zip(COLUMNS, np.nanmean(values, axis=0).tolist(), strict=True))
    deviation = dict(zip(COLUMNS, np.nanstd(values, axis=0).tolist(), strict=True))
    nothing = Weights(0.0, 0.0, dict.fromkeys(COLUMNS, 0.0), 0.0)
    scale = ShippedWeights(mean, deviation, nothing, nothing, 0.0, [], 0.0, 0.0)
    rows = np.vstack([design(it.rows, it.base, scale) for it in every])
    outcomes = np.concatenate([np.array(it.outcomes, np.float64) for it in every])
    is_static = [False, *(feature != "churn" for feature in COLUMNS.values())]
    return msgspec.structs.replace(
        scale,
        history=fitted(rows, outcomes),
        static=fitted(np.where(is_static, rows, 0.0), outcomes),
    )


def fitted(rows: Floats, outcomes: Floats) -> Weights:
    """Fit weights; a column of nothing but zeros gets none."""
    ridge = np.full(rows.shape[1] + 1, RIDGE)
    ridge[:2] = _NEARLY_NONE
    found = fit(rows, outcomes, np.zeros(len(ridge)), ridge).weights.tolist()
    intercept, base, *columns = found
    return Weights(intercept, base, dict(zip(COLUMNS, columns, strict=True)), 0.0)


@dataclass(frozen=True)
class LeftOut:
    """One history, and weights that never saw it."""

    name: str
    periods: Sequence[Period]
    shipped: ShippedWeights

    @property
    def newest(self) -> Period:
        """The year that nothing has seen."""
        return self.periods[0]

    def own(self) -> Weights:
        """Fit on the year before the newest, as a user's repository would be."""
        return fit_own(self.periods[1:2], self.shipped)

    @property
    def is_told(self) -> bool:
        """Whether the year before has enough to fit on."""
        return len(self.periods) > 1 and is_enough(self.periods[1])


def leave_out_each(histories: Histories) -> list[LeftOut]:
    """Train without each history in turn; how sure weights are is told by the others alone."""
    left = [
        LeftOut(name, periods, train({it: histories[it] for it in histories if it != name}))
        for name, periods in histories.items()
        if is_enough(periods[0])
    ]
    return [
        replace(it, shipped=with_spread(it.shipped, [other for other in left if other is not it]))
        for it in left
    ]


def with_spread(shipped: ShippedWeights, left: Sequence[LeftOut]) -> ShippedWeights:
    """Say of weights how far such weights were off in histories that they did not see."""

    def spread(told: Callable[[LeftOut], Floats], among: Sequence[LeftOut]) -> float:
        squares = [_square_shift(told(it), outcomes_of(it.newest)) for it in among]
        return math.sqrt(max(0.0, float(np.mean(squares))))

    history = spread(lambda it: chances(it.shipped.history, it.newest, it.shipped), left)
    static = spread(lambda it: chances(it.shipped.static, it.newest, it.shipped), left)
    own = spread(
        lambda it: chances(it.own(), it.newest, it.shipped), [it for it in left if it.is_told]
    )
    return msgspec.structs.replace(
        shipped,
        history=msgspec.structs.replace(shipped.history, spread=history),
        static=msgspec.structs.replace(shipped.static, spread=static),
        own_spread=own,
    )


def _square_shift(chance: Floats, outcomes: Floats) -> float:
    """Return how far a whole history was off, in squared log-odds, beyond what chance explains."""
    log_odds = np.log(chance / (1 - chance))
    shift = 0.0
    for _ in range(_STEPS):
        moved = probabilities(log_odds + shift)
        shift += float((outcomes - moved).sum() / (moved * (1 - moved)).sum())
    moved = probabilities(log_odds + shift)
    return shift**2 - 1 / float((moved * (1 - moved)).sum())


def outcomes_of(period: Period) -> Floats:
    """Return what happened as numbers."""
    return np.array(period.outcomes, np.float64)


def finish(histories: Histories) -> ShippedWeights:
    """Train on everything, and say how sure it is by what was left out."""
    left = leave_out_each(histories)
    scores = [score_of(it.shipped.history, it.newest, it.shipped) for it in left]
    return msgspec.structs.replace(
        with_spread(train(histories), left),
        trained_on=trained_on(histories),
        auc=float(np.mean([it.auc for it in scores if it.auc is not None])),
        brier=float(np.mean([it.brier for it in scores])),
    )


def trained_on(histories: Mapping[str, Sequence[Period]]) -> list[TrainedOn]:
    """Name the histories."""
    return [
        TrainedOn(
            name,
            str(periods[-1].since.date()),
            str(periods[0].until.date()),
            sum(len(it.rows) for it in periods),
            sum(it.fixed for it in periods),
        )
        for name, periods in sorted(histories.items())
        if periods
    ]


def read_histories(repositories: Sequence[Path], kept: Path, cache: Path) -> Histories:
    """Gather histories with any bug fixes, by name."""
    found: dict[str, list[Period]] = {}
    for repository in repositories:
        periods = [year.period for year in gather(repository, kept, cache)]
        print(repository.name, [(len(it.rows), it.fixed) for it in periods], flush=True)
        if any(it.fixed for it in periods):
            found[repository.name] = periods
    return found


def main() -> None:
    """Train, write the weights, and print them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--kept", type=Path, required=True, help="where gathered years are kept")
    parser.add_argument("--cache", type=Path, required=True, help="where facts are kept")
    given = parser.parse_args()
    histories = read_histories(given.repositories, given.kept, given.cache)
    shipped = finish(histories)
    PLACE.write_bytes(msgspec.json.format(msgspec.json.encode(rounded(shipped)), indent=1))
    print(msgspec.json.format(msgspec.json.encode(shipped.history), indent=1).decode())
    print("ridge of own histories", fitted_model.RIDGE, "spread", shipped.own_spread)


def rounded(shipped: ShippedWeights) -> object:
    """Return numbers that a person can read."""

    def shorten(value: object) -> object:
        if isinstance(value, float):
            return round(value, 6)
        if isinstance(value, dict):
            return {name: shorten(it) for name, it in value.items()}
        return [shorten(it) for it in value] if isinstance(value, list) else value

    return shorten(msgspec.to_builtins(shipped))


if __name__ == "__main__":
    main()
