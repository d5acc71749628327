"""Learn how much debt cues, phrases and words count for, from comments that people labelled.

The comments are read where they lie; what is written are numbers, and the words they are about.
"""

import argparse
import csv
import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchpin.facts.languages import detect_language
from benchpin.facts.parsing import extract
from benchpin.measures import debt
from benchpin.measures.debt._cues import Strength
from benchpin.measures.debt._find import cut_comments
from benchpin.measures.debt._verdict import MEASURED, count_cues
from train_debt_words import Comment, Design, calibrate, read_comment

Floats = NDArray[np.float64]

OWN_LABELS = Path(__file__).with_name("debt_labels.csv")
"""Comments of permissively licensed repositories that we labelled, by place."""
_NO_DEBT = "WITHOUT_CLASSIFICATION"
_ROUNDS = 5
"""How often the most telling sentences are chosen anew."""
_TITLE = "The weight of each strength of cue, learned by `scripts/train_debt.py`."
_START = {
    Strength.TAG: 3.0,
    Strength.BARE: -3.0,
    Strength.STRONG: 3.0,
    Strength.CLEAR: 2.0,
    Strength.FAINT: 1.0,
}
"""By what the most telling sentences are chosen first; nothing of it stays."""
_PLAINEST = 0.95
_STEPS = 30
_RIDGE = 0.1


@dataclass(frozen=True, slots=True)
class Labelled:
    """A comment, where it comes from, and what people called it."""

    project: str
    label: str
    comment: str
    sentences: tuple[tuple[int, ...], ...]
    """The cues of each sentence, by strength."""

    @property
    def is_debt(self) -> bool:
        """Whether people called it debt of any kind."""
        return self.label != _NO_DEBT


@dataclass(frozen=True, slots=True)
class Model:
    """What was learned."""

    intercept: float
    weights: tuple[float, ...]
    ceiling: float = 1.0
    """People do not agree on more than this share of the plainest comments."""

    def probability(self, it: Labelled) -> float:
        """Return how likely a comment is debt, by its most telling sentence."""
        highest = max((self._score(counts) for counts in it.sentences), default=0.0)
        likely = float(1 / (1 + np.exp(-(max(highest, 0.0) + self.intercept))))
        return min(likely, self.ceiling)

    def most_telling(self, it: Labelled) -> tuple[int, ...]:
        """Return the cues of the sentence that decides."""
        nothing = (0,) * len(self.weights)
        return max((nothing, *it.sentences), key=self._score)

    def _score(self, counts: Sequence[int]) -> float:
        return sum(weight * count for weight, count in zip(self.weights, counts, strict=True))


def read_labelled(path: Path) -> list[Labelled]:
    """Read a gzipped file of JSON lines: project, label and comment."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Labelled(
            row["project"], row["label"], row["comment"], tuple(set(count_cues(row["comment"])))
        )
        for row in rows
    ]


def fit(rows: Sequence[Labelled]) -> Model:
    """Fit a logistic regression on the most telling sentence of each comment."""
    model = Model(0.0, tuple(_START[strength] for strength in MEASURED))
    for _ in range(_ROUNDS):
        counts = np.array([model.most_telling(it) for it in rows], dtype=np.float64)
        is_debt = np.array([it.is_debt for it in rows], dtype=np.float64)
        solved = _newton(np.column_stack([np.ones(len(rows)), counts]), is_debt)
        model = Model(float(solved[0]), tuple(float(weight) for weight in solved[1:]))
    plainest = [it.is_debt for it in rows if model.probability(it) >= _PLAINEST]
    return replace(model, ceiling=sum(plainest) / len(plainest))


def _newton(inputs: Floats, answers: Floats) -> Floats:
    ridge = np.full(inputs.shape[1], _RIDGE)
    ridge[0] = 0.0
    weights = np.zeros(inputs.shape[1])
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(-(inputs @ weights)))
        slope = inputs.T @ (expected - answers) + ridge * weights
        curvature = (inputs * (expected * (1 - expected))[:, None]).T @ inputs + np.diag(ridge)
        weights = weights - np.linalg.solve(curvature, slope)
    return weights


def _module(model: Model) -> str:
    lines = [
        f'"""{_TITLE}"""',
        "",
        "from ._cues import Strength",
        "",
        f"CEILING = {model.ceiling:.3f}",
        '"""People agree on no more than this share of even the clearest comments."""',
        f"INTERCEPT = {model.intercept:.3f}",
        "WEIGHTS = {",
        *(
            f"    Strength.{strength.name}: {weight:.3f},"
            for strength, weight in zip(MEASURED, model.weights, strict=True)
        ),
        "}",
        "",
    ]
    return "\n".join(lines)


def read_own(labels: Path, checkouts: Path) -> list[Comment]:
    """Read the comments that we labelled; their text is in checkouts of the repositories."""
    found = []
    with labels.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for (repository, path), labelled in groupby(rows, lambda it: (it["repository"], it["path"])):
        place = checkouts / repository.rpartition("/")[2] / path
        language = detect_language(place.name, bytes)
        if language is None:
            raise ValueError(f"{place} is in no known language")
        pieces = cut_comments(extract(place.read_bytes(), language).comments.comments)
        texts = {piece.line: piece.text for piece in pieces}
        for it in labelled:
            text, is_debt = texts[int(it["line"])], it["is_debt"] == "1"
            found.append(read_comment(repository, text, is_debt=is_debt, is_own=True))
    return [it for it in found if it is not None]


def design_of(rows: Sequence[Labelled], own: Sequence[Comment]) -> Design:
    """Return what the weights of words are learned from."""
    read = (read_comment(it.project, it.comment, is_debt=it.is_debt, is_own=False) for it in rows)
    return Design([*(it for it in read if it is not None), *own])


def main() -> None:
    """Train on everything and write what is shipped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("comments", type=Path, help="train.jsonl.gz: project, label, comment")
    parser.add_argument("checkouts", type=Path, help="the repositories of debt_labels.csv")
    asked = parser.parse_args()
    rows = read_labelled(asked.comments)
    text = _module(fit(rows))
    package = Path(debt.__path__[0])
    package.joinpath("_weights.py").write_text(text, encoding="utf-8")
    design = design_of(rows, read_own(OWN_LABELS, asked.checkouts))
    slope, shift = calibrate(design, design.leave_one_out())
    learned = design.learn(slope, shift)
    package.joinpath("learned.json").write_bytes(msgspec.json.encode(learned))
    print(text, f"words: slope {slope:.3f}, shift {shift:.3f}", sep="\n")


if __name__ == "__main__":
    main()
