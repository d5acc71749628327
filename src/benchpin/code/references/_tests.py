"""The tests that are related to some symbols, each with the reason, and how to run them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from benchpin.code import CodeIndex, SourceText
from benchpin.code.names import Code, Module, Symbol
from benchpin.core.calls import Job
from benchpin.facts.code import NamedTest, navigation_of
from benchpin.workspace.walking import is_test_path

from ._reaching import Reached, ReachingTests
from ._uses import Certainty, enclosing_symbol
from ._written_at import decorated_at

TestReason = Literal[
    "is it",
    "calls it",
    "reaches it",
    "covered it",
    "may call it",
    "may reach it",
    "imports its file",
    "is named after its file",
    "imports what uses it",
    "starts the program",
    "replaces it",
]
# The best first.
_REASONS: tuple[TestReason, ...] = get_args(TestReason)

# Nothing certain can be said from these about what is tested.
OTHERWISE = frozenset({"starts the program", "replaces it"})

# The distance where no call is known.
_FAR = 9
# Imports between a file and a file of tests, and the most files of tests that these may lead to.
_MAX_IMPORTS, _MAX_IMPORTING = 3, 40
# What replaces the thing that a string names: of unittest.mock, pytest, pytest-mock, Jest, Sinon.
_REPLACING = frozenset({"patch", "object", "setattr", "multiple", "spy", "spyOn", "stub", "mock"})
# What begins a block at whose end a mock is gone.
_BLOCK, _LAST_LINE = "with", 1 << 30
_MAX_EXAMPLES = 2
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
    is_named: bool = False
    """Whether its name, or that of its file, has the name of what is tested."""
    calls: int = 0
    """Of a file: the tests in it that call it."""
    reaches: int = 0
    """Of a file: those that reach it by further calls, or ran it."""
    possible: int = 0
    """Of a file: those that may call or reach it."""
    examples: tuple[str, ...] = ()
    """Of a file: the first tests."""
    is_replaced_in_part: bool = False
    """Whether a mock is in the place of what is tested for a part of the test."""

    @classmethod
    def of_file(cls, tests: "Sequence[RelatedTest]") -> "RelatedTest":
        """Return a file of tests as the closest of them is related, with counts."""
        counts = Counter(it.reason for it in tests if it.id != it.file)
        first, calls = tests[0], counts["is it"] + counts["calls it"]
        return cls(
            first.file,
            first.file,
            1,
            first.reason,
            first.certainty,
            first.distance,
            is_named=any(it.is_named for it in tests),
            calls=calls,
            reaches=counts["reaches it"] + counts["covered it"],
            possible=counts["may call it"] + counts["may reach it"],
            examples=tuple(it.id.partition("::")[2] for it in tests[:_MAX_EXAMPLES] if counts),
        )


def find_related_tests(
    index: CodeIndex,
    symbols: Sequence[Symbol],
    files: Iterable[str],
    job: Job,
    text: SourceText | None = None,
) -> list[RelatedTest]:
    """Return the tests of symbols and files, the most closely related first.

    Last those that replace what they would call: a mock does not test what it replaces. With the
    text it is seen where the block of a mock ends; without, a mock is there from its line on.
    """
    reached, callers = _reached(index, symbols, job)
    found = [_related(it) for it in reached]
    known = {it.file for it in found}
    wanted = {*files, *(it.file for it in symbols)}
    names, stems = {it.name for it in symbols}, _stems(index, wanted)
    using = {path for name in names for path in index.symbols.names.using(name)}
    for path in index.symbols.modules:
        if is_test_path(path) and path not in known:
            is_using = not names or path in using
            reason = _loose_reason(index, path, wanted, stems, is_using=is_using)
            if reason is not None:
                found.append(RelatedTest(path, path, 1, reason, "possible", _FAR))
    modules = index.symbols.modules
    is_operator = any(it.name in modules[it.file].navigation.operators for it in symbols)
    # What runs an operator is seen in the tests: one in ten of these files did.
    if symbols and not is_operator and not any(it.certainty == "certain" for it in found):
        known = {it.file for it in found}
        found += _importing_what_uses(index, {it.file for it in symbols}, known)
    lines = {test.id: it.lines for test, it in zip(found, reached, strict=False)}
    mocks = _Mocks(index, symbols, text)
    for path in sorted({it.file for it in found}):
        mocks.look_into(path)
    words, near = {_squeezed(it) for it in names}, _stems(index, callers)
    related = (
        replace(
            mocks.judged(it, lines.get(it.id, frozenset())), is_named=_is_named(it, words, stems)
        )
        for it in found
        if it.id != it.file or is_collected(index, it.file)
    )
    return _by_reason(sorted(related, key=lambda it: not _is_named_after(it.file, near)))


def is_collected(index: CodeIndex, path: str) -> bool:
    """Whether a runner takes a file for tests: one without tests by their names is none."""
    module = index.symbols.modules[path]
    if not module.navigation.collects_tests:
        return True
    imported = (name for it in module.facts.links.imports for name in it.names)
    types = (it.name for it in module.symbols.values() if it.is_type)
    return any(module.is_test(it) for it in module.symbols.values()) or any(
        it.startswith(("Test", "test_")) for it in (*imported, *types)
    )


# A test that calls what it replaces elsewhere tests it.
_DIRECT = frozenset({"is it", "calls it"})


def _by_reason(tests: Iterable[RelatedTest]) -> list[RelatedTest]:
    """Return tests by how they are related, then the nearest, then the ones named after it."""
    return sorted(tests, key=lambda it: (_REASONS.index(it.reason), it.distance, not it.is_named))


def _is_named(test: RelatedTest, names: set[str], stems: Mapping[str, set[str]]) -> bool:
    """Whether the name of a test has that of a symbol, or its file that of a file."""
    own = _squeezed(test.id.partition("::")[2])
    return any(it in own for it in names) or _is_named_after(test.file, stems)


def _squeezed(name: str) -> str:
    """Return a name as `TestRenameOrCopy` and `test_rename_or_copy` have it both."""
    return name.replace("_", "").lower()


class _Mocks:
    """The mocks of some symbols in tests, each with the lines on which it is in their place."""

    def __init__(
        self, index: CodeIndex, symbols: Sequence[Symbol], text: SourceText | None
    ) -> None:
        self._index, self._text = index, text
        self._names = {it.name for it in symbols}
        self._held: defaultdict[str, list[range]] = defaultdict(list)

    def look_into(self, path: str) -> None:
        """Note the strings of a file that name a symbol, as an argument of what replaces it."""
        module = self._index.symbols.modules[path]
        for name in self._names:
            if module.code is not None and module.mentions(name):
                self._look_for(module, module.code, name)

    def judged(self, test: RelatedTest, lines: frozenset[int]) -> RelatedTest:
        """Return a test as replacing what it would call, on all of these lines or on some."""
        around = test.id.rpartition(".")[0]  # what decorates a class is there for each test in it
        held = [*self._held.get(test.id, ()), *self._held.get(around, ())]
        if not held:
            return test
        if not all(any(line in it for it in held) for line in lines):
            return replace(test, is_replaced_in_part=True)
        return test if test.reason in _DIRECT else replace(test, reason="replaces it")

    def _look_for(self, module: Module, code: Code, name: str) -> None:
        words = code.stream.words
        for at in code.stream.literals_with(name.encode()):
            opened = code.stream.enclosing(at)
            is_named = words[at].strip("'\"`").rpartition(".")[2] == name
            if not is_named or opened <= 0 or words[opened - 1] not in _REPLACING:
                continue
            decorated = decorated_at(module, code.stream.line(at))
            if decorated is not None:
                self._held[decorated.id].append(range(_LAST_LINE))
                continue
            scope = code.scope_at(at)
            user = enclosing_symbol(module, "" if scope is None else scope.declared.name)
            if user is not None:
                self._held[user.id].append(self._lines_from(module.path, code, opened))

    def _lines_from(self, path: str, code: Code, at: int) -> range:
        """Return the lines on which a mock is there: those of its block, or all that follow."""
        stream = code.stream
        while (outer := stream.enclosing(at)) >= 0 and stream.words[outer] == "(":
            at = outer  # `with (patch(…), patch(…)):` begins before the brackets
        line = stream.line(at)
        first = stream.on_line(line)[0]
        lines = [] if self._text is None else self._text.lines(path)
        if _BLOCK in stream.words[first : first + 2] and line <= len(lines):
            bottom = stream.line(stream.closing(at, len(stream) - 1)) if at else line
            for number in range(bottom + 1, len(lines) + 1):
                if lines[number - 1].strip() and _indent(lines[number - 1]) <= _indent(
                    lines[line - 1]
                ):
                    return range(line, number)
        return range(line, _LAST_LINE)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


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
    return _by_reason(related)


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


def _reached(
    index: CodeIndex, symbols: Sequence[Symbol], job: Job
) -> tuple[list[Reached], set[str]]:
    """Return the tests that reach symbols, and the files of their callers.

    Code of a test file that is in no test is its file.
    """
    reach = ReachingTests(index, job)
    found = reach.find(symbols)
    if reach.is_cut:
        job.leave_out("tests that reach it by more steps than were followed")
    with_tests = {it.file for it in found if it.name}
    return [it for it in found if it.name or it.file not in with_tests], reach.callers


def _related(test: Reached) -> RelatedTest:
    return RelatedTest(
        id=f"{test.file}::{test.name}" if test.name else test.file,
        file=test.file,
        line=test.line,
        reason=_reason(test),
        certainty="certain" if test.is_certain and not test.is_program else "possible",
        distance=test.distance,
    )


def _reason(test: Reached) -> TestReason:
    if test.is_program:
        return "starts the program"
    if not test.distance:
        return "is it"
    if test.distance == 1:
        return "calls it" if test.is_certain else "may call it"
    return "reaches it" if test.is_certain else "may reach it"


def _loose_reason(
    index: CodeIndex, path: str, wanted: set[str], stems: Mapping[str, set[str]], *, is_using: bool
) -> TestReason | None:
    """Return why a file of tests without a call of these names may still test them."""
    leads = index.symbols.modules.leads(path) if is_using else ()
    if any(not wanted.isdisjoint(it.files) for it in leads):
        return "imports its file"
    return "is named after its file" if _is_named_after(path, stems) else None


def _importing_what_uses(
    index: CodeIndex, wanted: set[str], known: set[str]
) -> Iterator[RelatedTest]:
    """Yield files of tests that import what imports a file: where no call leads to its code.

    Templates, visitors and names that are put together reach code without one. With more files than
    are worth a run nothing is said.
    """
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for path in index.symbols.modules:
        for resolution in index.symbols.modules.leads(path):
            for target in resolution.files:
                importers[target].add(path)
    found: dict[str, int] = {}
    seen, near = set(wanted), set(wanted)
    for step in range(1, _MAX_IMPORTS + 1):
        near = {user for path in near for user in importers[path]} - seen
        seen |= near
        found |= {it: step for it in near if is_test_path(it) and is_collected(index, it)}
        near = {it for it in near if not is_test_path(it)}
    if len(found) <= _MAX_IMPORTING:
        for path in sorted(found.keys() - known, key=lambda it: (found[it], it)):
            reason: TestReason = "imports what uses it"
            yield RelatedTest(path, path, 1, reason, "possible", _FAR + found[path])


def _stems(index: CodeIndex, paths: set[str]) -> dict[str, set[str]]:
    """Return the names of files, with the folders that a test for each has in its path.

    No folder is needed where one file has the name: `utils` is in every package, `cart` in one.
    """
    wanted = {_stem(it) for it in paths if not is_test_path(it)}
    sources = [it for it in index.symbols.modules if not is_test_path(it)]
    counts = Counter(stem for it in sources if (stem := _stem(it)) in wanted)
    found: dict[str, set[str]] = {it: set() for it in wanted}
    for path in paths:
        stem = _stem(path)
        if stem in wanted and counts[stem] > 1:
            found[stem].add(path.rpartition("/")[0].rpartition("/")[2])
    return found


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _is_named_after(path: str, stems: Mapping[str, set[str]]) -> bool:
    """Whether a file of tests has the name of a file that is tested, and is near it."""
    folders = stems.get(_tested_name(path))
    return folders is not None and (not folders or not folders.isdisjoint(path.split("/")))


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
