"""Learn the model of a repository from its own history.

A model is learned from the two years before a fixed day. These days are `LEARNED_EVERY` apart, so
that new commits need no new model until the history it learns from has grown by `LEARNED_SHARE`;
and the model depends on the history alone, not on when Benchpin was run.
"""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import TimeLimitExceeded
from benchpin.facts import FileSelection, May
from benchpin.measures.history import History, HistoryReader, read_history
from benchpin.memory import Reduction, key_digest, remember, was_kept
from benchpin.system.processes import has_extra, lacks_extra
from benchpin.workspace.git import GitFailed, Repository, check, history_view
from benchpin.workspace.git_objects import FILE_OPTIONS

from ._features import (
    LOOKBACK,
    YEAR,
    activity_before,
    fixed_files,
    has_prediction,
    rows_of,
)
from ._model import (
    MIN_FIXED_FILES,
    FittedModel,
    Period,
    is_enough,
    own_model,
    shipped_model,
    shipped_weights,
)
from ._past_trees import (
    INCOMPLETE,
    PastTree,
    Unmeasurable,
    UnmeasurableNow,
    facts_of,
    measure_surroundings,
    tree_at,
)


class NotLasting(Exception):
    """What was learned may be learned better another time, so it is not kept."""

    def __init__(self, learned: Any) -> None:
        super().__init__()
        self.learned = learned


class _Verdicts(Protocol):
    @property
    def verdicts(self) -> dict[str, bool]:
        """Whether each file of the past could be read."""


def basis_of(repository: Repository, tree: PastTree) -> bytes:
    """Return a digest of what is learned from: a commit, as this clone shows its history."""
    # Names that are not UTF-8 are escaped in memory, and have no other form in a key.
    names = b"\0".join(it.encode("utf-8", "surrogateescape") for it in tree.blobs)
    return key_digest((tree.commit, tuple(history_view(repository)), names))


def is_as_then(learned: _Verdicts, may: May) -> bool:
    """Whether the same files of the past may be read as when something was learned."""
    return all(may(path) == verdict for path, verdict in learned.verdicts.items())


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


_YEARS = 2
# The history must have grown by this share for a new model.
LEARNED_SHARE = 0.02
LEARNED_EVERY = _YEARS * YEAR * LEARNED_SHARE
_FIRST_DAY = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER = datetime.max.replace(tzinfo=UTC)
NOT_LEARNED = "none was fitted on its own history yet"
_NO_CONTENTS = f"the code of the past: {INCOMPLETE}"


class LearnedModel(msgspec.Struct, frozen=True):
    """A model, and whether it stays true."""

    model: FittedModel
    is_lasting: bool = True
    """Not where git failed or time ran out, which may not happen again."""
    verdicts: dict[str, bool] = {}
    """Whether each file of the past could be read, when this was computed."""


_MODEL = Reduction[LearnedModel]("learned model", LearnedModel)


def learned_model(
    selection: FileSelection,
    repository: Repository,
    head: str,
    now: datetime,
    job: Job,
    *,
    learns: bool = True,
) -> LearnedModel:
    """Return the model of a commit, learned on the last learning day before it or recalled.

    Without `learns`, the one of the package serves where none was learned.

    Raises:
        Cancelled: when the job was cancelled.
    """
    if not learns and not was_kept(selection.session, _MODEL.name, ()):
        return _unlearned()
    try:
        return _learned_model(selection, repository, head, now, job, learns=learns)
    except (GitFailed, TimeLimitExceeded) as error:
        return LearnedModel(shipped_model(shipped_weights(), error.message), is_lasting=False)


def _unlearned() -> LearnedModel:
    return LearnedModel(shipped_model(shipped_weights(), NOT_LEARNED), is_lasting=False)


def _learned_model(
    selection: FileSelection,
    repository: Repository,
    head: str,
    now: datetime,
    job: Job,
    *,
    learns: bool,
) -> LearnedModel:
    verdicts: dict[str, bool] = {}

    def may_then(path: str) -> bool:
        return verdicts.setdefault(path, selection.may_read(path))

    until = learning_day(now)
    there = tree_at(repository, head, until, may_then, job)
    if there is None:
        return LearnedModel(shipped_model(shipped_weights(), _too_little([])))

    def learn() -> LearnedModel:
        if not learns:
            raise NotLasting(_unlearned())
        trees = find_trees(repository, there.commit, until, _YEARS, may_then, job)
        learned = _learn_from(trees, until, selection, repository, there, job)
        # What is still there by then is in the key.
        gone = {path: verdicts[path] for path in sorted(verdicts.keys() - there.blobs.keys())}
        learned = msgspec.structs.replace(learned, verdicts=gone)
        if not learned.is_lasting or job.is_expired:
            raise NotLasting(learned)
        return learned

    try:
        learned = remember(
            selection.session,
            job,
            _MODEL,
            basis_of(repository, there),
            learn,
            is_current=lambda it: is_as_then(it, selection.may_read),
            is_fresh=selection.is_fresh and learns,
        )
    except NotLasting as error:
        learned = error.learned
    return msgspec.structs.replace(learned, verdicts=verdicts | learned.verdicts)


