"""Reports that are composed of many measures, kept as a whole while nothing that they need changes.

What a report depends on is found without the facts of any file: the paths and contents of files,
the commits of the period, what the history teaches, coverage reports, permissions. Manifests that
imports and bridges lead to are noted with the report, and compared before it is used again.
"""

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from benchpin.core import BenchpinError, Cancelled
from benchpin.engines.metrics.debt_gradient import CHURN_DAYS
from benchpin.engines.source.reductions import Reduction, remember

from .coverage import find_reports
from .defects import know
from .findings import Analysis
from .project import Project

T = TypeVar("T")


@dataclass(frozen=True)
class Composed(Generic[T]):
    """A report, and the digests of the manifests that were read for it."""

    report: T
    manifests: dict[str, bytes | None]


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
    it, job = project.selection, project.job
    key = (*_inputs(project, wanted), tuple(sorted(wanted)), *options)
    if job.missing:
        return make()  # some files were not read in time

    def make_with_manifests() -> Composed[T]:
        return Composed(make(), dict(it.manifests))

    def is_current(known: Composed[T]) -> bool:
        for path in known.manifests:
            it.read_manifest(path)
        return all(it.manifests[path] == digest for path, digest in known.manifests.items())

    found = remember(
        it.session,
        job,
        reduction,
        key,
        make_with_manifests,
        is_current=is_current,
        is_fresh=it.is_fresh,
    )
    return found.report


def _inputs(project: Project, wanted: Collection[Analysis]) -> tuple[Hashable, ...]:
    """Return everything that the measures depend on, except manifests."""
    it, listing = project.selection, project.listing
    return (
        project.digest,
        project.workspace_digest,
        project.whole.digest,
        tuple(sorted(listing.unmeasured.items())),
        tuple(sorted(listing.skipped.items())),
        it.permissions,
        find_reports(it.root, listing.files, it.may_read, project.job),
        know(it).key if "defect-probability" in wanted else None,
        _history(project) if {"churn", "debt-gradient"}.intersection(wanted) else None,
    )


def _history(project: Project) -> Hashable:
    """Return the commits that count, and how old they are in whole days."""
    try:
        found = project.history(CHURN_DAYS)
    except Cancelled:
        raise
    except BenchpinError as error:
        return error.message
    if found.value is None:
        return found.reason
    now = project.now
    commits = tuple((it.id, it.author, (now - it.time).days) for it in found.value.commits)
    return commits, tuple(sorted(found.value.existing))
