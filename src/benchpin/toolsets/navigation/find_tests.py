"""Find the tests of a symbol, a file or a change."""

from collections.abc import Iterator
from functools import partial

from benchpin.code.accounting import NameAccount
from benchpin.code.references import RelatedTest, command_for, find_related_tests, with_covering
from benchpin.core.calls import Bench, Operation
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.measures.coverage import contexts_of
from benchpin.present import Column, Report, Table, View, location

from ._places import first_of, reconciled
from ._subjects import Subject, SubjectParams, find_subject, open_code

_WHOLE_FILE = range(1 << 30)
_MAX_SHOWN = 3


class FindTestsParams(SubjectParams):
    """What the tests are for."""

    each: Rare[bool] = False
    """List single tests, not files."""


class RelatedTestsReport(Report):
    """Files of tests or single tests, the most closely related first."""

    subject: str
    accounts: list[NameAccount]
    """Every line that has the name of the symbol, by what it is."""
    tests: list[RelatedTest]
    """Files with counts, or single tests if each of them was asked for."""
    total: int
    next_cursor: str | None
    files: int
    calls: int
    """Tests that call it themselves."""
    reaches: int
    """Tests that certainly reach it by further calls, or ran it."""
    possible: int
    """Tests that may call or reach it."""
    is_each: bool
    """Whether single tests are listed."""
    mocked: list[str]
    """Tests that replace it by a mock throughout, which are left out."""
    replaced: list[str]
    """Tests that replace it in part, which are listed."""
    command: str
    """Runs the tests of this page; empty if there is no known way."""

    view = View["RelatedTestsReport"](
        title="Related tests",
        headline=lambda it: [_headline(it), *(s for one in it.accounts for s in one.sentences())],
        tables=(
            Table(
                rows=lambda it: it.tests,
                columns=(
                    Column("reason"),
                    Column("calls", lambda it: it.calls or None),
                    Column("reaches", lambda it: it.reaches or None),
                    Column("possible", lambda it: it.possible or None),
                    Column("distance", heading="calls away", is_detail=True),
                    Column("certainty", is_detail=True),
                    Column("id"),
                    # Of files that do not call it the first tests say little.
                    Column(
                        "examples",
                        lambda it: ", ".join(it.examples) if it.calls else None,
                        heading="such as",
                    ),
                    location(is_detail=True),
                ),
            ),
        ),
        notes=lambda it: list(_notes(it)),
    )


def _headline(report: RelatedTestsReport) -> str:
    if not report.total:
        return f"No test is related to {report.subject}."
    tests = report.calls + report.reaches + report.possible
    return (
        f"{counted(tests, 'related test')} in {counted(report.files, 'file')} of {report.subject}: "
        f"{report.calls:,} call it, {report.reaches:,} reach it, {report.possible:,} may"
    )


def _notes(report: RelatedTestsReport) -> Iterator[str]:
    if report.mocked:
        left_out, named = len(report.mocked), first_of(report.mocked, _MAX_SHOWN)
        yield f"left out: {counted(left_out, 'test')} with a mock in its place: {named}"
    if report.replaced:
        yield f"replaced in part by a mock, and listed: {first_of(report.replaced, _MAX_SHOWN)}"
    if report.command:
        yield f"run: {report.command}"


@tool(
    title="Find related tests",
    effect=Effect.READ,
    also=(
        "which tests cover it, tests for a function, tests for my change, affected tests, test "
        "impact, what to run, pytest command, test selection"
    ),
)
def find_tests(params: FindTestsParams, bench: Bench) -> RelatedTestsReport:
    """Find the tests of a symbol, file or change, and how to run them."""
    index, text = open_code(bench)
    subject = find_subject(params, index, bench)
    index = subject.index
    related = find_related_tests(index, subject.symbols, subject.files, bench.job, text)
    found = with_covering(index, related, _contexts(subject, bench))
    tests = [it for it in found if it.reason != "replaces it"]
    by_file: dict[str, list[RelatedTest]] = {}  # in the order of their first tests
    for test in tests:
        by_file.setdefault(test.file, []).append(test)
    files = [RelatedTest.of_file(it) for it in by_file.values()]
    page = params.page(tests if params.each else files)
    asked = subject.symbols[:1] if subject.change is None and subject.lines else ()
    return RelatedTestsReport(
        subject=subject.title,
        accounts=[it for it, _ in reconciled(index, asked, text, bench)] if asked else [],
        tests=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        files=len(files),
        calls=sum(it.calls for it in files),
        reaches=sum(it.reaches for it in files),
        possible=sum(it.possible for it in files),
        is_each=params.each,
        mocked=[it.id for it in found if it.reason == "replaces it"],
        replaced=[it.id for it in tests if it.is_replaced_in_part],
        command=command_for(index, page.items),
        format=params.format,
    )


def _contexts(subject: Subject, bench: Bench) -> frozenset[str]:
    """Return what the last run with coverage says about the lines of the subject."""
    wanted = {path: [_WHOLE_FILE] for path in subject.files} if not subject.symbols else {}
    for symbol in subject.symbols:
        wanted.setdefault(symbol.file, []).append(range(symbol.line, symbol.end_line + 1))
    readable = partial(bench.permissions.may, operation=Operation.READ)
    return contexts_of(bench.workspace.root, readable, wanted, bench.job)
