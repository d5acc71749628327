"""Find the tests of a symbol, a file or a change."""

from benchpin.core import (
    Bench,
    Column,
    Effect,
    Report,
    Table,
    View,
    counted,
    location,
    tool,
)
from benchpin.engines.navigation.tests import RelatedTest, command_for, find_related_tests

from ._index import open_code
from ._subjects import SubjectParams, find_subject


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
    page = params.page(found)
    return RelatedTestsReport(
        subject=subject.title,
        tests=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        command=command_for(subject.index, page.items),
        format=params.format,
    )
