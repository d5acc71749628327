"""The features of a file: each is measured, as it is now or as it was at a moment of the past."""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from benchpin.engines.metrics.debt_gradient import Coupling
from benchpin.engines.source.facts import Outline
from benchpin.engines.source.history import History
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.testing import is_test_path

from .labels import is_bug_fix, is_small, mended_files
from .naming import name_quality

FeatureName = Literal[
    "complexity", "churn", "duplication", "coupling", "name_quality", "test_coverage"
]
FEATURES: tuple[FeatureName, ...] = (
    "complexity",
    "churn",
    "duplication",
    "coupling",
    "name_quality",
    "test_coverage",
)
COLUMNS: Mapping[str, FeatureName] = {
    "code_lines": "complexity",
    "cognitive": "complexity",
    "commits": "churn",
    "bug_fixes": "churn",
    "authors": "churn",
    "mended_nearby": "churn",
    "duplicated_share": "duplication",
    "depends_on": "coupling",
    "dependents": "coupling",
    "name_quality": "name_quality",
}
"""What the model weighs, and which feature each is a part of."""
YEAR = timedelta(days=365)
LOOKBACK = 2 * YEAR
"""Older changes say nothing any more."""
HALF_LIFE_DAYS = 180
_NEARBY_WEIGHT = 5
"""The folder above counts as so many files of a folder."""
Values = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What other measures found, by path; None for what was not measured."""

    duplication: Mapping[str, float] | None
    """The share of lines that stand elsewhere too, from 0 to 1; 0 for a file that is not there."""
    coupling: Mapping[str, Coupling] | None


class Activity(msgspec.Struct, frozen=True, gc=False):
    """What happened to a file in the two years before a moment.

    A commit weighs half as much with every 180 days of age.
    """

    commits: float = 0.0
    bug_fixes: float = 0.0
    authors: int = 0


class Past(msgspec.Struct, frozen=True):
    """The history up to a moment."""

    moment: datetime
    activity: dict[str, Activity]
    """By newest path; a file that is not there did not change."""
    mended: frozenset[str]
    """The files that a bug fix touched in the year before."""


@dataclass(frozen=True, slots=True)
class Row:
    """One file and its values."""

    path: str
    values: Values


def is_judged(file: FileFacts) -> bool:
    """Whether a file can have a defect: code that people wrote, and no test."""
    return not file.outline.is_generated and not is_test_path(file.path)


def past_of(history: History, moment: datetime) -> Past:
    """Sum up what happened before a moment."""
    commits, fixes = defaultdict[str, float](float), defaultdict[str, float](float)
    authors = defaultdict[str, set[str]](set)
    start = moment - LOOKBACK
    for commit in history.commits:
        if not start <= commit.time < moment or not is_small(commit):
            continue
        age_days = (moment - commit.time) / timedelta(days=1)
        weight = 0.5 ** (age_days / HALF_LIFE_DAYS)
        is_fix = is_bug_fix(commit.subject)
        for change in commit.files:
            commits[change.path] += weight
            fixes[change.path] += weight * is_fix
            authors[change.path].add(commit.author)
    activity = {path: Activity(commits[path], fixes[path], len(authors[path])) for path in commits}
    return Past(moment, activity, mended_files(history.commits, moment - YEAR, moment))


def rows_of(
    files: Sequence[FileFacts],
    around: Surroundings,
    past: Past | None,
    moved: Mapping[str, str] | None = None,
) -> list[Row]:
    """Measure files, which need `outline` and `links`; `moved` gives newest paths of older ones."""
    names = {file.path: (moved or {}).get(file.path, file.path) for file in files}
    churn = None if past is None else _churn(names, past)
    return [
        Row(
            file.path,
            {
                **_complexity(file.outline),
                **(dict.fromkeys(_CHURN) if churn is None else churn[file.path]),
                **_duplication(around, file.path),
                **_coupling(around, file.path),
                "name_quality": name_quality(file),
            },
        )
        for file in files
    ]


_CHURN = tuple(name for name, feature in COLUMNS.items() if feature == "churn")


def base_rate(paths: Collection[str], past: Past) -> float:
    """Return the log-odds that a file was mended in the year before, a little towards even."""
    return _log_odds((sum(it in past.mended for it in paths) + 1) / (len(paths) + 2))


def _log_odds(share: float) -> float:
    return math.log(share / (1 - share))


def _complexity(outline: Outline) -> Values:
    cognitive = outline.cognitive + sum(it.cognitive for it in outline.functions)
    return {"code_lines": math.log1p(outline.code_lines), "cognitive": math.log1p(cognitive)}


def _churn(names: Mapping[str, str], past: Past) -> dict[str, Values]:
    """Return what history says of each file, by its path at the moment."""
    nearby = _mended_nearby({path: newest in past.mended for path, newest in names.items()})
    values: dict[str, Values] = {}
    for path, newest in names.items():
        it = past.activity.get(newest) or Activity()
        values[path] = {
            "commits": math.log1p(it.commits),
            "bug_fixes": math.log1p(it.bug_fixes),
            "authors": math.log1p(it.authors),
            "mended_nearby": nearby[path],
        }
    return values


def _mended_nearby(mended: Mapping[str, bool]) -> dict[str, float]:
    """Return how much likelier than elsewhere files beside each were mended, in log-odds.

    The share of a folder, without the file itself, is drawn towards that of the folder above.
    """
    counts = defaultdict[str, list[int]](lambda: [0, 0])
    for path, is_mended in mended.items():
        for folder in _folders(path):
            counts[folder][0] += 1
            counts[folder][1] += is_mended
    everywhere = (sum(mended.values()) + 0.5) / (len(mended) + 1)
    found: dict[str, float] = {}
    for path, is_mended in mended.items():
        share = everywhere
        for folder in _folders(path):
            files, hits = counts[folder]
            share = (hits - is_mended + _NEARBY_WEIGHT * share) / (files - 1 + _NEARBY_WEIGHT)
        found[path] = _log_odds(min(max(share, _LEAST), 1 - _LEAST)) - _log_odds(everywhere)
    return found


_LEAST = 0.001


def _folders(path: str) -> list[str]:
    """Return the folders of a file, the outermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def _duplication(around: Surroundings, path: str) -> Values:
    known = around.duplication
    return {"duplicated_share": None if known is None else math.sqrt(known.get(path, 0.0))}


def _coupling(around: Surroundings, path: str) -> Values:
    known = None if around.coupling is None else around.coupling.get(path)
    return {
        "depends_on": None if known is None else math.log1p(known.depends_on),
        "dependents": None if known is None else math.log1p(known.dependents),
    }
