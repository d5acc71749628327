"""The features of a file: each is measured, as it is now or as it was at a moment of the past."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from benchpin.engines.metrics.debt_gradient import Coupling
from benchpin.engines.source.facts import Outline
from benchpin.engines.source.history import Commit, FileChange, History
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
    "functions": "complexity",
    "highest_cyclomatic": "complexity",
    "cognitive": "complexity",
    "commits": "churn",
    "changed_lines": "churn",
    "bug_fixes": "churn",
    "authors": "churn",
    "days_since_change": "churn",
    "duplicated_share": "duplication",
    "depends_on": "coupling",
    "dependents": "coupling",
    "changed_with": "coupling",
    "name_quality": "name_quality",
}
"""What the model weighs, and which feature each is a part of."""
YEAR = timedelta(days=365)
LOOKBACK = 2 * YEAR
"""Older changes say nothing any more."""
HALF_LIFE_DAYS = 180
Values = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What other measures found, by path; None for what was not measured."""

    duplication: Mapping[str, float] | None
    """The share of lines that stand elsewhere too, from 0 to 1; 0 for a file that is not there."""
    coupling: Mapping[str, Coupling] | None


@dataclass(slots=True)
class Activity:
    """What happened to a file in the two years before a moment, the latest counting most."""

    commits: float = 0.0
    changed_lines: float = 0.0
    bug_fixes: float = 0.0
    changed_with: float = 0.0
    authors: set[str] = field(default_factory=set)
    last_days: float = LOOKBACK.days

    def add(self, commit: Commit, change: FileChange, age_days: float) -> None:
        """Count a commit; it weighs half as much with every 180 days of age."""
        weight = 0.5 ** (age_days / HALF_LIFE_DAYS)
        self.commits += weight
        self.changed_lines += weight * ((change.added or 0) + (change.deleted or 0))
        self.bug_fixes += weight * is_bug_fix(commit.subject)
        self.changed_with += weight * (len(commit.files) - 1)
        self.authors.add(commit.author)
        self.last_days = min(self.last_days, age_days)


@dataclass(frozen=True, slots=True)
class Past:
    """The history up to a moment."""

    moment: datetime
    activity: Mapping[str, Activity]
    """By newest path; a file that is not there did not change."""
    mended: Collection[str]
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
    activity: dict[str, Activity] = {}
    start = moment - LOOKBACK
    for commit in history.commits:
        if not start <= commit.time < moment or not is_small(commit):
            continue
        age_days = (moment - commit.time) / timedelta(days=1)
        for change in commit.files:
            activity.setdefault(change.path, Activity()).add(commit, change, age_days)
    return Past(moment, activity, mended_files(history.commits, moment - YEAR, moment))


def rows_of(
    files: Iterable[FileFacts],
    around: Surroundings,
    past: Past | None,
    moved: Mapping[str, str] | None = None,
) -> list[Row]:
    """Measure files, which need `outline` and `links`; `moved` gives newest paths of older ones."""
    names = moved or {}
    return [
        Row(
            file.path,
            {
                **_complexity(file.outline),
                **_churn(past, names.get(file.path, file.path)),
                **_duplication(around, file.path),
                **_coupling(around, past, file.path, names.get(file.path, file.path)),
                "name_quality": name_quality(file),
            },
        )
        for file in files
    ]


def base_rate(rows: Sequence[Row], past: Past, moved: Mapping[str, str]) -> float:
    """Return the log-odds that a file was mended in the year before, a little towards even."""
    count = sum(moved.get(row.path, row.path) in past.mended for row in rows)
    share = (count + 1) / (len(rows) + 2)
    return math.log(share / (1 - share))


def _complexity(outline: Outline) -> Values:
    functions = outline.functions
    return {
        "code_lines": math.log1p(outline.code_lines),
        "functions": math.log1p(len(functions)),
        "highest_cyclomatic": math.log1p(max((it.cyclomatic for it in functions), default=0)),
        "cognitive": math.log1p(outline.cognitive + sum(it.cognitive for it in functions)),
    }


def _churn(past: Past | None, path: str) -> Values:
    if past is None:
        return dict.fromkeys(
            ("commits", "changed_lines", "bug_fixes", "authors", "days_since_change")
        )
    it = past.activity.get(path) or Activity()
    return {
        "commits": math.log1p(it.commits),
        "changed_lines": math.log1p(it.changed_lines),
        "bug_fixes": math.log1p(it.bug_fixes),
        "authors": math.log1p(len(it.authors)),
        "days_since_change": math.log1p(it.last_days),
    }


def _duplication(around: Surroundings, path: str) -> Values:
    known = around.duplication
    return {"duplicated_share": None if known is None else math.sqrt(known.get(path, 0.0))}


def _coupling(around: Surroundings, past: Past | None, path: str, newest: str) -> Values:
    known = None if around.coupling is None else around.coupling.get(path)
    companions = None if past is None else (past.activity.get(newest) or Activity()).changed_with
    return {
        "depends_on": None if known is None else math.log1p(known.depends_on),
        "dependents": None if known is None else math.log1p(known.dependents),
        "changed_with": None if companions is None else math.log1p(companions),
    }
