"""The features of a file: each is measured, as it is now or as it was at a moment in the past."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

import msgspec

from benchpin.facts import FileFacts
from benchpin.measures.churn import MAX_FILES_TOGETHER
from benchpin.measures.debt_gradient import Coupling
from benchpin.measures.history import Commit, History
from benchpin.measures.names import name_quality
from benchpin.workspace.walking import is_foreign_path, is_product_path

_FIXES = re.compile(
    r"""\b(?:
      (?:bug|hot)?fix(?:e[sd]|ing|up)? | bugs? | regressions? | crash(?:e[sd]|ing)?
    | segfaults? | deadlocks? | defects? | overflows? | misbehaviou?rs?
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
_NO_BUG = (
    r"typos?|spelling|grammar|wording|docs?|docblocks?|documentation|docstrings?|readme|changelog"
    r"|comments?|lint(?:er|ing|s)?|whitespaces?|indent(?:ation|ing)?|format(?:ting)?|code\ style"
    r"|style|cs|phpdocs?|links?|licen[cs]es?|copyright|tests|specs|ci|build|warnings?|imports?"
    r"|flak[ey]y?|eslint|rubocop|clippy|flake8|ruff|mypy|phpstan|offen[cs]es?|release\ notes"
)
_FIXES_NO_BUG = re.compile(
    rf"""
      \btypos?\b
    | ^\W*(?:docs?|style|tests?|ci|chore|build|refactor|release|lint|changelog|readme)\b[^:\s]*:
    | \bfix(?:e[sd]|ing)?(?:\s+(?:an?|the|some|more|all|minor|small|broken|failing))*
      \s+(?:(?:{_NO_BUG})\b(?!/)|(?:test|spec)(?:\W*$|\s+(?:fail|case|suite|on|in|for)))
    | \bfixes\s+from\b | \bfix\((?:docs?|tests?|ci|lint|changelog|readme)\)
    | ^(?:revert|merge|bump|release)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_bug_fix(subject: str) -> bool:
    """Whether a commit fixed a bug, by its subject; typos, tests and warnings are no bugs."""
    return _FIXES.search(subject) is not None and _FIXES_NO_BUG.search(subject) is None


def is_small(commit: Commit) -> bool:
    """Whether a commit is evidence about each of its files; one of hundreds of files is not."""
    return len(commit.files) <= MAX_FILES_TOGETHER


def fixed_files(commits: Iterable[Commit], since: datetime, until: datetime) -> frozenset[str]:
    """Return the files that a bug fix touched in a period, by their newest paths."""
    return frozenset(
        file.path
        for commit in commits
        if since <= commit.time < until and is_small(commit) and is_bug_fix(commit.subject)
        for file in commit.files
    )


FeatureName = Literal[
    "complexity", "churn", "duplication", "coupling", "name_quality", "test_coverage"
]
FEATURES: tuple[FeatureName, ...] = get_args(FeatureName)
# What is measured, and which feature each is a part of; the model weighs only some of it.
COLUMNS: Mapping[str, FeatureName] = {
    "code_lines": "complexity",
    "cognitive": "complexity",
    "commits": "churn",
    "bug_fixes": "churn",
    "duplicated_share": "duplication",
    "depends_on": "coupling",
    "dependents": "coupling",
    "name_quality": "name_quality",
}
YEAR = timedelta(days=365)
# Older changes predict nothing.
LOOKBACK = 2 * YEAR
# The period of the base rate: what a whole year says of the next one is out of date.
LATELY = YEAR / 2
HALF_LIFE_DAYS = 180
Values = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What other measures found, by path; None for what was not measured."""

    duplication: Mapping[str, float] | None
    """The share of lines duplicated elsewhere, from 0 to 1; 0 for a file that is not listed."""
    coupling: Mapping[str, Coupling] | None


class FileActivity(msgspec.Struct, frozen=True, gc=False):
    """What happened to a file in the two years before a moment.

    A commit weighs half as much with every 180 days of age.
    """

    commits: float = 0.0
    bug_fixes: float = 0.0


class PastActivity(msgspec.Struct, frozen=True):
    """What happened to the files of a repository before a moment."""

    moment: datetime
    activity: dict[str, FileActivity]
    """By newest path; a file that is not there did not change."""
    files: int
    """How many files of code there were."""
    fixed_lately: int
    """How many of them a bug fix touched in the last half-year."""

    @property
    def base_rate(self) -> float:
        """The log-odds that a file was fixed then, the share drawn slightly towards a half."""
        return log_odds((self.fixed_lately + 0.5) / (self.files + 1))


@dataclass(frozen=True, slots=True)
class FeatureRow:
    """One file and its values, by column; None where one is unknown."""

    path: str
    values: Values


def log_odds(probability: float) -> float:
    return math.log(probability / (1 - probability))


def as_measured(values: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return values as people count: lines, commits and shares, not their logarithms and roots."""
    return {
        name: None if value is None else _UNDO.get(name, math.expm1)(value)
        for name, value in values.items()
    }


# How to get from a value back to what was measured; the other columns are logarithms.
_UNDO: Mapping[str, Callable[[float], float]] = {
    "duplicated_share": lambda root: root**2,
    "name_quality": float,
    "test_coverage": float,
}


def has_prediction(file: FileFacts) -> bool:
    """Whether a defect is predicted for a file: not for tests, samples and generated code."""
    return not file.outline.is_generated and is_product_path(file.path)


def is_code(path: str) -> bool:
    """Whether a file counts, by its path: with an ending; no test, no sample, not vendored."""
    is_named = "." in path.rpartition("/")[2]
    return is_named and not is_foreign_path(path) and is_product_path(path)


def activity_before(
    history: History,
    moment: datetime,
    paths: Collection[str],
    moved: Mapping[str, str],
    complete_since: datetime | None = None,
) -> PastActivity:
    """Return what happened before a moment to the files that existed then.

    `moved` gives the newest paths of those that had others. Where commits are missing before
    `complete_since`, the weights of the others are scaled up as if they went on like that.
    """
    commits, fixes = defaultdict[str, float](float), defaultdict[str, float](float)
    start = moment - LOOKBACK
    known = LOOKBACK if complete_since is None else moment - max(start, complete_since)
    scale = _weight_within(LOOKBACK) / _weight_within(known)
    for commit in history.commits:
        if not start <= commit.time < moment or not is_small(commit):
            continue
        weight = scale * _weight(moment - commit.time)
        is_fix = is_bug_fix(commit.subject)
        for change in commit.files:
            commits[change.path] += weight
            fixes[change.path] += weight * is_fix
    activity = {
        path: FileActivity(commits[path], fixes[path]) for path in filter(_is_utf8, commits)
    }
    lately = fixed_files(history.commits, moment - LATELY, moment)
    code = [moved.get(path, path) for path in paths if is_code(path)]
    return PastActivity(moment, activity, len(code), sum(path in lately for path in code))


def _weight(age: timedelta) -> float:
    """Return how much a commit of an age counts."""
    return math.pow(0.5, age / timedelta(days=HALF_LIFE_DAYS))


def _weight_within(age: timedelta) -> float:
    """Return the share of the weight of a steady stream of commits that is not older than this."""
    return 1 - _weight(age)


def _is_utf8(path: str) -> bool:
    """Whether a file can be measured, by its name."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def rows_of(
    files: Iterable[FileFacts],
    around: Surroundings,
    past: PastActivity | None,
    moved: Mapping[str, str] | None = None,
    qualities: Mapping[str, float | None] | None = None,
) -> list[FeatureRow]:
    """Measure files, which need `outline`; `moved` gives newest paths of older ones.

    Without the `qualities` of the names in each file, by path, they need `links` too.
    """
    newest = moved or {}
    chosen = list(files)
    known = {it.path: name_quality(it) for it in chosen} if qualities is None else qualities
    return [
        FeatureRow(
            file.path,
            _values(file, around, past, newest.get(file.path, file.path), known.get(file.path)),
        )
        for file in chosen
    ]


def _values(
    file: FileFacts,
    around: Surroundings,
    past: PastActivity | None,
    newest: str,
    quality: float | None,
) -> Values:
    path, outline = file.path, file.outline
    coupling = None if around.coupling is None else around.coupling.get(path)
    values: Values = dict.fromkeys(COLUMNS)
    values["code_lines"] = math.log1p(outline.code_lines)
    values["cognitive"] = math.log1p(
        outline.cognitive + sum(it.cognitive for it in outline.functions)
    )
    if past is not None:
        activity = past.activity.get(newest) or FileActivity()
        values["commits"] = math.log1p(activity.commits)
        values["bug_fixes"] = math.log1p(activity.bug_fixes)
    if around.duplication is not None:
        values["duplicated_share"] = math.sqrt(around.duplication.get(path, 0.0))
    if coupling is not None:
        values["depends_on"] = math.log1p(coupling.depends_on)
        values["dependents"] = math.log1p(coupling.dependents)
    values["name_quality"] = quality
    return values
