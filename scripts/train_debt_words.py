"""Learn how much cues, phrases and the tone of words count for in comments without a tag.

The tone of a word is linear in its vector of `metrics/names`, so that a word that no labelled
comment has gets the tone of its neighbours.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchpin.measures.debt._cues import CUES
from benchpin.measures.debt._sentences import read_sentences
from benchpin.measures.debt._verdict import (
    Learned,
    find_cues,
    names_of,
    phrases_of,
    size_of,
    words_of,
)
from benchpin.measures.names._words import word_vectors

Floats = NDArray[np.float32]

OWN_WEIGHT = 4.0
"""How much a comment counts that we labelled: there are few, but of many projects."""
_RIDGES = {"cue": 3.0, "tone": 100.0, "phrase": 25.0}
_MIN_CUES, _MIN_PHRASES, _MIN_PROJECTS = 3, 6, 3
_FEW = 2
_LIKELY = -2.5
"""Calibrated where it matters: most comments are far from being called debt."""
_MIN_TONE, _MIN_WEIGHT = 2.0, 0.05
_ROUNDS, _MEMORY, _ENOUGH = 80, 8, 2e-5


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment without a tag."""

    project: str
    is_debt: bool
    is_own: bool
    cues: frozenset[str]
    phrases: frozenset[str]
    words: tuple[str, ...]


def read_comment(project: str, text: str, *, is_debt: bool, is_own: bool) -> Comment | None:
    """Return what the model sees of a comment; None if it has a tag."""
    sentences = read_sentences(text)
    found = [number for it in sentences for number in find_cues(it, is_formal=False)]
    cues = frozenset(name for number in found for name in names_of(CUES[number]))
    if not cues.isdisjoint({"tag", "bare"}):
        return None
    phrases = frozenset((size_of(sentences), *(it for s in sentences for it in phrases_of(s))))
    return Comment(project, is_debt, is_own, cues, phrases, tuple(words_of(sentences)))


class Design:
    """The columns of the regression, for some comments, each once."""

    def __init__(self, comments: Iterable[Comment]) -> None:
        self.comments = list(dict.fromkeys(comments))
        self.cues = _frequent((it.cues for it in self.comments), _MIN_CUES)
        projects = defaultdict[str, set[str]](set)
        for it in self.comments:
            for phrase in it.phrases:
                projects[phrase].add(it.project)
        frequent = _frequent((it.phrases for it in self.comments), _MIN_PHRASES)
        self.phrases = [it for it in frequent if len(projects[it]) >= _MIN_PROJECTS]
        tones = np.array([_tone(it.words) for it in self.comments])
        self.scale = float(tones.std())
        self.rows = np.hstack(
            [
                np.ones((len(self.comments), 1)),
                np.array([[it.is_own] for it in self.comments]),
                _present(self.cues, [it.cues for it in self.comments]),
                tones / self.scale,
                _present(self.phrases, [it.phrases for it in self.comments]),
            ]
        ).astype(np.float32)
        widths = {"cue": len(self.cues), "tone": tones.shape[1], "phrase": len(self.phrases)}
        ridges = [np.full(width, _RIDGES[name]) for name, width in widths.items()]
        self.ridge = np.concatenate([[1e-3, 1e-3], *ridges]).astype(np.float32)
        self.answers = np.array([it.is_debt for it in self.comments], np.float32)
        self.weights = np.array(
            [OWN_WEIGHT if it.is_own else 1 for it in self.comments], np.float32
        )

    def fit(self, chosen: NDArray[np.bool_]) -> Floats:
        """Return the coefficients that fit the chosen comments."""
        rows, answers, weights = self.rows[chosen], self.answers[chosen], self.weights[chosen]

        def slope(x: Floats) -> tuple[float, Floats]:
            log_odds = rows @ x
            expected = 1 / (1 + np.exp(-log_odds))
            loss = weights @ (np.logaddexp(0, log_odds) - answers * log_odds)
            fall = rows.T @ (weights * (expected - answers)) + self.ridge * x
            return float(loss + (self.ridge * x * x).sum() / 2), fall

        return _descend(slope, np.zeros(rows.shape[1], np.float32))

    def leave_one_out(self) -> Floats:
        """Return the log odds of each comment by a model without its project; NaN for our own."""
        found = np.full(len(self.comments), np.nan, np.float32)
        projects = np.array([it.project for it in self.comments])
        for project in sorted({it.project for it in self.comments if not it.is_own}):
            inside = projects == project
            found[inside] = self.rows[inside] @ self.fit(~inside)
        return found

    def learn(self, slope: float, shift: float) -> Learned:
        """Fit all comments and return the calibrated weights."""
        fitted = slope * self.fit(np.ones(len(self.comments), np.bool_))
        first = 2 + len(self.cues)
        last = len(fitted) - len(self.phrases)
        table = word_vectors()
        tones = table.vectors @ (fitted[first:last] / self.scale)
        return Learned(
            intercept=round(float(fitted[0]) + shift, 3),
            cues=_table(self.cues, fitted[2:first], 3, 0),
            phrases=_table(self.phrases, fitted[last:], 2, _MIN_WEIGHT),
            tones={
                word: tone
                for word, tone in _table(table.words, tones, 1, _MIN_TONE).items()
                if word.isalpha()
            },
        )


