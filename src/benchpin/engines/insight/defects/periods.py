"""Years of the past: what files were like at the beginning, and which of them were fixed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchpin.core import Job
from benchpin.engines.source.git import Repository
from benchpin.engines.source.history import History

from .features import YEAR, Row, is_judged, past_of, rows_of
from .labels import fixed_files
from .past_trees import PastTree, facts_of, measure_surroundings, tree_at

May = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Period:
    """A year."""

    since: datetime
    until: datetime
    rows: Sequence[Row]
    """The files as they were at the beginning."""
    outcomes: Sequence[bool]
    """Whether a bug fix touched each of them."""
    base: float
    """The log-odds of that in the year before."""

    @property
    def fixed(self) -> int:
        """How many files a bug fix touched."""
        return sum(self.outcomes)


@dataclass(frozen=True, slots=True)
class Years:
    """The trees at the beginning of years, the newest first."""

    repository: Repository
    moments: Sequence[datetime]
    trees: Sequence[PastTree]


def find_years(repository: Repository, now: datetime, count: int, may: May, job: Job) -> Years:
    """Find what was checked out one year ago, two years ago and so on, as far as there is any."""
    moments = [now - YEAR * back for back in range(1, count + 1)]
    trees = [tree_at(repository, moment, may, job) for moment in moments]
    known = [tree for tree in trees if tree is not None]
    return Years(repository, moments[: len(known)], known)


def read_periods(years: Years, history: History, cache_dir: Path, job: Job) -> list[Period]:
    """Measure every year, the newest first.

    Raises:
        Cancelled: when the job was.
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
        Unmeasurable: when a tree of the past is too much.
    """
    return [
        _read_period(years.repository, moment, tree, history, cache_dir, job)
        for moment, tree in zip(years.moments, years.trees, strict=True)
    ]


def _read_period(
    repository: Repository,
    moment: datetime,
    tree: PastTree,
    history: History,
    cache_dir: Path,
    job: Job,
) -> Period:
    with facts_of(tree, repository, cache_dir, job) as (files, read):
        around = measure_surroundings(files, read, job)
    moved = history.moved.get(moment, {})
    past = past_of(history, moment, tree.paths, moved)
    rows = rows_of(filter(is_judged, files), around, past, moved)
    fixed = fixed_files(history.commits, moment, moment + YEAR)
    outcomes = [moved.get(row.path, row.path) in fixed for row in rows]
    return Period(moment, moment + YEAR, rows, outcomes, past.base_rate)
