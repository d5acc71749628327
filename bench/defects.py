"""Predict bug fixes one year ahead in public histories: `defects.py REPOSITORY...`.

Everything is trained on what was known when the last year of each history began. The weights of
the package are trained anew without each repository in turn.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchpin.project.defects import DefectPrediction
from benchpin.project.defects._model import (
    Period,
    auc,
    brier,
    chances,
    fit,
    is_enough,
    probabilities,
)
from benchpin.project.defects._prediction import HIGH_FROM, MEDIUM_FROM, Predictor
from defects_histories import gather
from defects_train import MIN_GROUP_FILES, LeftOut, leave_out_each, outcomes_of, read_histories
from results import machine, write_section

Floats = NDArray[np.float64]
AIM_AUC = 0.02
AIM_BRIER = 0.15
CHOSEN_ON = frozenset(
    {
        "commons-lang",
        "composer",
        "curl",
        "django",
        "eslint",
        "flask",
        "gin",
        "okhttp",
        "redis",
        "ripgrep",
        "rubocop",
        "tokio",
        "vite",
    }
)
"""Histories on which features and ridge were chosen, before the others were looked at."""
_NO_RIDGE = 1e-6
_BANDS = ("Low", "Medium", "High")
_STEPS = ((0.0, 0.05), (0.05, 0.1), (0.1, 0.2), (0.2, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 1.0))


_WHAT_IS_WHAT = (
    "Features and ridge were chosen on those that are not marked. `lines` is a logistic model of "
    "lines of code; `shipped` and `no history` are trained without the history; `benchpin` is what "
    "a user gets: a fit on the year before, where that tells enough."
)
_GROUPS = (
    "A group is the files of one history in one band and of one confidence, 20 or more. It is "
    "borne out when the share of it that was fixed is that of the band or worse (Low: below 0.3), "
    "which confidence says how often to expect; the interval is made for 80 % of groups."
)


@dataclass(frozen=True)
class Rival:
    """How one way to predict did."""

    auc: float
    brier: float

    def __str__(self) -> str:
        """Return both."""
        return f"{self.auc:.3f} / {self.brier:.3f}"


@dataclass(frozen=True)
class Outcome:
    """One history: what each way said, and what came of it."""

    name: str
    newest: Period
    rivals: Mapping[str, Rival]
    risks: Sequence[DefectPrediction]
    """What a user would have been told."""

    @property
    def gain(self) -> float:
        """How much better than lines of code what a user would have been told is."""
        return self.rivals["benchpin"].auc - self.rivals["lines"].auc


def judge(left: LeftOut, original: Sequence[float]) -> Outcome:
    """Predict the newest year in every way."""
    newest, truth = left.newest, outcomes_of(left.newest)
    weights = left.told()
    told = {
        "lines": by_lines(left),
        "original": np.array(original),
        "shipped": chances(left.shipped.history, newest, left.shipped),
        "no history": chances(left.shipped.static, newest, left.shipped),
        "benchpin": chances(weights, newest, left.shipped),
    }
    rivals = {
        name: Rival(auc(chance, truth) or 0.0, brier(chance, truth))
        for name, chance in told.items()
    }
    risks = Predictor(weights, newest.base, left.shipped).predict(newest.rows)
    return Outcome(left.name, newest, rivals, risks)


def by_lines(left: LeftOut) -> Floats:
    """Return what lines of code alone say, fitted on all the years before the newest."""
    older = left.periods[1:]
    rows = np.vstack([lines_of(period) for period in older])
    outcomes = np.concatenate([outcomes_of(period) for period in older])
    found = fit(rows, outcomes, np.zeros(2), np.full(2, _NO_RIDGE)).weights
    newest = lines_of(left.newest)
    return probabilities(np.column_stack([np.ones(len(newest)), newest]) @ found)


def lines_of(period: Period) -> Floats:
    """Return the logarithm of the lines of code of each file."""
    return np.array([[row.values["code_lines"] or 0.0] for row in period.rows])


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a row a history."""
    names = list(outcomes[0].rivals)
    lines = [
        f"| history | files | fixed | {' | '.join(names)} | over lines |",
        "| --- " * (len(names) + 4) + "|",
    ]
    for it in outcomes:
        rivals = " | ".join(map(str, it.rivals.values()))
        mark = "" if it.name in CHOSEN_ON else " (held back)"
        lines.append(
            f"| {it.name}{mark} | {len(it.newest.rows):,} | {it.newest.fixed:,} | {rivals} "
            f"| {it.gain:+.3f} |"
        )
    for title, chosen in (
        ("mean, held back", [it for it in outcomes if it.name not in CHOSEN_ON]),
        ("mean, all", outcomes),
    ):
        if chosen:
            means = [
                str(
                    Rival(
                        float(np.mean([it.rivals[name].auc for it in chosen])),
                        float(np.mean([it.rivals[name].brier for it in chosen])),
                    )
                )
                for name in names
            ]
            gain = float(np.mean([it.gain for it in chosen]))
            lines.append(f"| {title} | | | {' | '.join(means)} | {gain:+.3f} |")
    return lines