def learning_day(now: datetime) -> datetime:
    """Return the last moment, not after this one, until which a model is learned."""
    return now - (now - _FIRST_DAY) % LEARNED_EVERY


def _learn_from(
    trees: dict[datetime, PastTree],
    until: datetime,
    selection: FileSelection,
    repository: Repository,
    there: PastTree,
    job: Job,
) -> LearnedModel:
    omissions, shipped = job.omissions, shipped_weights()
    since = until - YEAR * len(trees) - LOOKBACK
    history = read_past(
        selection, repository, job, since, moments=list(trees), revision=there.commit
    )
    _, reason = gap_in(history, repository, job.left_out_since(omissions))
    reason = history.problem or reason
    if not reason and not has_extra("measures"):
        reason = f"a model of its own {lacks_extra('measures')}"
    # Where contents are missing, so are renames with edits, until somebody fetches the objects.
    is_lasting = not history.lacks_lines and not history.problem
    if reason:
        return LearnedModel(shipped_model(shipped, reason), is_lasting)
    try:
        periods = read_periods(repository, trees, history, selection.session.cache_dir, job)
        check(job)
        return LearnedModel(_model(repository, periods), is_lasting)
    except TimeLimitExceeded as error:
        reason, is_lasting = error.message, False
    except GitFailed as error:
        # In a partial clone git exits at the first content that it may not fetch.
        reason, is_lasting = _NO_CONTENTS if repository.is_partial else error.message, False
    except Unmeasurable as error:
        reason = f"the code of the past: {error}"
        is_lasting = not isinstance(error, UnmeasurableNow)
    return LearnedModel(shipped_model(shipped, reason), is_lasting)


def read_past(
    selection: FileSelection,
    repository: Repository,
    job: Job,
    since: datetime,
    *,
    moments: Sequence[datetime] = (),
    revision: str | None = None,
) -> History:
    """Read the history of a commit, by default of the one that is checked out; without lines.

    Raises:
        Cancelled: when the job was cancelled.
        GitFailed: when git cannot read the repository.
    """
    session = None if selection.is_fresh else selection.session
    reader = HistoryReader(repository, moments, FILE_OPTIONS, session, revision)
    root = repository.workspace_root
    return read_history(selection.folder, root, job, since=since, needs_files=False, reading=reader)


def gap_in(
    history: History, repository: Repository, left_out: Sequence[str]
) -> tuple[datetime, str]:
    """Return since when a history is complete, and what it lacks before; empty for nothing.

    It lacks what was not read in time, or what a shallow clone does not have.
    """
    if left_out:
        oldest = history.commits[-1].time if history.commits else _NEVER
        return oldest, f"not read of the history: {'; '.join(left_out)}"
    edges = repository.shallow_edges() if history.is_shallow else frozenset()
    newest = max((it.time for it in history.commits if it.id in edges), default=None)
    if newest is None:
        return _NEVER, ""
    return newest, f"the clone is shallow and lacks commits before {newest:%Y-%m-%d}"


def _model(repository: Repository, periods: list[Period]) -> FittedModel:
    """Return the repository's own model if its history is long enough, else the shipped one."""
    shipped = shipped_weights()
    if len(periods) == _YEARS and all(map(is_enough, periods)):
        name = os.fsencode(repository.root.name).decode(errors="replace")
        return own_model(periods, name, shipped)
    last = periods[0] if periods and is_enough(periods[0]) else None
    return shipped_model(shipped, _too_little(periods), last)


def _too_little(periods: list[Period]) -> str:
    if len(periods) < _YEARS:
        return f"{len(periods)} of {_YEARS} years of history are there to learn from"
    counts = " and ".join(f"{period.fixed} of {len(period.rows)}" for period in periods)
    needed = f"{MIN_FIXED_FILES} that were and {MIN_FIXED_FILES} that were not are needed in each"
    return f"{counts} files were fixed in the last two years; {needed}"
