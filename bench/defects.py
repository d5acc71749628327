"""Predict bug fixes one year ahead in public histories, and train the weights of the package.

    python bench/defects.py --kept FOLDER --cache FOLDER TRAINED-ON... --unseen REPOSITORY...
    python bench/defects.py --kept FOLDER --cache FOLDER --train REPOSITORY...

Each set of columns is a logistic line, trained on the histories that are not `--unseen`, and
judged in the newest year of those that are: AUC, average precision, Brier score, and how far the
mean probability is from the share that was fixed.
"""

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchpin.project.defects import COLUMNS, TrainedOn
from benchpin.project.defects import _model as module
from benchpin.project.defects._features import FeatureRow
from benchpin.project.defects._model import ModelScore, ShippedWeights, Weights
from benchpin.project.defects._prediction import BANDS, FARTHEST, band_of
from defects_histories import Histories, Period, gather
from results import machine, write_section

Floats = NDArray[np.float64]
PLACE = Path(module.__file__).with_name("weights.json")
WEIGHED, LINES = ("code_lines", "commits"), ("code_lines",)
SETS: Mapping[str, Sequence[str]] = {
    "lines": LINES,
    "lines and commits": WEIGHED,
    "all columns": tuple(COLUMNS),
}
RIDGE = 10.0
_NEARLY_NONE = 1e-3
MAX_FILES = 100
"""A year counts as at most so many files, so that no large project decides how others change."""
MIN_GROUP_FILES = 20
"""The fewest files of one band in one year whose share is compared with the interval."""
_HALF_OF_80 = 1.2815515655446004
_MAX_SPREAD = 5.0
_SETTLED = 1e-9


class Scale:
    """The mean and deviation of each column over the years that are trained on."""

    def __init__(self, periods: Sequence[Period]) -> None:
        values = np.array([[_number(row.values[it]) for it in COLUMNS] for row in _rows(periods)])
        self.mean = dict(zip(COLUMNS, np.nanmean(values, axis=0).tolist(), strict=True))
        self.deviation = dict(zip(COLUMNS, np.nanstd(values, axis=0).tolist(), strict=True))

    def design(self, period: Period, columns: Sequence[str], *, has_base: bool = True) -> Floats:
        """Return a one, the base rate, and the standardised values; 0 where one is unknown."""
        count = len(period.rows)
        values = np.array([[_number(row.values[it]) for it in columns] for row in period.rows])
        centre = np.array([self.mean[it] for it in columns])
        spread = np.array([self.deviation[it] for it in columns])
        scaled = np.nan_to_num((values.reshape(count, len(columns)) - centre) / spread)
        base = np.full(count, period.base if has_base else 0.0)
        return np.column_stack([np.ones(count), base, scaled])


def _rows(periods: Sequence[Period]) -> Iterator[FeatureRow]:
    for period in periods:
        yield from period.rows


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def probabilities(log_odds: Floats) -> Floats:
    """Return the probabilities."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -FARTHEST, FARTHEST))))


def fit(rows: Floats, outcomes: Floats, importance: Floats) -> Floats:
    """Return the weights with the least log-loss and a ridge, by Newton's method."""
    ridge = np.full(rows.shape[1], RIDGE)
    ridge[:2] = _NEARLY_NONE
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        chances = probabilities(rows @ weights)
        gradient = rows.T @ (importance * (chances - outcomes)) + ridge * weights
        curvature = (rows.T * (importance * chances * (1 - chances))) @ rows + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        longest = float(np.abs(step).max())
        weights = weights - step * (5.0 / max(longest, 5.0))
        if longest < _SETTLED:
            break
    return weights


def train(
    periods: Sequence[Period], scale: Scale, columns: Sequence[str], *, has_base: bool = True
) -> Floats:
    """Fit the intercept, the weight of the base rate, and those of columns."""
    rows = np.vstack([scale.design(it, columns, has_base=has_base) for it in periods])
    outcomes = np.concatenate([truth(it) for it in periods])
    shares = [np.full(len(it.rows), min(1.0, MAX_FILES / len(it.rows))) for it in periods]
    return fit(rows, outcomes, np.concatenate(shares))


def truth(period: Period) -> Floats:
    """Return what happened as numbers."""
    return np.array(period.outcomes, np.float64)


def auc(scores: Floats, outcomes: Floats) -> float:
    """Return how often a file with the outcome scores higher than one without; ties are halves."""
    positive = outcomes > 0
    count, others = int(positive.sum()), int((~positive).sum())
    _, places, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[places]
    return float((ranks[positive].sum() - count * (count + 1) / 2) / (count * others))


def average_precision(scores: Floats, outcomes: Floats) -> float:
    """Return the area below precision over recall."""
    happened = outcomes[np.argsort(-scores, kind="stable")]
    precision = np.cumsum(happened) / np.arange(1, len(happened) + 1)
    return float(precision[happened > 0].mean())


def scores_of(chances: Floats, outcomes: Floats) -> tuple[float, float, float, float]:
    """Return AUC, average precision, Brier score, and the error of the mean."""
    return (
        auc(chances, outcomes),
        average_precision(chances, outcomes),
        float(((chances - outcomes) ** 2).mean()),
        abs(float(chances.mean() - outcomes.mean())),
    )