def calibrate(design: Design, log_odds: Floats) -> tuple[float, float]:
    """Return slope and shift of the log odds that fit how often comments are debt (Platt)."""
    likely = np.nan_to_num(log_odds, nan=-np.inf) > _LIKELY
    inputs = np.column_stack([log_odds[likely], np.ones(int(likely.sum()))]).astype(np.float64)
    solved = np.array([1.0, 0.0])
    for _ in range(30):
        expected = 1 / (1 + np.exp(-inputs @ solved))
        curvature = (inputs * (expected * (1 - expected))[:, None]).T @ inputs
        solved -= np.linalg.solve(curvature, inputs.T @ (expected - design.answers[likely]))
    return float(solved[0]), float(solved[1])


def _descend(slope: Callable[[Floats], tuple[float, Floats]], x: Floats) -> Floats:
    """Minimise a convex function with L-BFGS."""
    steps: list[tuple[Floats, Floats]] = []
    loss, fall = slope(x)
    for _ in range(_ROUNDS):
        way, used = fall.copy(), []
        for moved, turned in reversed(steps):
            used.append((moved @ way) / (turned @ moved))
            way -= used[-1] * turned
        way *= (
            (steps[-1][0] @ steps[-1][1]) / (steps[-1][1] @ steps[-1][1])
            if steps
            else 1 / max(1, np.abs(fall).max())
        )
        for (moved, turned), share in zip(steps, reversed(used), strict=True):
            way += (share - (turned @ way) / (turned @ moved)) * moved
        length = 1.0
        while (tried := slope(x - length * way))[0] > loss - 1e-4 * length * (fall @ way):
            length /= 2
            if length < 1e-6:  # noqa: PLR2004 - as far as float32 can tell
                return x
        steps = [*steps[1 - _MEMORY :], (-length * way, tried[1] - fall)]
        is_done = abs(loss - tried[0]) < _ENOUGH * abs(loss)
        x, (loss, fall) = x - length * way, tried
        if is_done:
            break
    return x


def _tone(words: Sequence[str]) -> Floats:
    table = word_vectors()
    places = [table.places[word] for word in words if word in table.places]
    return np.asarray(table.vectors[places].sum(axis=0) / (len(words) + _FEW), np.float32)


def _frequent(sets: Iterable[frozenset[str]], least: int) -> list[str]:
    counted = Counter(it for members in sets for it in members)
    return sorted(it for it, count in counted.items() if count >= least)


def _present(names: Sequence[str], sets: Sequence[frozenset[str]]) -> Floats:
    places = {name: place for place, name in enumerate(names)}
    found = np.zeros((len(sets), len(names)), np.float32)
    for row, members in enumerate(sets):
        found[row, [places[it] for it in members if it in places]] = 1
    return found


def _table(names: Sequence[str], values: Floats, digits: int, least: float) -> dict[str, float]:
    return {
        name: round(float(value), digits)
        for name, value in zip(names, values, strict=False)
        if abs(value) >= least
    }
