"""Past years: what files were like at the beginning, and which of them were fixed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchpin.core.calls import Job
from benchpin.facts import May
from benchpin.measures.history import History
from benchpin.workspace.git import Repository

from ._features import YEAR, FeatureRow, activity_before, has_prediction, rows_of
from ._labels import fixed_files
from ._past_trees import PastTree, facts_of, measure_surroundings, tree_at


@dataclass(frozen=True, slots=True)
class Period:
    """A year."""

    since: datetime
    until: datetime
    rows: Sequence[FeatureRow]
    """The files as they were at the beginning."""
    outcomes: Sequence[bool]
    """Whether a bug fix touched each of them."""
    base: float
    """The log-odds of that in the year before."""

    @property
    def fixed(self) -> int:
        """How many files a bug fix touched."""
        return sum(self.outcomes)


def find_trees(
    repository: Repository, head: str | None, now: datetime, years: int, may: May, job: Job
) -> dict[datetime, PastTree]:
    """Return what a commit was one year ago, two years ago and so on, as far as there is any.

    Without a `head`, the commit is the one that is checked out.
    """
    moments = [now - YEAR * back for back in range(1, years + 1)]
    trees = {moment: tree_at(repository, head, moment, may, job) for moment in moments}
    return {moment: tree for moment, tree in trees.items() if tree is not None}


def read_periods(
    repository: Repository,
    trees: Mapping[datetime, PastTree],
    history: History,
    cache_dir: Path,
    job: Job,
) -> list[Period]:
    """Measure the year after each tree, in the same order.

    Raises:
        Cancelled: when the job was cancelled.
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
        Unmeasurable: when a tree is too large.
    """
    periods = []
    for moment, tree in trees.items():
        with facts_of(tree, repository, cache_dir, job) as (files, read):
            around = measure_surroundings(files, read, job)
        moved = history.moved.get(moment, {})
        past = activity_before(history, moment, tree.blobs, moved)
        rows = rows_of(filter(has_prediction, files), around, past, moved)
        fixed = fixed_files(history.commits, moment, moment + YEAR)
        outcomes = [moved.get(row.path, row.path) in fixed for row in rows]
        periods.append(Period(moment, moment + YEAR, rows, outcomes, past.base_rate))
    return periods
