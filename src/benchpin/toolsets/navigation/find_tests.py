"""Find the tests of a symbol, a file or a change."""

from functools import partial

from benchpin.code.references import RelatedTest, command_for, find_related_tests, with_covering
from benchpin.core.calls import Bench, Operation
from benchpin.core.text import counted
from benchpin.core.tools import Effect, tool
from benchpin.measures.coverage import contexts_of
from benchpin.present import Column, Report, Table, View, location

from ._subjects import Subject, SubjectParams, find_subject, open_code

_WHOLE_FILE = range(1 << 30)


class FindTestsParams(SubjectParams):
    """What the tests are for."""


class RelatedTestsReport(Report):
    """Tests, the most closely related first."""

    subject: str
    tests: list[RelatedTest]
    total: int
    next_cursor: str | None
    command: str
    """Runs the tests of this page; empty if there is no known way."""

    view = View["RelatedTestsReport"](
        title="Related tests",
        headline=lambda it: [
            f"{counted(it.total, 'related test')} of {it.subject}"
            if it.total
            else f"No test is related to {it.subject}."
        ],
        tables=(
            Table(
                rows=lambda it: it.tests,
                columns=(
                    Column("reason"),
                    Column("distance", heading="calls away"),
                    Column("certainty", is_detail=True),
                    Column("id"),
                    location(is_detail=True),
                ),
            ),
        ),
        notes=lambda it: [f"run: {it.command}"] if it.command else [],
    )


@tool(
    title="Find related tests",
    effect=Effect.READ,
    also=(
        "which tests cover it, tests for a function, tests for my change, affected tests, test "
        "impact, what to run, pytest command, test selection"
    ),
)
def find_tests(params: FindTestsParams, bench: Bench) -> RelatedTestsReport:
    """Find the tests of a symbol, file or change, why each is related, and how to run them."""
    index, _ = open_code(bench)
    subject = find_subject(params, index, bench)
    found = find_related_tests(subject.index, subject.symbols, subject.files, bench.job)
    page = params.page(with_covering(subject.index, found, _contexts(subject, bench)))
    return RelatedTestsReport(
        subject=subject.title,
        tests=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        command=command_for(subject.index, page.items),
        format=params.format,
    )


def _contexts(subject: Subject, bench: Bench) -> frozenset[str]:
    """Return what the last run with coverage says about the lines of the subject."""
    wanted = {path: [_WHOLE_FILE] for path in subject.files} if not subject.symbols else {}
    for symbol in subject.symbols:
        wanted.setdefault(symbol.file, []).append(range(symbol.line, symbol.end_line + 1))
    readable = partial(bench.permissions.may, operation=Operation.READ)
    return contexts_of(bench.workspace.root, readable, wanted, bench.job)
