"""Reports that are composed of many measures, kept as a whole while nothing that they need changes.

What a report depends on is found without the facts of any file: the paths and contents of files,
the commits of the period, what the history teaches, coverage reports, permissions. Manifests that
imports and bridges lead to are noted with the report, and compared before it is used again.
"""

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Generic, TypeVar

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, Cancelled, TimeLimitExceeded
from benchpin.measures.debt_gradient import CHURN_DAYS
from benchpin.measures.history import read_recent
from benchpin.memory import Reduction, remember
from benchpin.project import PERIOD_DAYS, Analysis, Project
from benchpin.project.defects import know, knowledge_source

T = TypeVar("T")

# The share of the time left that may go into finding out what a report depends on.
_SHARE_OF_TIME = 0.2
_HISTORY = frozenset({"churn", "debt-gradient"})


@dataclass(frozen=True)
class Composed(Generic[T]):
    """A report, and what was found on the way that it depends on."""

    report: T
    manifests: dict[str, bytes | None]
    """The digests of the manifests that were read."""
    knowledge: str | None
    """The key of what the history taught; None if it was not asked for."""


def compose(
    project: Project,
    reduction: Reduction[Composed[T]],
    make: Callable[[], T],
    wanted: Collection[Analysis],
    *options: Hashable,
) -> T:
    """Return a report, made now unless it is known for the same files, history and options.

    Raises:
        Cancelled: when the job was cancelled.
        BenchpinError: what `make` raises.
    """
    selection, job = project.selection, project.job
    key = _inputs(project, wanted)
    if key is None:
        return make()
    learns = "defect-probability" in wanted

    def make_with_basis() -> Composed[T]:
        omissions = job.omissions
        report = make()
        is_whole = job.omissions == omissions  # else it is not kept
        knowledge = know(selection).key if learns and is_whole else None
        return Composed(report, dict(selection.manifests), knowledge)

    def is_current(known: Composed[T]) -> bool:
        for path in known.manifests:
            selection.read_manifest(path)
        is_same = all(
            selection.manifests[path] == digest for path, digest in known.manifests.items()
        )
        return is_same and known.knowledge == (know(selection).key if learns else None)

    found = remember(
        selection.session,
        job,
        reduction,
        (*key, tuple(sorted(wanted)), *options),
        make_with_basis,
        is_current=is_current,
        is_fresh=selection.is_fresh,
    )
    return found.report


def _inputs(project: Project, wanted: Collection[Analysis]) -> tuple[Hashable, ...] | None:
    """Return what the measures depend on and is known without taking them.

    None where it cannot be known in a part of the time: the measures have the rest.
    """
    selection, listing = project.selection, project.listing
    files = (project.digest, project.workspace_digest, project.whole.digest)
    if project.job.missing:
        return None  # some files were not read in time
    with project.job.part(_SHARE_OF_TIME) as part:
        try:
            history = _history(project, part) if _HISTORY.intersection(wanted) else None
            source = (
                knowledge_source(replace(selection, job=part))
                if "defect-probability" in wanted
                else None
            )
        except TimeLimitExceeded:
            return None
        if part.missing:
            return None
    return (
        *files,
        tuple(sorted(listing.unmeasured.items())),
        tuple(sorted(listing.skipped.items())),
        selection.permissions,
        project.reports,
        source,
        history,
    )


def _history(project: Project, job: Job) -> Hashable:
    """Return the commits that count, and which of them are in the shorter period.

    No report says how old a commit is: with ages in the key, one was made again whenever a commit
    became a day older, in a busy repository several times a minute.
    """
    selection, now = project.selection, project.now.replace(microsecond=0)
    since, lately = (now - timedelta(days=days) for days in (CHURN_DAYS, PERIOD_DAYS))
    try:
        found = read_recent(
            selection.session, selection.folder, since, job, is_fresh=selection.is_fresh
        )
    except (Cancelled, TimeLimitExceeded):
        raise
    except BenchpinError as error:
        return error.message
    commits = tuple((it.id, it.author, it.time >= lately) for it in found.commits)
    return commits, tuple(sorted(found.existing))
