"""Train the weights that come with the package: `defects_train.py REPOSITORY...`.

Every history is left out in turn, to see how weights do in a repository that they never saw.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchpin.project.defects import COLUMNS, TrainedOn
from benchpin.project.defects import _model as fitted_model
from benchpin.project.defects import _model as weights
from benchpin.project.defects._model import (
    Period,
    ShippedWeights,
    Weights,
    chances,
    design,
    fit,
    fit_own,
    is_enough,
    probabilities,
    score_of,
)
from benchpin.project.defects._prediction import BANDS, band_of
from defects_histories import Histories, gather

RIDGE = 10.0
MAX_FILES = 100
"""A year counts as at most so many files, so that no large project decides how others change."""
_NEARLY_NONE = 1e-3
MIN_GROUP_FILES = 20
"""The fewest files of one band in one year whose share is compared with the interval."""
_STEPS = 30
_MAX_RATIO = 5.0
_YEARS_BEFORE = 2
_HALF_OF_80 = 1.2815515655446004
Floats = NDArray[np.float64]
PLACE = Path(weights.__file__).with_name("weights.json")


def train(histories: Histories) -> ShippedWeights:
    """Fit weights on all years of some histories; their spread is not known yet."""
    every = [period for periods in histories.values() for period in periods if period.rows]
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
    importance = np.concatenate(
        [np.full(len(it.rows), min(1.0, MAX_FILES / len(it.rows))) for it in every]
    )
    is_static = [False, *(feature != "churn" for feature in COLUMNS.values())]
    return msgspec.structs.replace(
        scale,
        history=fitted(rows, outcomes, importance),
        static=fitted(np.where(is_static, rows, 0.0), outcomes, importance),
    )


def fitted(rows: Floats, outcomes: Floats, importance: Floats) -> Weights:
    """Fit weights; a column of nothing but zeros gets none."""
    ridge = np.full(rows.shape[1] + 1, RIDGE)
    ridge[:2] = _NEARLY_NONE
    found = fit(rows, outcomes, np.zeros(len(ridge)), ridge, importance).weights.tolist()
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

    def own(self, year: int = 0) -> Weights | None:
        """Fit on the two years before one, as a user's repository would be, if that is enough."""
        before = self.periods[year + 1 : year + 1 + _YEARS_BEFORE]
        is_told = len(before) == _YEARS_BEFORE and all(map(is_enough, before))
        return fit_own(before, self.shipped) if is_told else None

    def told(self) -> Weights:
        """Return the weights that a user would get for the newest year."""
        return self.own() or self.shipped.history


def leave_out_each(histories: Histories) -> list[LeftOut]:
    """Train without each history in turn; how sure weights are is told by the others alone."""
    left = [
        LeftOut(name, periods, train({it: histories[it] for it in histories if it != name}))
        for name, periods in histories.items()
    ]
    needed = {it.name: _needed(it) for it in left}
    return [
        replace(
            it,
            shipped=with_spread(
                it.shipped, [needed[other] for other in needed if other != it.name]
            ),
        )
        for it in left
    ]


@dataclass(frozen=True)
class Needed:
    """The spreads that intervals need to hold the shares of one history, a group of files each."""

    history: Sequence[float]
    static: Sequence[float]
    own: Sequence[float]


def _needed(left: LeftOut) -> Needed:
    def spreads(weights: Weights, years: Sequence[Period]) -> list[float]:
        return [
            _needed_spread(group, fixed)
            for year in years
            for group, fixed in _bands(chances(weights, year, left.shipped), outcomes_of(year))
        ]

    own = [
        spread
        for at, year in enumerate(left.periods)
        if (weights := left.own(at)) is not None
        for spread in spreads(weights, [year])
    ]
    shipped = left.shipped
    return Needed(
        spreads(shipped.history, left.periods), spreads(shipped.static, left.periods), own
    )


def _bands(chance: Floats, outcomes: Floats) -> Iterator[tuple[Floats, float]]:
    """Yield the log-odds of the files of each band, and the share of them that was fixed."""
    names = np.array([band_of(it) for it in chance.tolist()])
    for band in BANDS:
        chosen = names == band
        if chosen.sum() >= MIN_GROUP_FILES:
            of_band = chance[chosen]
            yield np.log(of_band / (1 - of_band)), float(outcomes[chosen].mean())


def _needed_spread(log_odds: Floats, fixed: float) -> float:
    """Return the smallest spread whose mean 80 % interval holds the share that was fixed."""
    low, high = 0.0, _MAX_RATIO
    for _ in range(_STEPS):
        middle = (low + high) / 2
        reach = _HALF_OF_80 * middle
        lower, upper = (float(probabilities(log_odds + it).mean()) for it in (-reach, reach))
        low, high = (low, middle) if lower <= fixed <= upper else (middle, high)
    return high


def with_spread(shipped: ShippedWeights, needed: Sequence[Needed]) -> ShippedWeights:
    """Give weights the spread that held 80 % of the groups of histories they did not see."""

    def spread(of: Callable[[Needed], Sequence[float]]) -> float:
        return float(np.quantile([one for it in needed for one in of(it)], 0.8))

    history = msgspec.structs.replace(shipped.history, spread=spread(lambda it: it.history))
    static = msgspec.structs.replace(shipped.static, spread=spread(lambda it: it.static))
    own = spread(lambda it: it.own)
    return msgspec.structs.replace(shipped, history=history, static=static, own_spread=own)


def outcomes_of(period: Period) -> Floats:
    """Return what happened as numbers."""
    return np.array(period.outcomes, np.float64)


def finish(histories: Histories) -> ShippedWeights:
    """Train on everything, and say how sure it is by what was left out."""
    left = leave_out_each(histories)
    scores = [
        score_of(it.shipped.history, it.newest, it.shipped) for it in left if is_enough(it.newest)
    ]
    return msgspec.structs.replace(
        with_spread(train(histories), [_needed(it) for it in left]),
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
