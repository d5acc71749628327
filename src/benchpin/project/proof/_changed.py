"""What a change does to code and to tests, as a proof of it needs to know."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from benchpin.code.changes import Deltas, FileDelta, compare_symbols, read_changed
from benchpin.code.names import Symbol
from benchpin.code.references import RelatedTest, find_related_tests, is_collected
from benchpin.core.calls import Bench, Job
from benchpin.facts import FileFacts, FileSelection, Function
from benchpin.project.review import ReviewState, cases_of, check_copies, last_part
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.walking import is_product_path, is_test_path

from ._certificate import UNTESTED, Proof, first_of, gap
from ._test_bed import TestOutcome

# The reasons for which a test certainly runs what changed.
DIRECT = frozenset({"is it", "calls it", "reaches it", "covered it"})
# Reasons that are about the file or the program of a function: such a test need not run it.
_OF_FILE = frozenset(
    {"imports its file", "is named after its file", "imports what uses it", "starts the program"}
)
# These stay as they are after a change when it is taken back: without them new tests do not start.
_SETTINGS = frozenset(
    {
        *("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "go.mod", "go.sum"),
        *("Cargo.toml", "Cargo.lock", "package.json", "package-lock.json", "tsconfig.json"),
        *("pom.xml", "build.gradle", "build.gradle.kts", "composer.json", "requirements.txt"),
    }
)
_PYTEST_SETTINGS = ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg")
# What pytest and unittest take, and what Django does.
_NAMED_TEST = re.compile(r"(?:^|/)(?:test[^/]*|[^/]*_tests?)\.py$")
# No test runs a benchmark.
_BENCHMARK = re.compile(r"(?:^|/)(?:bench|benches|benchmarks?|jmh)/")
# A file that an edit would write.
_MAX_BYTES = 1 << 20


@dataclass
class ChangedFunction:
    """A function of the product that changed, and the lines of it that did."""

    symbol: Symbol
    facts: FileFacts
    function: Function
    lines: list[int]
    tests: list[RelatedTest] = field(default_factory=list)


class Changed:
    """What a change does to code, to tests and to other files."""

    def __init__(self, state: ReviewState, deltas: Deltas) -> None:
        self.state, self.deltas = state, deltas
        facts = {it.delta.path: it for it in state.files}
        self.code: list[FileDelta] = []
        """Files of the product that are in a language that is known here."""
        self.others: list[str] = []
        for delta in deltas.files:
            file = facts[delta.path]
            is_code = file.after is not None or file.before is not None
            if is_code and not is_test_path(delta.path):
                self.code.append(delta)
            elif not is_test_path(delta.path):
                self.others.append(delta.path)

    @property
    def place(self) -> tuple[str, int]:
        """Where to point to for what has no place of its own."""
        if self.functions:
            first = self.functions[0]
            return first.symbol.file, first.lines[0]
        return self.deltas.files[0].path, 1

    @property
    def paths(self) -> list[str]:
        """Return the files of the workspace with code, and those that are gone."""
        return [*self.state.index.symbols.modules, *(it.path for it in self.deltas.files)]

    @cached_property
    def taken_back(self) -> list[FileDelta]:
        """What makes the old code of the new: all but tests, their data, and settings."""
        return [
            it
            for it in self.deltas.files
            if not is_test_path(it.path) and it.path.rpartition("/")[2] not in _SETTINGS
        ]

    @cached_property
    def functions(self) -> list[ChangedFunction]:
        """Return the functions of the product with lines that are new, the most changed first."""
        found: list[ChangedFunction] = []
        for file in self.state.files:
            module = self.state.index.symbols.modules.get(file.delta.path)
            path = file.delta.path
            is_product = is_product_path(path) and not _BENCHMARK.search(path)
            if file.after is None or module is None or not is_product:
                continue
            left = set(self.state.new_lines(file))
            inner_first = sorted(file.after.outline.functions, key=lambda it: it.end_line - it.line)
            for function in inner_first:
                lines = sorted(it for it in left if function.line <= it <= function.end_line)
                symbol = module.symbols.get(function.name)
                if lines and symbol is not None:
                    left.difference_update(lines)
                    found.append(ChangedFunction(symbol, file.after, function, lines))
        return sorted(found, key=lambda it: (-len(it.lines), it.symbol.file, it.function.line))

    @cached_property
    def symbols(self) -> list[Symbol]:
        """Return what changed and is still there."""
        modules = self.state.index.symbols.modules
        states = (it.after for it in self.state.symbols if it.after is not None)
        inside = ((modules[it.path].symbols.get(it.name)) for it in states if it.path in modules)
        named = [it for it in inside if it is not None and not is_test_path(it.file)]
        named = [it for it in named if not _BENCHMARK.search(it.file)]
        return list(dict.fromkeys([*(it.symbol for it in self.functions), *named]))

    @cached_property
    def related(self) -> list[RelatedTest]:
        """Return the tests that reach what changed, the most closely related first."""
        found: dict[str, RelatedTest] = {}
        # One symbol may have several functions: its overloads.
        functions: defaultdict[Symbol, list[ChangedFunction]] = defaultdict(list)
        for function in self.functions:
            functions[function.symbol].append(function)
        for symbol in self.symbols:
            tests = list(self._reaching([symbol], ()))
            if not tests and symbol in functions:
                tests = list(self._naming(symbol))
            for function in functions[symbol]:
                function.tests = tests
            for test in tests:
                found.setdefault(test.id, test)
        if not found:
            found = {it.id: it for it in self._reaching([], [it.path for it in self.code])}
        return sorted(found.values(), key=lambda it: (it.reason not in DIRECT, it.distance))

    def _reaching(self, symbols: Sequence[Symbol], paths: Sequence[str]) -> Iterator[RelatedTest]:
        for test in find_related_tests(self.state.index, symbols, paths, self.state.job):
            if test.reason != "replaces it" and self._is_run(test.file):
                yield test

    def _is_run(self, path: str) -> bool:
        """Whether a runner takes a file for tests by its name, as far as is known."""
        is_named = not self.is_collected(path) or _NAMED_TEST.search(path) is not None
        return is_named or self._has_other_names

    def is_collected(self, path: str) -> bool:
        """Whether the tests of a file are collected by names, as pytest does it."""
        module = self.state.index.symbols.modules.get(path)
        return module is not None and module.navigation.collects_tests

    @cached_property
    def _has_other_names(self) -> bool:
        """Whether the project says itself how its files of tests are called."""
        texts = (self.state.selection.read_manifest(it) or b"" for it in _PYTEST_SETTINGS)
        return any(b"python_files" in it for it in texts)

    def _naming(self, symbol: Symbol) -> Iterator[RelatedTest]:
        """Yield the files of tests that use a name, where no call in them is known."""
        for path in self.state.index.symbols.names.using(symbol.name):
            if is_test_path(path) and is_collected(self.state.index, path):
                yield RelatedTest(path, path, 1, "may call it", "possible", 1)

    @cached_property
    def tests(self) -> list[str]:
        """Return the tests that are new, or that check something else than before."""
        found: list[str] = []
        for file in self.state.files:
            if file.after is None or not is_test_path(file.delta.path):
                continue
            before = {} if file.before is None else cases_of(file.before)
            new_lines = self.state.new_lines(file)
            for name, case in cases_of(file.after).items():
                was = before.get(name)
                if was is None or was.words != case.words:
                    functions = file.after.outline.functions
                    # A test that is passed to `it` has a title, and a function without a name.
                    here = (it for it in functions if it.line == case.line)
                    at = (it.name for it in here if last_part(it.name) == name)
                    found.append(f"{file.delta.path}::{next(at, name)}")
            own = [it for it in found if it.startswith(f"{file.delta.path}::")]
            if not own:
                # Tables of values and tests with computed names are in no test that has a name.
                own = list(_functions_at(file.after, new_lines))
                name = file.delta.path.rpartition("/")[2].lower()
                is_run = bool(new_lines) and ("test" in name or "spec" in name)
                found += own or ([file.delta.path] if is_run else [])
        return found


def _functions_at(file: FileFacts, lines: Iterable[int]) -> Iterator[str]:
    """Yield the test functions of a file whose words are not known, by their lines."""
    for function in file.outline.functions:
        last = function.name.rpartition(".")[2]
        if last.lower().startswith("test") and any(
            function.line <= it <= function.end_line for it in lines
        ):
            yield f"{file.path}::{function.name}"


def name_untested(changed: Changed, now: TestOutcome, proof: Proof) -> None:
    """Name the lines that changed and that no test ran, or the functions that none reaches."""
    if now.has_coverage:
        missing: Mapping[str, list[int]] = {
            file.delta.path: [
                it
                for it in sorted(changed.state.new_lines(file))
                if now.lines.get(file.delta.path, {}).get(it) is False
            ]
            for file in changed.state.files
        }
        known = sum(
            line in now.lines.get(file.delta.path, {})
            for file in changed.state.files
            for line in changed.state.new_lines(file)
        )
        not_run = sum(map(len, missing.values()))
        for path, lines in missing.items():
            if lines:
                text = f"No test runs {_ranges(lines)}, which changed"
                proof.gaps.append(gap(UNTESTED, path, lines[0], text))
        unseen = [it.path for it in changed.code if it.after and it.path not in now.lines]
        more = f"; nothing is known of {first_of(unseen)}" if unseen else ""
        said = f"tests run {known - not_run} of {known} changed lines that can run{more}"
        proof.check("coverage of changed lines", "incomplete" if not_run else "passed", said)
    else:
        is_collected = any(changed.is_collected(it.path) for it in changed.code)
        hint = " (install pytest-cov in the project)" if is_collected else ""
        text = f"the runner does not report it{hint}"
        proof.check("coverage of changed lines", "not done", text)
    for function in changed.functions:
        is_known = function.symbol.file in now.lines
        is_reached = any(it.reason not in _OF_FILE for it in function.tests)
        if not is_reached and not is_known and function.function.code_lines > 1:
            name = function.symbol.qualified
            text = f"No test reaches {name}, which changed"
            place = (function.symbol.file, function.function.line)
            proof.gaps.append(gap(UNTESTED, *place, text, name))


def _ranges(lines: Sequence[int]) -> str:
    """Return lines in words: line 3, lines 5-7."""
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    named = [f"{first}" if first == last else f"{first}-{last}" for first, last in spans]
    return f"line{'s' if len(lines) > 1 else ''} {first_of(named)}"


def copies_in(bench: Bench, path: str, after: str, job: Job) -> list[str]:
    """Return which functions a text would add to a file that repeat one of the project."""
    selection = FileSelection(bench.session, bench.permissions, job)
    content = after.encode(errors="replace")
    if not selection.may_read(path) or len(content) > _MAX_BYTES:
        return []
    try:
        before = read_regular(os.fsencode(selection.root), path, _MAX_BYTES)[0]
    except Unreadable:
        before = None
    delta = FileDelta(path, before, content)
    files = read_changed(bench.session, [delta], job, ("outline", "links", "comments", "tokens"))
    symbols = compare_symbols(files)
    if not any(it.status == "added" and isinstance(it.now.fact, Function) for it in symbols):
        return []
    state = ReviewState(selection, files, symbols, bench.now())
    # A note is about a part of a function, which is no reason to write another.
    return [it.message for it in check_copies(state) if it.level == "warning"]
