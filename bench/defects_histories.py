"""Years of public histories, gathered once and kept: what files were like, and what happened.

Also the formula of the original tool, on the same files.
"""

import bisect
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from benchpin.core.calls import Job
from benchpin.facts import FileFacts
from benchpin.measures.churn import measure_churn
from benchpin.measures.history import History, read_history
from benchpin.project.defects import LOOKBACK, PastTree, Surroundings, facts_of, newest_moment
from benchpin.project.defects._features import (
    YEAR,
    activity_before,
    fixed_files,
    has_prediction,
    rows_of,
)
from benchpin.project.defects._learning import find_trees
from benchpin.project.defects._model import Period
from benchpin.project.defects._past_trees import measure_surroundings
from benchpin.workspace.git import Repository, find_repository

YEARS = 4
Curve = Sequence[tuple[float, float]]
_CHURN: Curve = (
    (0, 0),
    (0.1, 0.05),
    (0.2, 0.15),
    (0.3, 0.3),
    (0.4, 0.5),
    (0.5, 0.7),
    (0.6, 0.85),
    (0.7, 0.93),
    (0.8, 0.97),
    (1, 1),
)
_COMPLEXITY: Curve = (
    (1, 0.1),
    (2, 0.2),
    (3, 0.3),
    (5, 0.5),
    (7, 0.7),
    (10, 0.8),
    (15, 0.9),
    (20, 0.95),
    (30, 0.98),
    (50, 1),
)
_AFFERENT: Curve = (
    (0, 0.1),
    (1, 0.3),
    (2, 0.5),
    (3, 0.7),
    (5, 0.8),
    (8, 0.9),
    (12, 0.95),
    (20, 1),
)


class Year(msgspec.Struct):
    """A year of one history."""

    period: Period
    original: list[float]
    """What the formula of the original says of each file."""


def gather(repository: Path, kept: Path, cache: Path) -> list[Year]:
    """Return the last years of a history, the newest first."""
    place = kept / f"{repository.name}.json"
    if place.exists():
        return msgspec.json.decode(place.read_bytes(), type=list[Year])
    job, root = Job(), repository.resolve()
    found = find_repository(root, root)
    now = newest_moment(found, job)
    trees = find_trees(found, None, now, YEARS, lambda _path: True, job)
    since = now - YEAR * YEARS - LOOKBACK
    history = read_history(root, root, job, since=since, moments=list(trees))
    gathered = [_year(found, moment, tree, history, cache) for moment, tree in trees.items()]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(msgspec.json.encode(gathered))
    return gathered


def _year(
    repository: Repository, moment: datetime, tree: PastTree, history: History, cache: Path
) -> Year:
    job = Job()
    with facts_of(tree, repository, cache, job) as (files, read):
        around = measure_surroundings(files, read, job)
    moved = history.moved[moment]
    judged = [file for file in files if has_prediction(file)]
    past = activity_before(history, moment, tree.blobs, moved)
    rows = rows_of(judged, around, past, moved)
    paths = [moved.get(row.path, row.path) for row in rows]
    fixed = fixed_files(history.commits, moment, moment + YEAR)
    outcomes = [path in fixed for path in paths]
    period = Period(moment, moment + YEAR, rows, outcomes, past.base_rate)
    scores = churn_scores(history, moment)
    original = [
        original_formula(file, around, scores.get(path, 0.0))
        for file, path in zip(judged, paths, strict=True)
    ]
    return Year(period, original)


def churn_scores(history: History, moment: datetime) -> dict[str, float]:
    """Return the churn score, from 0 to 1, of the files that changed in the year before."""
    before = tuple(it for it in history.commits if moment - YEAR <= it.time < moment)
    every = frozenset(file.path for commit in before for file in commit.files)
    report = measure_churn(History(before, every), moment)
    return {file.path: file.churn_score for file in report.files}


def original_formula(file: FileFacts, around: Surroundings, churn: float) -> float:
    """Return the probability that the original would give, all four inputs really measured."""
    highest = max((it.cyclomatic for it in file.outline.functions), default=1)
    coupling = (around.coupling or {}).get(file.path)
    raw = (
        0.35 * _at(_CHURN, churn)
        + 0.30 * _at(_COMPLEXITY, highest)
        + 0.25 * (around.duplication or {}).get(file.path, 0.0)
        + 0.10 * _at(_AFFERENT, 0 if coupling is None else coupling.dependents)
    )
    return 1 / (1 + math.exp(-10 * (raw - 0.5)))


def _at(curve: Curve, value: float) -> float:
    """Return the height of a curve, straight between its points."""
    place = bisect.bisect_right([it for it, _ in curve], value)
    if place == 0:
        return curve[0][1]
    if place == len(curve):
        return curve[-1][1]
    (left, low), (right, high) = curve[place - 1], curve[place]
    return low + (high - low) * (value - left) / (right - left)


Histories = Mapping[str, Sequence[Period]]