def compare(known: Histories, unseen: Histories) -> str:
    """Return a table: each set of columns, trained on some histories and judged in others."""
    periods = [it for years in known.values() for it in years if it.rows]
    scale = Scale(periods)
    weights = {name: train(periods, scale, columns) for name, columns in SETS.items()}
    judged = f"judged in the newest year of {len(unseen)} others"
    lines = [
        f"Trained on {len(known)} histories, {judged}; {machine()}.",
        "",
        f"| history | files | fixed | {' | '.join(f'AUC, {it}' for it in SETS)} |",
        "| --- " * (len(SETS) + 3) + "|",
    ]
    all_scores: dict[str, list[tuple[float, ...]]] = {name: [] for name in SETS}
    for name, years in unseen.items():
        newest = years[0]
        for kind, columns in SETS.items():
            chances = probabilities(scale.design(newest, columns) @ weights[kind])
            all_scores[kind].append(scores_of(chances, truth(newest)))
        cells = " | ".join(f"{all_scores[it][-1][0]:.3f}" for it in SETS)
        lines.append(f"| {name} | {len(newest.rows):,} | {newest.fixed:,} | {cells} |")
    lines += [
        "",
        "| columns | AUC | average precision | Brier | error of the mean |",
        "| --- | --- | --- | --- | --- |",
    ]
    for kind, found in all_scores.items():
        means = np.mean(found, axis=0)
        lines.append(f"| {kind} | {' | '.join(f'{it:.3f}' for it in means)} |")
    return "\n".join(lines)


def needed_spreads(
    periods: Sequence[Period], scale: Scale, columns: Sequence[str], weights: Floats
) -> Iterator[float]:
    """Yield the spread that the interval of each group of files needs to hold what happened."""
    for period in periods:
        odds, happened = scale.design(period, columns) @ weights, truth(period)
        bands = np.array([band_of(it) for it in probabilities(odds).tolist()])
        for band in BANDS:
            chosen = bands == band
            if chosen.sum() < MIN_GROUP_FILES:
                continue
            low, high = 0.0, _MAX_SPREAD
            for _ in range(30):
                middle = (low + high) / 2
                reach = _HALF_OF_80 * middle
                below, above = (probabilities(odds[chosen] + it).mean() for it in (-reach, reach))
                is_held = below <= happened[chosen].mean() <= above
                low, high = (low, middle) if is_held else (middle, high)
            yield high


def finish(histories: Histories, score: ModelScore) -> ShippedWeights:
    """Train on everything; how sure it is, each history says that the others were trained on."""
    every = [it for years in histories.values() for it in years if it.rows]
    scale = Scale(every)

    def weights_of(columns: Sequence[str], *, has_base: bool) -> Weights:
        spreads: list[float] = []
        for name, years in histories.items():
            rest = [
                it for other in histories if other != name for it in histories[other] if it.rows
            ]
            without = train(rest, scale, columns, has_base=has_base)
            without[1] *= has_base
            spreads += needed_spreads([it for it in years if it.rows], scale, columns, without)
        intercept, base, *fitted = train(every, scale, columns, has_base=has_base).tolist()
        named = dict(zip(columns, fitted, strict=True))
        return Weights(intercept, base, named, float(np.quantile(spreads, 0.8)))

    return ShippedWeights(
        {it: scale.mean[it] for it in WEIGHED},
        {it: scale.deviation[it] for it in WEIGHED},
        weights_of(WEIGHED, has_base=True),
        weights_of(LINES, has_base=False),
        [
            TrainedOn(
                name,
                str(years[-1].since.date()),
                str(years[0].until.date()),
                sum(len(it.rows) for it in years),
                sum(it.fixed for it in years),
            )
            for name, years in sorted(histories.items())
        ],
        score,
    )


def main() -> None:
    """Gather, then compare or train."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--unseen", type=Path, nargs="*", default=[])
    parser.add_argument("--train", action="store_true", help="write the weights of the package")
    parser.add_argument("--kept", type=Path, required=True, help="where gathered years are kept")
    parser.add_argument("--cache", type=Path, required=True, help="where facts are kept")
    given = parser.parse_args()
    known, unseen = (
        {it.name: gather(it, given.kept, given.cache) for it in places}
        for places in (given.repositories, given.unseen)
    )
    if unseen:
        unseen = {name: years for name, years in unseen.items() if years[0].is_enough}
        write_section("Defects", compare(known, unseen))
    if given.train:
        # The score is that of the comparison, which trained on none of the histories it judged.
        score = module.shipped_weights().score
        found = {name: years for name, years in known.items() if any(it.fixed for it in years)}
        shipped = rounded(finish(found, score))
        PLACE.write_bytes(msgspec.json.format(msgspec.json.encode(shipped), indent=1))


def rounded(shipped: ShippedWeights) -> object:
    """Return numbers that a person can read."""

    def shorten(value: object) -> object:
        if isinstance(value, float):
            return round(value, 4)
        if isinstance(value, dict):
            return {name: shorten(it) for name, it in value.items()}
        return [shorten(it) for it in value] if isinstance(value, list) else value

    return shorten(msgspec.to_builtins(shipped))


if __name__ == "__main__":
    main()