def reliability(outcomes: Sequence[Outcome]) -> list[str]:
    """Return how often files of each probability, and each band, were fixed."""
    files = [
        (risk, fixed)
        for it in outcomes
        for risk, fixed in zip(it.risks, it.newest.outcomes, strict=True)
    ]
    lines = ["| probability | files | predicted | fixed |", "| --- | --- | --- | --- |"]
    groups: dict[str, list[tuple[DefectPrediction, bool]]] = {
        f"{low:g} to {high:g}": [it for it in files if low <= it[0].probability < high]
        for low, high in _STEPS
    }
    groups |= {band: [it for it in files if it[0].band == band] for band in _BANDS}
    for name, group in groups.items():
        if group:
            predicted = float(np.mean([risk.probability for risk, _ in group]))
            fixed = float(np.mean([is_fixed for _, is_fixed in group]))
            lines.append(f"| {name} | {len(group):,} | {predicted:.3f} | {fixed:.3f} |")
    return lines


def confidence(outcomes: Sequence[Outcome]) -> list[str]:
    """Return whether rates lie where they are said to: a group is a band of one history."""
    kinds = ((0.9, 1.1), (0.8, 0.9), (0.7, 0.8), (0.6, 0.7), (0.0, 0.6))
    lines = [
        "| confidence from | files | groups | mean confidence | borne out | in interval |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for low, high in kinds:
        groups = [
            group
            for it in outcomes
            for band in _BANDS
            if len(group := members(it, band, low, high)) >= MIN_GROUP_FILES
        ]
        if groups:
            cells = (
                f"{sum(map(len, groups)):,}",
                str(len(groups)),
                f"{np.mean([risk.confidence for group in groups for risk, _ in group]):.2f}",
                f"{np.mean([is_borne_out(group) for group in groups]):.0%}",
                f"{np.mean([is_in_interval(group) for group in groups]):.0%}",
            )
            lines.append(f"| {low:g} | {' | '.join(cells)} |")
    return lines


Group = list[tuple[DefectPrediction, bool]]


def members(it: Outcome, band: str, low: float, high: float) -> Group:
    """Return the files of a band of one history whose confidence is of a kind."""
    return [
        (risk, fixed)
        for risk, fixed in zip(it.risks, it.newest.outcomes, strict=True)
        if risk.band == band and low <= risk.confidence < high
    ]


def is_borne_out(group: Group) -> bool:
    """Whether the share of files that were fixed is as bad as their band, or for Low as good."""
    rate = float(np.mean([fixed for _, fixed in group]))
    return (
        rate >= _MIN_SCORES[band]
        if (band := group[0][0].band) in _MIN_SCORES
        else rate < MEDIUM_FROM
    )


_MIN_SCORES = {"High": HIGH_FROM, "Medium": MEDIUM_FROM}


def is_in_interval(group: Group) -> bool:
    """Whether the share of files that were fixed lies in their mean interval."""
    lower = float(np.mean([risk.lower for risk, _ in group]))
    upper = float(np.mean([risk.upper for risk, _ in group]))
    return lower <= float(np.mean([fixed for _, fixed in group])) <= upper


def report(outcomes: Sequence[Outcome]) -> str:
    """Return all tables."""
    reached = [
        it.name
        for it in outcomes
        if it.gain >= AIM_AUC and it.rivals["benchpin"].brier <= AIM_BRIER
    ]
    head = f"Bug fixes in the last year of {len(outcomes)} histories; AUC / Brier; {machine()}."
    result = f"AUC {AIM_AUC:g} or more above lines, and Brier at most {AIM_BRIER:g}: "
    return "\n".join(
        [
            head,
            _WHAT_IS_WHAT,
            "",
            *table(outcomes),
            "",
            f"{result}{', '.join(reached)} (aim: 3 histories).",
            "",
            *reliability(outcomes),
            "",
            _GROUPS,
            "",
            *confidence(outcomes),
        ]
    )


def main() -> None:
    """Gather, predict, and write the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--kept", type=Path, required=True, help="where gathered years are kept")
    parser.add_argument("--cache", type=Path, required=True, help="where facts are kept")
    given = parser.parse_args()
    histories = read_histories(given.repositories, given.kept, given.cache)
    places = {place.name: place for place in given.repositories}
    outcomes = [
        judge(left, gather(places[left.name], given.kept, given.cache)[0].original)
        for left in leave_out_each(histories)
        if is_enough(left.newest)
    ]
    write_section("Defects", report(outcomes))


if __name__ == "__main__":
    main()
