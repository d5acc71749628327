"""Say what a change of a symbol, a file or a diff affects."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from benchpin.code import CodeBudget, CodeIndex, SourceText
from benchpin.code.accounting import NameAccount
from benchpin.code.references import OTHERWISE, command_for, find_dependents, find_related_tests
from benchpin.code.signatures import Misfit, find_misfits
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Rare, tool
from benchpin.facts import FileSelection
from benchpin.measures.graph import AutomationStep, find_automation
from benchpin.performance.snapshots import SnapshotStore
from benchpin.project import Project, contexts_of, shares_of

from ._changes import symbol_row
from ._places import RarelyPlaceParams, accounts_of, by_scope, with_excerpts
from ._reports import ImpactReport
from ._subjects import Subject, SubjectParams, find_subject, open_code

_MAX_TESTS = 8
_MAX_FILES = 5
_MAX_CHANGES = 20


class AnalyzeImpactParams(SubjectParams, RarelyPlaceParams):
    """What is about to change, and how far to look."""

    depth: Rare[Annotated[int, Field(ge=1, le=6)]] = 2
    """How many steps from user to user to follow."""


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
    """Show what a change affects: dependents, calls that no longer fit, tests, owners, risk.

    Takes a symbol, a file or a diff. Use it before you edit.
    """
    whole, text = open_code(bench)
    subject = find_subject(params, whole, bench)
    index, job = subject.index, bench.job
    found = find_dependents(index, subject.symbols, job, depth=params.depth)
    dependents = (it for it in found.found if not it.is_test)
    page = params.page(by_scope(index, dependents, params.scope))
    code = CodeBudget(index, text, params.budget, is_for_all=params.scope != "all")
    related = find_related_tests(index, subject.symbols, subject.files, job, text)
    tests = [it for it in related if it.reason not in OTHERWISE]
    near = tests[:_MAX_TESTS]
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    project = Project(selection, bench.now(), skip_when_late=True)
    files = contexts_of(project, subject.files[:_MAX_FILES])
    return ImpactReport(
        subject=subject.title,
        changes=[symbol_row(it) for it in subject.changes()[:_MAX_CHANGES]],
        misfits=list(_misfits(index, subject, bench)),
        still_used=[] if subject.removed is None else subject.removed.still_used_by(index, job),
        accounts=_accounts(subject, text, params, bench),
        dependents=with_excerpts(page.items, code),
        total=page.total,
        next_cursor=page.next_cursor,
        is_cut=found.is_cut,
        tests=near,
        tests_total=len(tests),
        command=command_for(index, near),
        files=files,
        not_measured=project.not_measured,
        run_by=_automation_of(subject, selection),
        comments=subject.comments(bench),
        profiled=shares_of(subject.symbols, SnapshotStore(bench.data_folder)),
        format=params.format,
    )


def _accounts(
    subject: Subject, text: SourceText, params: AnalyzeImpactParams, bench: Bench
) -> list[NameAccount]:
    """Return the accounts of the symbol, of those that a change touches, or of a file's.

    A patch is not in the files that are searched.
    """
    if params.patch is not None:
        return []
    if subject.lines is not None:
        return accounts_of(subject.index, subject.symbols[:1], text, bench)
    files = subject.files if subject.change is None else ()
    return accounts_of(subject.index, subject.symbols, text, bench, files)


def _automation_of(subject: Subject, selection: FileSelection) -> list[AutomationStep]:
    """Return the automation that runs the files of the subject."""
    folders = frozenset(path.partition("/")[0] for path in selection.all_paths() if "/" in path)
    steps = find_automation(selection.read_manifest, folders)
    return [
        it for it in steps if any(f"{path}/".startswith(f"{it.target}/") for path in subject.files)
    ]


def _misfits(index: CodeIndex, subject: Subject, bench: Bench) -> Iterator[Misfit]:
    known = {it.id: it for it in subject.symbols}
    for change in subject.changes():
        symbol = known.get(f"{change.now.path}::{change.now.name}")
        if symbol is not None and change.is_signature_changed and symbol.is_function:
            yield from find_misfits(index, symbol, bench.job)
