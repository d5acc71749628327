"""What the history of a repository teaches: computed once for each commit, cached on disk."""

import hashlib
import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import msgspec

from benchpin.core import DependencyMissing, Job, PathError, TimeLimitExceeded
from benchpin.core.extras import has_extra, installed_extras, lacks_extra
from benchpin.engines.files.writing import write_cache
from benchpin.engines.source.git import (
    GitFailed,
    NotARepository,
    Repository,
    check,
    find_head,
    find_repository,
    stream,
)
from benchpin.engines.source.history import LAST_SECOND, History, read_history
from benchpin.engines.source.history_view import history_view
from benchpin.engines.source.index import May
from benchpin.engines.source.selection import FileSelection
from benchpin.engines.source.versions import engine_version

from .features import LATELY, LOOKBACK, YEAR, PastActivity, activity_before
from .fitted_model import LEAST_FIXED, FittedModel, is_enough, own_model, shipped_model
from .past_trees import INCOMPLETE, PastTree, Unmeasurable, UnmeasurableNow, tree_at
from .periods import Period, find_trees, read_periods
from .weights import shipped_weights, weights_digest

_YEARS = 2
_SHARE_OF_TIME = 0.7
"""The share of the time left that may go into learning; the rest is for the answer."""
_MOST_CACHED = 64
_KEY_CHARS = 32
_NO_CONTENTS = f"the code of the past: {INCOMPLETE}"
_OWN = "a model of the repository's own history"


class Knowledge(msgspec.Struct, frozen=True):
    """The model of a commit, and the activity before it."""

    model: FittedModel
    past: PastActivity | None
    """None where too little history is known to count how often files change and are fixed."""
    key: str = ""
    """A digest of all of this."""
    is_lasting: bool = True
    """Whether it stays true for the commit: not where git failed, which may not happen again."""
    verdicts: dict[str, bool] = {}
    """Whether each file that is gone could be read, when this was computed."""


def know(selection: FileSelection) -> Knowledge:
    """Learn from the history of the repository of the selected files, or read it from disk.

    A fresh selection learns again. Where no history can be read, the model says why.

    Raises:
        Cancelled: when the job was cancelled.
    """
    session, job, may = selection.session, selection.job, selection.may_read
    try:
        repository = find_repository(selection.folder, session.root, session.git_folders)
        here = _tree_now(selection, repository)
    except TimeLimitExceeded as error:
        job.leave_out(_OWN)
        return _without_history(error.message)
    except (DependencyMissing, GitFailed, NotARepository, PathError) as error:
        return _without_history(error.message)
    if here is None:
        return _without_history("the repository has no commits")
    place = _cache_file(repository, here, session.cache_dir)
    known = None if selection.is_fresh else _recall(place, may)
    if known is not None:
        return known
    # Concurrent calls learn once: those that waited find what the first one stored.
    with job.part(_SHARE_OF_TIME) as part, session.exclusive(part, place) as is_mine:
        known = _recall(place, may) if is_mine and not selection.is_fresh else None
        if known is not None:
            return known
        knowledge = _learn(selection, repository, here, part)
        packed = msgspec.msgpack.encode(knowledge, order="deterministic")
        key = hashlib.blake2b(packed).hexdigest()[:_KEY_CHARS]
        knowledge = msgspec.structs.replace(knowledge, key=key)
        if part.is_expired:
            job.leave_out(_OWN)
        elif knowledge.is_lasting:
            _keep(place, knowledge)
    return knowledge


def knowledge_source(selection: FileSelection) -> str:
    """Return what `know` learns from, as a digest, or why there is nothing; nothing is learned yet.

    Raises:
        Cancelled: when the job was cancelled.
        TimeLimitExceeded: when the job's time is up.
    """
    session = selection.session
    try:
        repository = find_repository(selection.folder, session.root, session.git_folders)
        here = _tree_now(selection, repository)
    except (DependencyMissing, GitFailed, NotARepository, PathError) as error:
        return error.message
    return "" if here is None else _cache_file(repository, here, session.cache_dir).name


def _tree_now(selection: FileSelection, repository: Repository) -> PastTree | None:
    """Return what is checked out; listed once for each commit, as that takes a while."""
    it = selection
    key = (repository, find_head(repository, it.job), it.permissions)
    return it.session.remember(
        it.job,
        "tree",
        key,
        lambda: tree_at(repository, None, it.may_read, it.job),
        room=1,
        is_fresh=it.is_fresh,
    )


def _without_history(reason: str, *, is_lasting: bool = True) -> Knowledge:
    shipped = shipped_weights()
    model = FittedModel("shipped", reason, shipped.static, shipped.trained_on, None)
    return Knowledge(model, None, reason, is_lasting)


def _learn(selection: FileSelection, repository: Repository, here: PastTree, job: Job) -> Knowledge:
    verdicts: dict[str, bool] = {}

    def may_then(path: str) -> bool:
        return verdicts.setdefault(path, selection.may_read(path))

    try:
        now = newest_moment(repository, job)
        trees = find_trees(repository, now, _YEARS, may_then, job)
        learned = _learn_from(trees, now, selection, repository, here, job)
    except (GitFailed, TimeLimitExceeded) as error:
        return _without_history(error.message, is_lasting=False)
    gone = {path: verdicts[path] for path in sorted(verdicts.keys() - here.blobs.keys())}
    return msgspec.structs.replace(learned, verdicts=gone)


