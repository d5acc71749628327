"""Judge the probabilities of bug fixes in the last year of histories that nothing was chosen on."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from agreement.known_projects import HELD_BACK
from agreement.table import Missing, Row, checkout
from benchpin.project.defects import DefectPrediction
from benchpin.project.defects._model import Period, auc, brier, chances, shipped_weights
from benchpin.project.defects._prediction import BANDS, Predictor
from defects import is_in_interval
from defects_histories import gather
from defects_train import MIN_GROUP_FILES, LeftOut, outcomes_of

AIM = 0.15
_REFERENCE = "bug fixes of the year after, by the subjects of commits"


@dataclass(frozen=True)
class _Judged:
    year: Period
    mean: float
    brier: float
    auc: float | None
    risks: list[DefectPrediction]


def rows(projects: Path) -> list[Row]:
    """Return a row for each history that is here, and for all of them together."""
    judged: dict[str, _Judged] = {}
    with TemporaryDirectory() as place:
        for name in HELD_BACK:
            try:
                judged[name] = _judge(name, checkout(projects, name), Path(place))
            except Missing:
                continue
    if not judged:
        raise Missing("none of the histories that were held back is here")
    every = list(judged.values())
    reached = sum(it.brier <= AIM for it in every)
    held = [is_in_interval(group) for it in every for group in _groups(it)]
    totals = (
        f"Brier at most {AIM:g} in {reached} of {len(every)}, mean "
        f"{np.mean([it.brier for it in every]):.3f}; the intervals held {sum(held)} of "
        f"{len(held)} groups of files"
    )
    return [
        *(_row(name, it) for name, it in judged.items()),
        Row("probability of a bug fix", _REFERENCE, f"{len(every)} histories", totals),
    ]


def _judge(name: str, repository: Path, place: Path) -> _Judged:
    periods = [it.period for it in gather(repository, place / "years", place / "facts")]
    left = LeftOut(name, periods, shipped_weights())
    year, weights = left.newest, left.told()
    predicted = chances(weights, year, left.shipped)
    truth = outcomes_of(year)
    risks = Predictor(weights, year.base, left.shipped).predict(year.rows)
    return _Judged(
        year, float(predicted.mean()), brier(predicted, truth), auc(predicted, truth), risks
    )


def _groups(judged: _Judged) -> Iterator[list[tuple[DefectPrediction, bool]]]:
    for band in BANDS:
        group = [
            (risk, fixed)
            for risk, fixed in zip(judged.risks, judged.year.outcomes, strict=True)
            if risk.band == band
        ]
        if len(group) >= MIN_GROUP_FILES:
            yield group


def _row(name: str, it: _Judged) -> Row:
    share = it.year.fixed / len(it.year.rows)
    ranked = "" if it.auc is None else f", AUC {it.auc:.2f}"
    result = f"predicted {it.mean:.0%}, fixed {share:.0%}, Brier {it.brier:.3f}{ranked}"
    return Row("probability of a bug fix", _REFERENCE, f"{name}, {len(it.year.rows)} files", result)
