"""What the history of a repository says of its files: read once for each commit, kept on disk."""

import hashlib
from collections.abc import Collection, Sequence
from datetime import UTC, datetime

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import DependencyMissing, PathError, TimeLimitExceeded
from benchpin.facts import FileSelection
from benchpin.measures.history import LAST_SECOND, History, HistoryReader, read_history
from benchpin.memory import Reduction, key_digest, remember
from benchpin.workspace.git import (
    GET_OBJECTS,
    GitFailed,
    NotARepository,
    Repository,
    find_head,
    find_repository,
    history_view,
    stream,
)
from benchpin.workspace.git_objects import FILE_OPTIONS

from ._features import LATELY, LOOKBACK, PastActivity, activity_before
from ._model import FittedModel, shipped_weights
from ._past_trees import PastTree, tree_at

# The share of the time left that may go into reading; the rest is for the answer.
_SHARE_OF_TIME = 0.7
_KEY_CHARS = 32
_HISTORY = "how often each file changed"
_NEVER = datetime.max.replace(tzinfo=UTC)


class Knowledge(msgspec.Struct, frozen=True):
    """The model that serves at a commit, and the activity before it."""

    model: FittedModel
    past: PastActivity | None
    """None where too little history is known to count how often files change."""
    key: str = ""
    """A digest of all of this."""


class Activity(msgspec.Struct, frozen=True):
    """What happened in the two years before a commit, and what is not known of them."""

    past: PastActivity | None
    reason: str = ""
    """What the history lacks; empty for nothing."""
    objects: bytes = b""
    """Where contents were missing, what the clone had: more may be there another time."""


_ACTIVITY = Reduction[Activity]("activity", Activity, is_part=True)


def know(selection: FileSelection) -> Knowledge:
    """Read the history of the repository of the selected files, or recall what was read.

    Where no history can be read, the model says why.

    Raises:
        Cancelled: when the job was cancelled.
    """
    session, job = selection.session, selection.job
    with job.part(_SHARE_OF_TIME) as part:
        try:
            repository = find_repository(selection.folder, session.root, session.git_folders)
            here = _tree_now(selection, repository)
            if here is None:
                return without_history("the repository has no commits")
            recent = _activity(selection, repository, here, part)
        except TimeLimitExceeded as error:
            job.leave_out(_HISTORY)
            return without_history(error.message)
        except (DependencyMissing, GitFailed, NotARepository, PathError) as error:
            return without_history(error.message)
        if part.is_expired:
            job.leave_out(_HISTORY)
    return _known(recent.past, recent.reason)


def _known(past: PastActivity | None, reason: str) -> Knowledge:
    shipped = shipped_weights()
    weights = shipped.static if past is None else shipped.history
    known = Knowledge(FittedModel(weights, reason), past)
    packed = msgspec.msgpack.encode(known, order="deterministic")
    return msgspec.structs.replace(known, key=hashlib.blake2b(packed).hexdigest()[:_KEY_CHARS])


def without_history(reason: str) -> Knowledge:
    """Return the model for code alone, and why there is nothing else."""
    return _known(None, reason)


def knowledge_source(selection: FileSelection) -> str:
    """Return what `know` reads, as a digest, or why there is nothing; nothing is read yet.

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
    return "" if here is None else _basis_of(repository, here).hex()


def _basis_of(repository: Repository, tree: PastTree) -> bytes:
    """Return a digest of what is read: a commit, as this clone shows its history."""
    # Names that are not UTF-8 are escaped in memory, and have no other form in a key.
    names = b"\0".join(it.encode("utf-8", "surrogateescape") for it in tree.blobs)
    return key_digest((tree.commit, tuple(history_view(repository)), names))


def _tree_now(selection: FileSelection, repository: Repository) -> PastTree | None:
    """Return what is checked out; listed once for each commit, as that takes a while."""
    key = (repository, find_head(repository, selection.job), selection.permissions)
    return selection.session.remember(
        selection.job,
        "tree",
        key,
        lambda: tree_at(repository, None, None, selection.may_read, selection.job),
        room=1,
        is_fresh=selection.is_fresh,
    )


def _activity(
    selection: FileSelection, repository: Repository, here: PastTree, job: Job
) -> Activity:
    """Return what happened before a commit; where contents are missing, that is remembered too."""

    def read() -> Activity:
        omissions = job.omissions
        now = newest_moment(repository, job)
        history = _read_past(selection, repository, job, now - LOOKBACK)
        if history.problem:
            raise GitFailed(history.problem, suggestion=GET_OBJECTS, data={"exit_code": None})
        is_older = _has_commit_before(repository, now - LOOKBACK, job)
        left_out = job.left_out_since(omissions)
        past, reason = _past(history, repository, now, here.blobs, left_out, is_older=is_older)
        objects = repository.objects_stamp() if history.lacks_lines else b""
        return Activity(past, reason, objects)

    return remember(
        selection.session,
        job,
        _ACTIVITY,
        _basis_of(repository, here),
        read,
        is_current=lambda it: not it.objects or it.objects == repository.objects_stamp(),
        is_fresh=selection.is_fresh,
    )


def _read_past(
    selection: FileSelection, repository: Repository, job: Job, since: datetime
) -> History:
    session = None if selection.is_fresh else selection.session
    reader = HistoryReader(repository, options=FILE_OPTIONS, session=session)
    root = repository.workspace_root
    return read_history(selection.folder, root, job, since=since, needs_files=False, reading=reader)


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
    complete_since, reason = _gap_in(history, repository, left_out)
    if reason and complete_since > now - LATELY:
        return None, reason
    if not is_older and min((it.time for it in history.commits), default=now) > now - LATELY:
        return None, "the history is shorter than half a year"
    since = complete_since if reason else None
    return activity_before(history, now, paths, {}, complete_since=since), reason


def _gap_in(
    history: History, repository: Repository, left_out: Sequence[str]
) -> tuple[datetime, str]:
    """Return since when a history is complete, and what it lacks before; empty for nothing.

    It lacks what was not read in time, or what a shallow clone does not have.
    """
    if left_out:
        oldest = history.commits[-1].time if history.commits else _NEVER
        return oldest, f"history not read: {'; '.join(left_out)}"
    edges = repository.shallow_edges() if history.is_shallow else frozenset()
    newest = max((it.time for it in history.commits if it.id in edges), default=None)
    if newest is None:
        return _NEVER, ""
    return newest, f"the clone is shallow and lacks commits before {newest:%Y-%m-%d}"


def shared_knowledge(
    history: History,
    repository: Repository,
    paths: Collection[str],
    left_out: Sequence[str],
    job: Job,
) -> Knowledge:
    """Return what `know` does, from a history that was read already.

    Raises:
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    now = newest_moment(repository, job)
    is_older = _has_commit_before(repository, now - LOOKBACK, job)
    return _known(*_past(history, repository, now, paths, left_out, is_older=is_older))


def _has_commit_before(repository: Repository, moment: datetime, job: Job) -> bool:
    head = find_head(repository, job) or ""
    options = ("-1", "--format=%H", f"--min-age={int(moment.timestamp())}")
    return any(stream(repository, "log", options, (head,), None, job))


def newest_moment(repository: Repository, job: Job) -> datetime:
    """Return the second after the commit that is checked out: the end of history, on any day.

    Raises:
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    head = find_head(repository, job) or ""
    seconds = b"".join(stream(repository, "log", ("-1", "--format=%ct"), (head,), None, job))
    return datetime.fromtimestamp(min(int(seconds), LAST_SECOND - 1) + 1, UTC)