def _learn_from(
    trees: dict[datetime, PastTree],
    now: datetime,
    selection: FileSelection,
    repository: Repository,
    here: PastTree,
    job: Job,
) -> Knowledge:
    omissions, shipped = job.omissions, shipped_weights()
    history = read_history(
        selection.folder,
        repository.workspace_root,
        job,
        since=now - YEAR * len(trees) - LOOKBACK,
        moments=list(trees),
        needs_files=False,
        git_folders=selection.session.git_folders,
    )
    if history.problem:
        return _without_history(history.problem, is_lasting=False)
    left_out = job.left_out_since(omissions)
    past, reason = _past(history, repository, now, here.blobs, left_out, is_older=bool(trees))
    if past is None:
        return _without_history(reason)
    if not reason and not has_extra("measures"):
        reason = f"a model of its own {lacks_extra('measures')}"
    if reason:
        model = shipped_model(shipped, reason)
        return Knowledge(model, past, is_lasting=not history.lacks_lines)
    try:
        periods = read_periods(repository, trees, history, selection.session.cache_dir, job)
        check(job)
        # Where lines are missing, so are renames with edits, until somebody fetches the objects.
        return Knowledge(_model(repository, periods), past, is_lasting=not history.lacks_lines)
    except TimeLimitExceeded as error:
        reason, is_lasting = error.message, False
    except GitFailed as error:
        # In a partial clone git exits at the first content that it may not fetch.
        reason, is_lasting = _NO_CONTENTS if history.lacks_lines else error.message, False
    except Unmeasurable as error:
        reason = f"the code of the past: {error}"
        is_lasting = not isinstance(error, UnmeasurableNow)
    return Knowledge(shipped_model(shipped, reason), past, is_lasting=is_lasting)


def _past(
    history: History,
    repository: Repository,
    now: datetime,
    paths: Collection[str],
    left_out: Sequence[str],
    *,
    is_older: bool,
) -> tuple[PastActivity | None, str]:
    """Return what happened before a moment, and what the history lacks; None if it lacks too much.

    `is_older` is whether there are commits before those that were read.
    """
    complete_since, reason = _gap(history, repository, left_out)
    if reason and complete_since > now - LATELY:
        return None, reason
    if not is_older and min((it.time for it in history.commits), default=now) > now - LATELY:
        return None, "the history is shorter than half a year"
    since = complete_since if reason else None
    return activity_before(history, now, paths, {}, complete_since=since), reason


def shared_knowledge(
    history: History,
    repository: Repository,
    paths: Collection[str],
    left_out: Sequence[str],
    job: Job,
) -> Knowledge:
    """Return the model of the package with the activity of two years; nothing is learned.

    So the files of several repositories are judged by the same weights.

    Raises:
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    now = newest_moment(repository, job)
    is_older = _has_commit_before(repository, now - LOOKBACK, job)
    past, reason = _past(history, repository, now, paths, left_out, is_older=is_older)
    if past is None:
        return _without_history(reason)
    return Knowledge(shipped_model(shipped_weights(), reason), past)


def _has_commit_before(repository: Repository, moment: datetime, job: Job) -> bool:
    head = find_head(repository, job) or ""
    options = ("-1", "--format=%H", f"--min-age={int(moment.timestamp())}")
    return any(stream(repository, "log", options, (head,), None, job))


def _gap(history: History, repository: Repository, left_out: Sequence[str]) -> tuple[datetime, str]:
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


_NEVER = datetime.max.replace(tzinfo=UTC)


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
    needed = f"{LEAST_FIXED} that were and {LEAST_FIXED} that were not are needed in each"
    return f"{counts} files were fixed in the last two years; {needed}"


def newest_moment(repository: Repository, job: Job) -> datetime:
    """Return the second after the commit that is checked out: the end of history, on any day.

    Raises:
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    head = find_head(repository, job) or ""
    seconds = b"".join(stream(repository, "log", ("-1", "--format=%ct"), (head,), None, job))
    return datetime.fromtimestamp(min(int(seconds), LAST_SECOND - 1) + 1, UTC)


def _cache_file(repository: Repository, here: PastTree, cache_dir: Path) -> Path:
    """Return where the knowledge of a commit is cached, as this clone shows its history."""
    digest = hashlib.blake2b()
    version = _version().encode()
    names = map(_encoded, (here.commit, *here.blobs))
    for part in (version, *history_view(repository), *names):
        digest.update(part + b"\0")
    return cache_dir / "insight" / f"defects-{digest.hexdigest()[:_KEY_CHARS]}.msgpack"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@cache
def _version() -> str:
    """Return the version of this engine: a digest of its source, weights, facts and extras."""
    extras = " ".join(installed_extras())
    digest = hashlib.sha256((engine_version() + weights_digest() + extras).encode())
    here = Path(__file__).parent
    metrics = here.parent.parent / "metrics"
    for place in (*sorted(here.glob("*.py")), *sorted(metrics.rglob("*.py"))):
        digest.update(place.read_bytes())
    return digest.hexdigest()


def _recall(place: Path, may: May) -> Knowledge | None:
    """Read a cache file; None when it is missing, damaged or made with other permissions."""
    try:
        known = msgspec.msgpack.decode(place.read_bytes(), type=Knowledge)
    except (OSError, msgspec.MsgspecError):
        return None
    is_same = all(may(path) == verdict for path, verdict in known.verdicts.items())
    return known if is_same else None


def _keep(place: Path, known: Knowledge) -> None:
    """Write a cache file where the disk allows it, and delete the oldest ones."""
    if not write_cache(place, msgspec.msgpack.encode(known)):
        return
    with suppress(OSError):
        kept = sorted(place.parent.glob("defects-*.msgpack"), key=lambda it: it.stat().st_mtime)
        for old in kept[:-_MOST_CACHED]:
            old.unlink()
