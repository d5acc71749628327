"""The tests that are related to some symbols, each with the reason, and how to run them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from benchpin.core import Job
from benchpin.engines.source.testing import is_test_path

from .code_index import CodeIndex
from .dependents import find_dependents
from .module import Module, Symbol
from .uses import Certainty

TestReason = Literal["calls it", "may call it", "imports its file", "is named after its file"]

_DEPTH = 6
_MOST_NAMED = 40
"""Tests that a command names one by one; more are run by file."""
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
    for module in index.symbols.modules.values():
        if is_test_path(module.path) and module.path not in known:
            reason = _loose_reason(module, wanted, names)
            if reason is not None:
                found.append(RelatedTest(module.path, module.path, 1, reason, "possible", 9))
    return found


def _calling(index: CodeIndex, symbols: Sequence[Symbol], job: Job) -> list[RelatedTest]:
    """Return the tests that use symbols; code of a test file that is in no test is its file."""
    related = []
    dependents = find_dependents(index, symbols, job, depth=_DEPTH).found
    for it in dependents:
        is_in_file = it.is_test or (is_test_path(it.file) and it.id == it.file)
        if not is_in_file:
            continue
        reason: TestReason = "calls it" if it.certainty == "certain" else "may call it"
        test = _outermost(index, it.id, it.file)
        line = it.line if test is None else test.line
        own = it.id if test is None else test.id
        related.append(RelatedTest(own, it.file, line, reason, it.certainty, it.distance))
    related = list({it.id: it for it in reversed(related)}.values())[::-1]
    with_tests = {it.file for it in related if it.id != it.file}
    return [it for it in related if it.id != it.file or it.file not in with_tests]


def _outermost(index: CodeIndex, test: str, file: str) -> Symbol | None:
    """Return the test that a function inside a test belongs to: runners know no other."""
    module = index.symbols.modules.get(file)
    name = test.rpartition("::")[2] if test != file else ""
    parts = name.split(".") if name else []
    for count in range(1, len(parts)):
        found = module.symbols.get(".".join(parts[:count])) if module is not None else None
        if found is not None and found.is_function:
            return found
    return None


def _loose_reason(module: Module, wanted: set[str], names: set[str]) -> TestReason | None:
    """Return why a file of tests without a call of these names may still test them."""
    is_importing = not wanted.isdisjoint(module.imported_files)
    if is_importing and (not names or not names.isdisjoint(module.facts.links.references)):
        return "imports its file"
    return "is named after its file" if _tested_name(module.path) in _stems(wanted) else None


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
    languages = {index.symbols.modules[it.file].family for it in tests}
    commands = [
        _COMMANDS[family]([it for it in tests if index.symbols.modules[it.file].family == family])
        for family in sorted(languages)
        if family in _COMMANDS
    ]
    return " && ".join(commands)


def _files(tests: Iterable[RelatedTest]) -> str:
    return " ".join(dict.fromkeys(_quoted(it.file) for it in tests))


def _quoted(text: str) -> str:
    is_plain = all(it.isalnum() or it in "/._-:" for it in text)
    return text if is_plain else "'" + text.replace("'", "'\\''") + "'"


def _pytest(tests: Sequence[RelatedTest]) -> str:
    if len(tests) > _MOST_NAMED:
        return f"pytest {_files(tests)}"
    names = (
        it.id if it.id == it.file else f"{it.file}::{it.id.rpartition('::')[2].replace('.', '::')}"
        for it in tests
    )
    return f"pytest {' '.join(map(_quoted, names))}"


def _last_names(tests: Iterable[RelatedTest]) -> list[str]:
    return sorted(
        {it.id.rpartition("::")[2].rpartition(".")[2] for it in tests if it.id != it.file}
    )


def _go(tests: Sequence[RelatedTest]) -> str:
    folders = sorted({f"./{it.file.rpartition('/')[0]}".rstrip("/") for it in tests})
    names = "|".join(_last_names(tests))
    chosen = f" -run '^({names})$'" if names and all(it.id != it.file for it in tests) else ""
    return f"go test{chosen} {' '.join(map(_quoted, folders))}"


def _cargo(tests: Sequence[RelatedTest]) -> str:
    names = _last_names(tests)
    return f"cargo test {names[0]}" if len(names) == 1 else "cargo test"


def _maven(tests: Sequence[RelatedTest]) -> str:
    methods = []
    for it in tests:
        stem = it.file.rpartition("/")[2].partition(".")[0]
        last = "" if it.id == it.file else f"#{it.id.rpartition('.')[2]}"
        methods.append(f"{stem}{last}")
    return f"mvn test -Dtest='{','.join(dict.fromkeys(methods))}'"


def _node(tests: Sequence[RelatedTest]) -> str:
    return f"npx vitest run {_files(tests)}"


_COMMANDS = {
    "python": _pytest,
    "go": _go,
    "rust": _cargo,
    "java": _maven,
    "javascript": _node,
}
