"""Find the tests of a symbol, a file or a change."""

from collections import Counter
from functools import partial

from benchpin.code.references import (
    OTHERWISE,
    RelatedTest,
    command_for,
    find_related_tests,
    with_covering,
)
from benchpin.core.calls import Bench, Operation
from benchpin.core.tools import Effect, Rare, tool
from benchpin.measures.coverage import contexts_of

from ._places import reconciled
from ._subjects import Subject, SubjectParams, answer_each, find_subject, open_code
from ._tests import RelatedTestsReport

_WHOLE_FILE = range(1 << 30)
_LOOSE = frozenset({"imports its file", "is named after its file", "imports what uses it"})


class FindTestsParams(SubjectParams):
    """What the tests are for."""

    each: Rare[bool] = False
    """List single tests, not files."""


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
    return answer_each(params, bench, _of_one)


def _of_one(params: FindTestsParams, bench: Bench) -> RelatedTestsReport:
    """Answer for one symbol, file or change."""
    index, text = open_code(bench)
    subject = find_subject(params, index, bench)
    index = subject.index
    related = find_related_tests(index, subject.symbols, subject.files, bench.job, text)
    found = with_covering(index, related, _contexts(subject, bench))
    tests = [it for it in found if it.reason not in OTHERWISE]
    by_file: dict[str, list[RelatedTest]] = {}  # in the order of their first tests
    for test in tests:
        by_file.setdefault(test.file, []).append(test)
    files = [RelatedTest.of_file(it) for it in by_file.values()]
    listed = tests if params.each else files
    page = params.page(listed)
    counts = Counter(it.reason for it in listed)
    running = [it for it in page.items if it.reason not in _LOOSE]
    asked = subject.symbols[:1] if subject.change is None and subject.lines else ()
    return RelatedTestsReport(
        subject=subject.title,
        accounts=[it for it, _ in reconciled(index, asked, text, bench)] if asked else [],
        tests=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        files=len(files),
        calls=counts["is it"] + counts["calls it"],
        reaches=counts["reaches it"] + counts["covered it"],
        possible=counts["may call it"] + counts["may reach it"],
        starting=sum(it.reason == "starts the program" for it in found),
        is_each=params.each,
        mocked=[it.id for it in found if it.reason == "replaces it"],
        replaced=[it.id for it in tests if it.is_replaced_in_part],
        command=command_for(index, running or page.items),
        format=params.format,
    )


def _contexts(subject: Subject, bench: Bench) -> frozenset[str]:
    """Return what the last run with coverage says about the lines of the subject."""
    wanted = {path: [_WHOLE_FILE] for path in subject.files} if not subject.symbols else {}
    for symbol in subject.symbols:
        wanted.setdefault(symbol.file, []).append(range(symbol.line, symbol.end_line + 1))
    readable = partial(bench.permissions.may, operation=Operation.READ)
    return contexts_of(bench.workspace.root, readable, wanted, bench.job)
