"""Say what a change of a symbol, a file or a diff affects."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from benchpin.code import CodeIndex
from benchpin.code.references import (
    Dependent,
    Misfit,
    RelatedTest,
    command_for,
    find_dependents,
    find_misfits,
    find_related_tests,
)
from benchpin.comments.shown import COMMENTS_TABLE, NO_COMMENTS, CommentsShown
from benchpin.core.calls import Bench
from benchpin.core.results import not_measured
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.facts import FileSelection, Function
from benchpin.performance.snapshots import SnapshotStore
from benchpin.present import Column, Report, Table, View, location
from benchpin.project import FileContext, ProfiledShare, Project, contexts_of, shares_of

from ._changes import ChangedSymbolRow, symbol_row
from ._index import open_code
from ._subjects import Subject, SubjectParams, find_subject

_MAX_TESTS = 8
_MAX_FILES = 5
_MAX_CHANGES = 20
# Rows of the summary.
_MAX_SHOWN = 10


class AnalyzeImpactParams(SubjectParams):
    """What is about to change, and how far to look."""

    depth: Rare[Annotated[int, Field(ge=1, le=6)]] = 2
    """How many steps from user to user to follow."""


class ImpactReport(Report):
    """What depends on the subject, nearest first, and what else to know before changing it."""

    subject: str
    changes: list[ChangedSymbolRow]
    """Functions and types that the change touches; none for a symbol or file."""
    misfits: list[Misfit]
    """Calls that do not fit a signature that changed."""
    still_used: list[Dependent]
    """Code that uses what the change removes."""
    dependents: list[Dependent]
    total: int
    next_cursor: str | None
    is_cut: bool
    """Whether more depends on it than was followed."""
    tests: list[RelatedTest]
    """The most closely related ones."""
    tests_total: int
    command: str
    """Runs these tests."""
    files: list[FileContext]
    not_measured: Annotated[dict[str, str], Field(exclude_if=lambda it: not it)]
    """What could not be found out about the files, and why."""
    comments: CommentsShown = NO_COMMENTS
    """Open comments on the subject."""
    profiled: Annotated[list[ProfiledShare], Field(exclude_if=lambda it: not it)]
    """What its functions take of the newest profile that was ingested."""

    view = View["ImpactReport"](
        title="Impact",
        headline=lambda it: list(_headline(it)),
        tables=(
            Table(
                rows=lambda it: it.changes,
                columns=(Column("status"), Column("kind"), Column("name"), location()),
                title="Changed",
                summary_rows=10,
            ),
            Table(
                rows=lambda it: it.misfits,
                columns=(location(), Column("callee"), Column("problem")),
                title="Calls that no longer fit",
                summary_rows=_MAX_SHOWN,
            ),
            Table(
                rows=lambda it: it.still_used,
                columns=(Column("uses"), Column("certainty", heading="sure"), location()),
                title="Still uses what is gone",
                summary_rows=_MAX_SHOWN,
            ),
            Table(
                rows=lambda it: it.dependents,
                columns=(
                    Column("distance"),
                    Column("certainty", heading="sure"),
                    Column("kind"),
                    Column("id"),
                    location(is_detail=True),
                    Column("uses", is_detail=True),
                ),
                title="Depends on it, nearest first",
                is_page=True,
            ),
            Table(
                rows=lambda it: it.tests,
                columns=(Column("reason"), Column("id")),
                title=lambda it: f"Tests, {len(it.tests)} of {it.tests_total:,}",
            ),
            Table(
                rows=lambda it: it.files,
                columns=(
                    Column("file"),
                    Column("commits", heading="commits in a year"),
                    Column("owners", lambda it: ", ".join(it.owners) or None),
                    Column("changes_with", lambda it: ", ".join(it.changes_with) or None),
                    Column("defect_probability", heading="defect", spec=".0%"),
                ),
                title="Files",
            ),
            Table(
                rows=lambda it: it.profiled,
                columns=(
                    Column("share", lambda it: f"{it.share:.1%}", parts=(Column("share"),)),
                    Column("symbol"),
                    Column("run_id", lambda it: it.run_id[:12], heading="run"),
                ),
                title="Share of the newest profile, without callees",
            ),
            COMMENTS_TABLE,
        ),
        notes=lambda it: [f"run: {it.command}"] if it.command else [],
    )

    def lacks(self) -> list[str]:
        """Return also what could not be found out about the files."""
        return [*super().lacks(), *not_measured(self.not_measured)]


def _headline(report: ImpactReport) -> Iterator[str]:
    more = " or more" if report.is_cut else ""
    misfits = counted(len(report.misfits), "call no longer fits", "calls no longer fit")
    yield (
        f"{report.subject}: {counted(report.total, 'dependent')}{more}, "
        f"{counted(report.tests_total, 'related test')}"
        + (f", {misfits}" if report.misfits else "")
        + (
            f", {counted(len(report.still_used), 'use')} of what is gone"
            if report.still_used
            else ""
        )
    )


@tool(
    title="Impact of a change",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "what breaks if I change it, blast radius, who depends on this, is it safe to change, "
        "affected code, ripple effect, before editing, risk of a diff, owners, co-change"
    ),
)
def analyze_impact(params: AnalyzeImpactParams, bench: Bench) -> ImpactReport:
    """Say what a change affects: dependents, calls that no longer fit, tests, owners, risk.

    Of a symbol, a file or a diff. Use it before you edit.
    """
    subject = find_subject(params, open_code(bench)[0], bench)
    index, job = subject.index, bench.job
    found = find_dependents(index, subject.symbols, job, depth=params.depth)
    page = params.page([it for it in found.found if not it.is_test])
    tests = find_related_tests(index, subject.symbols, subject.files, job)
    near = tests[:_MAX_TESTS]
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    project = Project(selection, bench.now(), skip_when_late=True)
    files = contexts_of(project, subject.files[:_MAX_FILES])
    return ImpactReport(
        subject=subject.title,
        changes=[symbol_row(it) for it in subject.changes()[:_MAX_CHANGES]],
        misfits=list(_misfits(index, subject, bench)),
        still_used=[] if subject.removed is None else subject.removed.still_used_by(index, job),
        dependents=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        is_cut=found.is_cut,
        tests=near,
        tests_total=len(tests),
        command=command_for(index, near),
        files=files,
        not_measured=project.not_measured,
        comments=subject.comments(bench),
        profiled=shares_of(subject.symbols, SnapshotStore(bench.data_folder)),
        format=params.format,
    )


def _misfits(index: CodeIndex, subject: Subject, bench: Bench) -> Iterator[Misfit]:
    known = {it.id: it for it in subject.symbols}
    for change in subject.changes():
        symbol = known.get(f"{change.now.path}::{change.now.name}")
        if symbol is not None and change.is_signature_changed and symbol.is_function:
            fact = change.now.fact
            if isinstance(fact, Function):
                yield from find_misfits(index, symbol, fact, bench.job)
