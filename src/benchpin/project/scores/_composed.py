"""Reports that are composed of many measures, kept as a whole while nothing that they need changes.

What a report depends on is found without the facts of any file: the paths and contents of files,
the commits of the period, what the history teaches, coverage reports, permissions. Manifests that
imports and bridges lead to are noted with the report, and compared before it is used again.
"""

from collections.abc import Collection, Hashable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeVar

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, Cancelled, TimeLimitExceeded
from benchpin.measures.debt_gradient import CHURN_DAYS
from benchpin.measures.history import read_recent
from benchpin.memory import Measure
from benchpin.project import PERIOD_DAYS, Analysis, Project
from benchpin.project.defects import know, knowledge_source
from benchpin.project.sections import SectionLimits

T = TypeVar("T")

# The share of the time left that may go into finding out what a report depends on.
_SHARE_OF_TIME = 0.2
# The key of what the history taught, by this name among what a report read.
_KNOWLEDGE = "knowledge"
_HISTORY = frozenset({"churn", "debt-gradient"})


@dataclass(frozen=True)
class ReportOptions:
    """What a report is asked for, and what it depends on that is known without measuring."""

    wanted: tuple[Analysis, ...]
    scope: SectionLimits
    known: Hashable = None


def compose(
    project: Project, measure: Measure[Project, ReportOptions, T], options: ReportOptions
) -> T:
    """Return a report, made now unless it is known for the same files, history and options.

    Raises:
        Cancelled: when the job was cancelled.
        BenchpinError: what the measure raises.
    """
    known = _inputs(project, options.wanted)
    if known is None:
        return measure.reduce(project, options)

    def learned() -> bytes:
        return know(project.selection).key.encode()

    project.offer(_KNOWLEDGE, learned)
    return project.get(measure, replace(options, known=known))


def note_basis(project: Project, options: ReportOptions) -> None:
    """Note what was found on the way that a report depends on."""
    # What lacks something is not kept, and there may be no time to learn.
    if options.known is not None and not project.job.missing:
        project.note_manifests()
        if "defect-probability" in options.wanted:
            project.note(_KNOWLEDGE)


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
