"""What the history of a repository teaches: computed once for each commit, cached on disk."""

import hashlib
from collections.abc import Collection, Sequence
from datetime import UTC, datetime

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import DependencyMissing, PathError, TimeLimitExceeded
from benchpin.facts import FileSelection
from benchpin.measures.history import LAST_SECOND, History
from benchpin.memory import Reduction, remember
from benchpin.workspace.git import (
    GET_OBJECTS,
    GitFailed,
    NotARepository,
    Repository,
    find_head,
    find_repository,
    stream,
)

from ._features import LATELY, LOOKBACK, PastActivity, activity_before
from ._learning import (
    LearnedModel,
    NotLasting,
    basis_of,
    gap_in,
    is_as_then,
    learned_model,
    read_past,
)
from ._model import FittedModel, shipped_model, shipped_weights
from ._past_trees import PastTree, tree_at

# The share of the time left that may go into learning; the rest is for the answer.
_SHARE_OF_TIME = 0.7
_KEY_CHARS = 32
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


class Activity(msgspec.Struct, frozen=True):
    """What happened in the two years before a commit, and what is not known of them."""

    past: PastActivity | None
    now: datetime
    reason: str = ""
    """What the history lacks; empty for nothing."""
    objects: bytes = b""
    """Where contents were missing, what the clone had: more may be there another time."""


_KNOWLEDGE = Reduction[Knowledge]("knowledge", Knowledge)
_ACTIVITY = Reduction[Activity]("activity", Activity, is_part=True)


def know(selection: FileSelection, *, learns: bool = True) -> Knowledge:
    """Learn from the history of the repository of the selected files, or read it from disk.

    A fresh selection learns again. Where no history can be read, the model says why. Learning takes
    as long as everything else together: without `learns`, the model of the package serves until
    one was learned.

    Raises:
        Cancelled: when the job was cancelled.
    """
    session, job = selection.session, selection.job
    try:
        repository = find_repository(selection.folder, session.root, session.git_folders)
        here = _tree_now(selection, repository)
    except TimeLimitExceeded as error:
        job.leave_out(_OWN)
        return without_history(error.message)
    except (DependencyMissing, GitFailed, NotARepository, PathError) as error:
        return without_history(error.message)
    if here is None:
        return without_history("the repository has no commits")

    def learn() -> Knowledge:
        knowledge = _learn(selection, repository, here, basis, part, learns=learns)
        packed = msgspec.msgpack.encode(knowledge, order="deterministic")
        key = hashlib.blake2b(packed).hexdigest()[:_KEY_CHARS]
        knowledge = msgspec.structs.replace(knowledge, key=key)
        if part.is_expired or not knowledge.is_lasting:
            raise NotLasting(knowledge)
        return knowledge

    basis = basis_of(repository, here)
    with job.part(_SHARE_OF_TIME) as part:
        try:
            return remember(
                session,
                part,
                _KNOWLEDGE,
                basis,
                learn,
                slot=basis,
                is_current=lambda it: is_as_then(it, selection.may_read),
                is_fresh=selection.is_fresh,
            )
        except NotLasting as error:
            if part.is_expired:
                job.leave_out(_OWN)
            learned: Knowledge = error.learned
            return learned


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
    return "" if here is None else basis_of(repository, here).hex()


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


def without_history(reason: str, *, is_lasting: bool = True) -> Knowledge:
    """Return the model of the package for code alone, and why there is nothing else."""
    shipped = shipped_weights()
    model = FittedModel("shipped", reason, shipped.static, shipped.trained_on, None)
    return Knowledge(model, None, reason, is_lasting)


def _learn(
    selection: FileSelection,
    repository: Repository,
    here: PastTree,
    basis: bytes,
    job: Job,
    *,
    learns: bool,
) -> Knowledge:
    """Return what happened until now, and the model of the last day on which one is learned."""
    try:
        recent = _activity(selection, repository, here, basis, job)
    except (GitFailed, TimeLimitExceeded) as error:
        return without_history(error.message, is_lasting=False)
    if recent.past is None:
        return without_history(recent.reason)
    if recent.reason:
        learned = LearnedModel(shipped_model(shipped_weights(), recent.reason))
    else:
        learned = learned_model(selection, repository, here.commit, recent.now, job, learns=learns)
    gone = {path: learned.verdicts[path] for path in sorted(learned.verdicts.keys() - here.blobs)}
    is_lasting = learned.is_lasting and not recent.objects
    return Knowledge(learned.model, recent.past, is_lasting=is_lasting, verdicts=gone)


def _activity(
    selection: FileSelection, repository: Repository, here: PastTree, basis: bytes, job: Job
) -> Activity:
    """Return what happened before a commit; where contents are missing, that is remembered too."""

    def read() -> Activity:
        omissions = job.omissions
        now = newest_moment(repository, job)
        history = read_past(selection, repository, job, since=now - LOOKBACK)
        if history.problem:
            raise GitFailed(history.problem, suggestion=GET_OBJECTS, data={"exit_code": None})
        is_older = _has_commit_before(repository, now - LOOKBACK, job)
        left_out = job.left_out_since(omissions)
        past, reason = _past(history, repository, now, here.blobs, left_out, is_older=is_older)
        objects = repository.objects_stamp() if history.lacks_lines else b""
        return Activity(past, now, reason, objects)

    return remember(
        selection.session,
        job,
        _ACTIVITY,
        basis,
        read,
        is_current=lambda it: not it.objects or it.objects == repository.objects_stamp(),
        is_fresh=selection.is_fresh,
    )


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
    complete_since, reason = gap_in(history, repository, left_out)
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
        return without_history(reason)
    return Knowledge(shipped_model(shipped_weights(), reason), past)


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
