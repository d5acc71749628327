"""The tests that are related to some symbols, each with the reason, and how to run them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from benchpin.code import CodeIndex
from benchpin.code.names import Symbol
from benchpin.core.calls import Job
from benchpin.facts.code import NamedTest, navigation_of
from benchpin.workspace.walking import is_test_path

from ._reaching import Reached, ReachingTests
from ._uses import Certainty

TestReason = Literal[
    "is it", "calls it", "covered it", "may call it", "imports its file", "is named after its file"
]
# The best first.
_REASONS: tuple[TestReason, ...] = get_args(TestReason)

# The distance where no call is known.
_FAR = 9
_MARKS = ("test_", "_test", ".test", ".spec", "_spec", "tests_", "Tests", "Test", "Spec", "IT")


@dataclass(frozen=True, slots=True)
class RelatedTest:
    """A test, or a file of tests, and why it is related."""

    id: str
    """The path, `::` and the qualified name; only the path for a file."""
    file: str
    line: int
    reason: TestReason
    certainty: Certainty
    distance: int
    """How many calls lead to what is tested."""


def find_related_tests(
    index: CodeIndex, symbols: Sequence[Symbol], files: Iterable[str], job: Job
) -> list[RelatedTest]:
    """Return the tests of symbols and files, the most closely related first."""
    found = _calling(index, symbols, job)
    known = {it.file for it in found}
    wanted = {*files, *(it.file for it in symbols)}
    names = {it.name for it in symbols}
    using = {path for name in names for path in index.symbols.names.using(name)}
    for path in index.symbols.modules:
        if is_test_path(path) and path not in known:
            is_using = not names or path in using
            reason = _loose_reason(index, path, wanted, is_using=is_using)
            if reason is not None:
                found.append(RelatedTest(path, path, 1, reason, "possible", _FAR))
    return found


def with_covering(
    index: CodeIndex, found: Sequence[RelatedTest], contexts: Iterable[str]
) -> list[RelatedTest]:
    """Return tests together with those that ran the code, by contexts of coverage.py."""
    files = {
        path.rpartition(".")[0]: path
        for path, it in index.symbols.modules.files.items()
        if navigation_of(it.language).collects_tests
    }
    tests = (_test_of(index, files, it) for it in contexts)
    ran = {test.id: test for test in tests if test is not None}
    known = {it.id for it in found}
    named = {it.file for it in ran.values()}  # better than to run all that they have
    related = [
        replace(it, reason="covered it", certainty="certain")
        if it.id in ran and it.certainty != "certain"
        else it
        for it in found
        if it.id != it.file or it.file not in named
    ]
    related += [
        RelatedTest(it.id, it.file, it.line, "covered it", "certain", _FAR)
        for it in sorted(ran.values(), key=lambda it: (it.file, it.line))
        if it.id not in known
    ]
    return sorted(related, key=lambda it: _REASONS.index(it.reason))


def _test_of(index: CodeIndex, files: Mapping[str, str], context: str) -> Symbol | None:
    """Return the test of a context: `a/test_b.py::T::test_c[1]|run`, or `a.test_b.T.test_c`."""
    modules = index.symbols.modules
    path, is_node, name = context.partition("|")[0].partition("[")[0].partition("::")
    if is_node:
        module = modules.get(path)
        return None if module is None else module.symbols.get(name.replace("::", "."))
    parts = path.split(".")
    for length in range(len(parts) - 1, 0, -1):
        module = modules.get(files.get("/".join(parts[:length]), ""))
        if module is not None:
            return module.symbols.get(".".join(parts[length:]))
    return None


def _calling(index: CodeIndex, symbols: Sequence[Symbol], job: Job) -> list[RelatedTest]:
    """Return the tests that reach symbols; code of a test file that is in no test is its file."""
    reach = ReachingTests(index, job)
    found = reach.find(symbols)
    if reach.is_cut:
        job.leave_out("tests that reach it by more steps than were followed")
    with_tests = {it.file for it in found if it.name}
    return [
        RelatedTest(
            id=f"{it.file}::{it.name}" if it.name else it.file,
            file=it.file,
            line=it.line,
            reason=_reason(it),
            certainty="certain" if it.is_certain else "possible",
            distance=it.distance,
        )
        for it in found
        if it.name or it.file not in with_tests
    ]


def _reason(test: Reached) -> TestReason:
    if not test.distance:
        return "is it"
    return "calls it" if test.is_certain else "may call it"


def _loose_reason(
    index: CodeIndex, path: str, wanted: set[str], *, is_using: bool
) -> TestReason | None:
    """Return why a file of tests without a call of these names may still test them."""
    leads = index.symbols.modules.leads(path) if is_using else ()
    if any(not wanted.isdisjoint(it.files) for it in leads):
        return "imports its file"
    return "is named after its file" if _tested_name(path) in _stems(wanted) else None


def _stems(paths: Iterable[str]) -> set[str]:
    return {it.rpartition("/")[2].partition(".")[0] for it in paths if not is_test_path(it)}


def _tested_name(path: str) -> str:
    """Return the name of the file that a test file is for: `cart` for `test_cart.py`."""
    name = path.rpartition("/")[2]
    name = name.rpartition(".")[0] or name
    for mark in _MARKS:
        if name.startswith(mark) or name.endswith(mark):
            return name.removeprefix(mark).removesuffix(mark)
    return ""


def command_for(index: CodeIndex, tests: Sequence[RelatedTest]) -> str:
    """Return the command that runs these tests; empty if there is none for their language."""
    modules = index.symbols.modules
    by_family: defaultdict[str, list[NamedTest]] = defaultdict(list)
    for test in tests:
        name = test.id.rpartition("::")[2] if test.id != test.file else ""
        by_family[modules[test.file].family].append(NamedTest(test.file, name))
    commands = (
        make(by_family[family])
        for family in sorted(by_family)
        if (make := navigation_of(family).test_command) is not None
    )
    return " && ".join(commands)
