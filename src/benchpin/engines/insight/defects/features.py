"""The features of a file: each is measured, as it is now or as it was at a moment of the past."""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from benchpin.engines.metrics.debt_gradient import Coupling
from benchpin.engines.source.detect import is_generated_file, is_vendored_folder
from benchpin.engines.source.facts import Outline
from benchpin.engines.source.history import History
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.testing import is_test_path

from .labels import fixed_files, is_bug_fix, is_small
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
    "fixed_nearby": "churn",
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
_ABOVE = 5
"""The folder above counts as so many files of a folder."""
_LEAST = 0.001
Values = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What other measures found, by path; None for what was not measured."""

    duplication: Mapping[str, float] | None
    """The share of lines duplicated elsewhere, from 0 to 1; 0 for a file that is not listed."""
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
    fixed: frozenset[str]
    """The files that a bug fix touched in the year before, by newest path."""
    folders: dict[str, tuple[int, int]]
    """For each folder how many files of code are in it, and how many of them were fixed."""

    @property
    def everywhere(self) -> float:
        """The share of all files that were fixed, a little towards even."""
        files, fixed = self.folders.get("", (0, 0))
        return (fixed + 0.5) / (files + 1)

    @property
    def base_rate(self) -> float:
        """The same as log-odds."""
        return _log_odds(self.everywhere)

    def nearby(self, path: str, newest: str) -> float:
        """Return how much likelier than elsewhere the files beside one were fixed, in log-odds.

        The share of a folder, without the file itself, is drawn towards that of the folder above.
        """
        share, is_fixed = self.everywhere, newest in self.fixed
        for folder in _folders(path):
            files, fixed = self.folders.get(folder, (0, 0))
            others = max(0, files - 1)
            share = (max(0, fixed - is_fixed) + _ABOVE * share) / (others + _ABOVE)
        return _log_odds(min(max(share, _LEAST), 1 - _LEAST)) - self.base_rate


@dataclass(frozen=True, slots=True)
class Row:
    """One file and its values."""

    path: str
    values: Values


def as_measured(values: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return values as people count: lines, commits and shares, not their logarithms and roots."""
    return {
        name: None if value is None else _UNDO.get(name, math.expm1)(value)
        for name, value in values.items()
    }


def _same(value: float) -> float:
    return value


_UNDO: Mapping[str, Callable[[float], float]] = {
    "fixed_nearby": _same,
    "duplicated_share": lambda root: root**2,
    "name_quality": _same,
    "test_coverage": _same,
}


def is_judged(file: FileFacts) -> bool:
    """Whether a file can have a defect: code that people wrote, and no test."""
    return not file.outline.is_generated and not is_test_path(file.path)


def is_code(path: str) -> bool:
    """Whether a file counts, by its path alone: with an ending, and neither test nor vendored."""
    *folders, name = path.split("/")
    is_ours = not any(map(is_vendored_folder, folders)) and not is_generated_file(name)
    return is_ours and "." in name and not is_test_path(path)


def past_of(
    history: History, moment: datetime, paths: Iterable[str], moved: Mapping[str, str]
) -> Past:
    """Sum up what happened before a moment to the files that were there.

    `moved` gives the newest paths of those that had others.
    """
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
    activity = {
        path: Activity(commits[path], fixes[path], len(authors[path]))
        for path in filter(_is_measurable, commits)
    }
    touched = fixed_files(history.commits, moment - YEAR, moment)
    fixed = frozenset(filter(_is_measurable, touched))
    return Past(moment, activity, fixed, _count(paths, fixed, moved))


def _is_measurable(path: str) -> bool:
    """Whether a file can be measured, by its name: that must be UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _count(
    paths: Iterable[str], fixed: Collection[str], moved: Mapping[str, str]
) -> dict[str, tuple[int, int]]:
    counts = defaultdict[str, list[int]](lambda: [0, 0])
    for path in filter(is_code, paths):
        is_fixed = moved.get(path, path) in fixed
        for folder in ("", *_folders(path)):
            counts[folder][0] += 1
            counts[folder][1] += is_fixed
    return {folder: (files, hits) for folder, (files, hits) in counts.items()}


def rows_of(
    files: Iterable[FileFacts],
    around: Surroundings,
    past: Past | None,
    moved: Mapping[str, str] | None = None,
) -> list[Row]:
    """Measure files, which need `outline` and `links`; `moved` gives newest paths of older ones."""
    newest = moved or {}
    return [
        Row(
            file.path,
            {
                **_complexity(file.outline),
                **_churn(past, file.path, newest.get(file.path, file.path)),
                **_duplication(around, file.path),
                **_coupling(around, file.path),
                "name_quality": name_quality(file),
            },
        )
        for file in files
    ]


def _log_odds(share: float) -> float:
    return math.log(share / (1 - share))


def _complexity(outline: Outline) -> Values:
    cognitive = outline.cognitive + sum(it.cognitive for it in outline.functions)
    return {"code_lines": math.log1p(outline.code_lines), "cognitive": math.log1p(cognitive)}


def _churn(past: Past | None, path: str, newest: str) -> Values:
    if past is None:
        return dict.fromkeys(_CHURN)
    it = past.activity.get(newest) or Activity()
    return {
        "commits": math.log1p(it.commits),
        "bug_fixes": math.log1p(it.bug_fixes),
        "authors": math.log1p(it.authors),
        "fixed_nearby": past.nearby(path, newest),
    }


_CHURN = tuple(name for name, feature in COLUMNS.items() if feature == "churn")


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
