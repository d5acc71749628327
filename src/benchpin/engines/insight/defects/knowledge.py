"""What the history of a workspace says: learnt once for each commit, and kept on disk."""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import msgspec

from benchpin.core import DependencyMissing, Job, PathError, TimeLimitExceeded
from benchpin.engines.source.git import (
    GitFailed,
    NotARepository,
    Repository,
    check,
    find_head,
    find_repository,
    stream,
)
from benchpin.engines.source.history import History, read_history
from benchpin.engines.source.versions import engine_version

from .features import LOOKBACK, YEAR, Past, past_of
from .model import LEAST_MENDED, Model, is_enough, own_model, shipped_model
from .past import Unmeasurable, tree_at
from .periods import Period, Years, find_years, read_periods
from .weights import shipped_weights, weights_digest

May = Callable[[str], bool]
_YEARS = 2
_SHARE_OF_TIME = 0.7
"""How much of the time that is left may go into learning; the rest is for the answer."""
_OWN = "a model of the repository's own history"
_MOST_KEPT = 64
_KEY_CHARS = 32


class Knowledge(msgspec.Struct, frozen=True):
    """What is known of a commit."""

    model: Model
    past: Past | None
    """None without any history."""
    key: str = ""
    """What tells it from what is known of any other commit."""


def know(
    folder: Path,
    workspace_root: Path,
    cache_dir: Path,
    may: May,
    job: Job,
    *,
    is_fresh: bool = False,
) -> Knowledge:
    """Learn from the history of the repository that a folder is in, or recall what was learnt.

    With `is_fresh` it is learnt anew. Where no history can be read, the model says why.

    Raises:
        Cancelled: when the job was.
    """
    try:
        repository = find_repository(folder, workspace_root)
        here = tree_at(repository, None, may, job)
    except TimeLimitExceeded as error:
        job.leave_out(_OWN)
        return _without_history(error.message)
    except (DependencyMissing, GitFailed, NotARepository, PathError) as error:
        return _without_history(error.message)
    if here is None:
        return _without_history("the repository has no commits")
    key = _key(repository, here.commit, here.paths)
    place = cache_dir / "insight" / f"defects-{key}.msgpack"
    known = None if is_fresh else _recall(place)
    if known is not None:
        return known
    with _part_of(job) as part:
        learnt = _learn(repository, folder, here.paths, cache_dir, may, part)
        learnt = msgspec.structs.replace(learnt, key=key)
    if part.is_expired:
        job.leave_out(_OWN)
    else:
        _keep(place, learnt)
    return learnt


def _without_history(reason: str) -> Knowledge:
    shipped = shipped_weights()
    model = Model("shipped", reason, shipped.static, shipped.trained_on, None)
    return Knowledge(model, None, reason)


def _learn(
    repository: Repository,
    folder: Path,
    paths: Sequence[str],
    cache_dir: Path,
    may: May,
    job: Job,
) -> Knowledge:
    try:
        now = newest_moment(repository, job)
        years = find_years(repository, now, _YEARS, may, job)
        since = now - YEAR * len(years.moments) - LOOKBACK
        history = read_history(
            folder, repository.workspace_root, job, since=since, moments=years.moments
        )
    except (GitFailed, TimeLimitExceeded) as error:
        return _without_history(error.message)
    if job.is_expired and not _reaches(history, now - LOOKBACK):
        return _without_history("the history was not read in time")
    model = _model(years, history, cache_dir, job)
    return Knowledge(model, past_of(history, now, paths, {}))


def _reaches(history: History, moment: datetime) -> bool:
    """Whether what was read of a history, from the newest commit on, goes back to a moment."""
    return bool(history.commits) and history.commits[-1].time <= moment


def _model(years: Years, history: History, cache_dir: Path, job: Job) -> Model:
    """Return the best model that there is: the repository's own, if its past tells enough."""
    shipped = shipped_weights()
    if history.is_shallow:
        return shipped_model(shipped, "the clone is shallow, so that its past is not known")
    try:
        periods = read_periods(years, history, cache_dir, job)
        check(job)
    except (GitFailed, TimeLimitExceeded) as error:
        return shipped_model(shipped, error.message)
    except Unmeasurable as error:
        return shipped_model(shipped, f"the code of the past: {error}")
    if len(periods) == _YEARS and all(map(is_enough, periods)):
        return own_model(periods, years.repository.root.name, shipped)
    last = periods[0] if periods and is_enough(periods[0]) else None
    return shipped_model(shipped, _too_little(periods), last)


def _too_little(periods: list[Period]) -> str:
    if len(periods) < _YEARS:
        return f"{len(periods)} of {_YEARS} years of history are there to learn from"
    counts = " and ".join(f"{period.mended} of {len(period.rows)}" for period in periods)
    needed = f"{LEAST_MENDED} that were and {LEAST_MENDED} that were not are needed in each"
    return f"{counts} files were mended in the last two years; {needed}"


def newest_moment(repository: Repository, job: Job) -> datetime:
    """Return the second after the commit that is checked out: the end of history, on any day.

    Raises:
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    head = find_head(repository, job) or ""
    told = b"".join(stream(repository, "log", ("-1", "--format=%ct"), (head,), None, job))
    return datetime.fromtimestamp(int(told) + 1, UTC)


@contextmanager
def _part_of(job: Job) -> Iterator[Job]:
    """Give a job for a part of the work, with a part of the time."""
    left = job.time_left_s()
    part = Job(
        time_limit_s=None if left is None else left * _SHARE_OF_TIME,
        on_progress=lambda it: job.report(it.done, it.total, it.message),
    )
    with job.stopping(part.cancel):
        yield part


def _key(repository: Repository, commit: str, paths: Sequence[str]) -> str:
    told = hashlib.blake2b()
    for part in (_version(), commit, repository.prefix, repository.mount, *paths):
        told.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return told.hexdigest()[:_KEY_CHARS]


@cache
def _version() -> str:
    """Return what tells this engine from others: its own text, its weights, and the facts."""
    told = hashlib.sha256((engine_version() + weights_digest()).encode())
    for place in sorted(Path(__file__).parent.glob("*.py")):
        told.update(place.read_bytes())
    return told.hexdigest()


def _recall(place: Path) -> Knowledge | None:
    try:
        return msgspec.msgpack.decode(place.read_bytes(), type=Knowledge)
    except (OSError, msgspec.MsgspecError):
        return None


def _keep(place: Path, learnt: Knowledge) -> None:
    """Write it down, as far as the disk lets us, and let go of what is oldest."""
    draft = place.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(msgspec.msgpack.encode(learnt))
        draft.replace(place)
        kept = sorted(place.parent.glob("defects-*.msgpack"), key=lambda it: it.stat().st_mtime)
        for old in kept[:-_MOST_KEPT]:
            old.unlink()
