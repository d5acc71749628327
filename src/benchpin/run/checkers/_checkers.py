"""Which checkers a project has, how each is run in the sandbox, and what it says."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypeVar

import msgspec

from benchpin.core.errors import BenchpinError
from benchpin.run.sandbox import Execution, RunningCall, execute, fetched_folders
from benchpin.run.tests import ProjectView

from ._covered import covered

T = TypeVar("T")
_MAX_PROBLEMS = 5_000
# A command for files has room for so many.
_MAX_FILES = 500
_KEPT_BYTES = 4 << 20
# Exit codes of a shell for a program that cannot be run.
_NOT_STARTED = frozenset({126, 127})


@dataclass(frozen=True, slots=True)
class CheckerMessage:
    """What a checker says about a line."""

    checker: str
    file: str
    """Relative to the workspace."""
    line: int
    code: str
    message: str
    is_error: bool = True


@dataclass(frozen=True)
class Checker:
    """A program that says what is wrong with code, and never changes it."""

    name: str
    endings: tuple[str, ...]
    """Of the files that it is asked about."""
    configured: Mapping[str, str]
    """Files that say that a project uses it, each with a text that has to be in it."""
    argv: Callable[[Sequence[str]], tuple[str, ...]]
    """Returns the command for some files, whose first word is the program."""
    read: Callable[[str, str], Iterator[tuple[str, int, str, str, bool]]]
    """Returns file, line, code, message and whether it is an error, from stdout and stderr."""
    homes: tuple[str, ...] = ()
    """Folders of the project that may have the program; else it is looked for on the path."""
    finds_types: bool = False

    def is_used(self, project: ProjectView) -> bool:
        """Whether the project says that it uses this checker."""
        for file, text in self.configured.items():
            names = project.names() if "*" in file else [file] * project.has(file)
            matching = [it for it in names if PurePosixPath(it).match(file)]
            if any(not text or text in project.read(it) for it in matching):
                return True
        return False

    def program(self, project: ProjectView) -> str:
        """Return the program: that of the project if it has one."""
        name = self.argv(())[0]
        for home in self.homes:
            if name in project.names(home):
                return f"{home}/{name}"
        return name


def _lines(pattern: str) -> Callable[[str, str], Iterator[tuple[str, int, str, str, bool]]]:
    compiled = re.compile(pattern, re.MULTILINE)

    def read(stdout: str, stderr: str) -> Iterator[tuple[str, int, str, str, bool]]:
        for match in compiled.finditer(f"{stdout}\n{stderr}"):
            found = match.groupdict()
            kind = (found.get("kind") or "error").lower()
            if kind not in {"note", "info"}:
                code = found.get("code") or ""
                yield (
                    found["file"],
                    int(found["line"]),
                    code,
                    found["text"].strip(),
                    kind == "error",
                )

    return read


class _Said(msgspec.Struct, rename="camel"):
    """A message in the JSON of ruff, pyright or eslint."""

    message: str
    filename: str = ""
    file: str = ""
    location: dict[str, int | None] = {}
    range: dict[str, dict[str, int]] = {}
    line: int = 1
    code: str | None = None
    rule: str = ""
    rule_id: str | None = None
    severity: str | int = ""


class _Report(msgspec.Struct, rename="camel"):
    """The JSON of pyright, or what eslint says of a file."""

    general_diagnostics: list[_Said] = []
    file_path: str = ""
    messages: list[_Said] = []


class UnreadableOutput(Exception):
    """An output that the checker does not write: a project may bring its own program along."""


def _loaded(text: str, of_type: type[T]) -> T | None:
    """Return the JSON in an output; None if there is no output."""
    start = min((at for at in (text.find("["), text.find("{")) if at >= 0), default=0)
    try:
        return msgspec.json.decode(text[start:], type=of_type) if text.strip() else None
    except (ValueError, RecursionError) as error:
        raise UnreadableOutput(str(error)) from error


def _read_ruff(stdout: str, _stderr: str) -> Iterator[tuple[str, int, str, str, bool]]:
    for one in _loaded(stdout, list[_Said]) or ():
        code = one.code or "syntax"
        is_error = code.startswith(("E9", "F8", "F7", "syntax", "invalid"))
        yield one.filename, one.location.get("row") or 1, code, one.message, is_error


def _read_pyright(stdout: str, _stderr: str) -> Iterator[tuple[str, int, str, str, bool]]:
    for one in (_loaded(stdout, _Report) or _Report()).general_diagnostics:
        line = one.range.get("start", {}).get("line", 0) + 1
        yield one.file, line, one.rule, one.message, one.severity == "error"


def _read_eslint(stdout: str, _stderr: str) -> Iterator[tuple[str, int, str, str, bool]]:
    for file in _loaded(stdout, list[_Report]) or ():
        for one in file.messages:
            is_error = one.severity == 2  # noqa: PLR2004 - eslint's number for an error
            yield file.file_path, one.line, one.rule_id or "syntax", one.message, is_error


def _folders(files: Iterable[str]) -> list[str]:
    return sorted({f"./{PurePosixPath(it).parent}".replace("/.", "/") for it in files})


def _read_javac(stdout: str, stderr: str) -> Iterator[tuple[str, int, str, str, bool]]:
    """Yield its messages, but those that may be there only because it lacks libraries."""
    found = list(_JAVAC(stdout, stderr))
    lacks_libraries = any(_NO_PACKAGE.search(it[3]) for it in found)
    yield from (it for it in found if not (lacks_libraries and _UNKNOWN.search(it[3])))


_JAVAC = _lines(
    r"^(?P<file>[^\s:][^:\n]{0,400}\.java):(?P<line>\d{1,7}): (?P<kind>error|warning): "
    r"(?P<text>[^\n]{1,2000})$"
)
_NO_PACKAGE = re.compile(r"package \S{1,400} does not exist")
_UNKNOWN = re.compile(
    r"does not exist|cannot find symbol|does not override or implement|static import only"
    r"|cannot access|module not found"
)
_PYTHON = (".py", ".pyi")
_VENVS = (".venv/bin", "venv/bin", "env/bin")
_NODE = ("node_modules/.bin",)
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")

CHECKERS = (
    Checker(
        "ruff",
        _PYTHON,
        {"ruff.toml": "", ".ruff.toml": "", "pyproject.toml": "[tool.ruff"},
        lambda files: (
            *("ruff", "check", "--output-format", "json", "--no-cache", "--exit-zero", "--quiet"),
            *("--force-exclude", *files),
        ),
        _read_ruff,
        _VENVS,
    ),
    Checker(
        "mypy",
        _PYTHON,
        {
            "mypy.ini": "",
            ".mypy.ini": "",
            "pyproject.toml": "[tool.mypy",
            "setup.cfg": "[mypy",
        },
        lambda files: (
            *("mypy", "--no-color-output", "--no-error-summary", "--no-pretty"),
            *("--cache-dir", "/tmp/mypy", *files),  # noqa: S108 - of the sandbox
        ),
        _lines(
            r"^(?P<file>[^\s:][^:\n]{0,400}):(?P<line>\d{1,7}):(?:\d{1,7}:)? (?P<kind>error|note): "
            r"(?P<text>[^\n]{1,2000}?)(?:  \[(?P<code>[\w-]{1,60})\])?$"
        ),
        _VENVS,
        finds_types=True,
    ),
    Checker(
        "pyright",
        _PYTHON,
        {"pyrightconfig.json": "", "pyproject.toml": "[tool.pyright"},
        lambda files: ("pyright", "--outputjson", *files),
        _read_pyright,
        (*_VENVS, *_NODE),
        finds_types=True,
    ),
    Checker(
        "ty",
        _PYTHON,
        {"ty.toml": "", "pyproject.toml": "[tool.ty"},
        lambda files: ("ty", "check", "--output-format", "concise", "--no-progress", *files),
        _lines(
            r"^(?:(?P<kind>error|warning)\[(?P<code>[\w-]{1,60})\] )?(?P<file>[^\s:][^:\n]{0,400}):"
            r"(?P<line>\d{1,7}):\d{1,7}: (?P<text>[^\n]{1,2000})$"
        ),
        _VENVS,
        finds_types=True,
    ),
    Checker(
        "tsc",
        _SCRIPTS,
        {"tsconfig.json": ""},
        lambda _files: ("tsc", "--noEmit", "--pretty", "false", "--incremental", "false"),
        _lines(
            r"^(?P<file>[^\s(][^(\n]{0,400})\((?P<line>\d{1,7}),\d{1,7}\): (?P<kind>error) "
            r"(?P<code>TS\d{1,6}): (?P<text>[^\n]{1,2000})$"
        ),
        _NODE,
        finds_types=True,
    ),
    Checker(
        "eslint",
        _SCRIPTS,
        {"eslint.config.*": "", ".eslintrc*": "", "package.json": '"eslintConfig"'},
        lambda files: ("eslint", "--format", "json", "--no-error-on-unmatched-pattern", *files),
        _read_eslint,
        _NODE,
    ),
    Checker(
        "go vet",
        (".go",),
        {"go.mod": ""},
        lambda files: ("go", "vet", *_folders(files)),
        _lines(
            r"^(?:vet: )?(?P<file>[^\s:#][^:\n]{0,400}\.go):(?P<line>\d{1,7}):(?:\d{1,7}:)? "
            r"(?P<text>[^\n]{1,2000})$"
        ),
        finds_types=True,
    ),
    Checker(
        "cargo check",
        (".rs",),
        {"Cargo.toml": ""},
        lambda _files: (
            *("cargo", "check", "--offline", "--quiet", "--all-targets"),
            *("--message-format", "short", "--target-dir", "/tmp/cargo-check"),  # noqa: S108
        ),
        _lines(
            r"^(?P<file>[^\s:][^:\n]{0,400}\.rs):(?P<line>\d{1,7}):\d{1,7}: "
            r"(?P<kind>error|warning)(?:\[(?P<code>\w{1,20})\])?: (?P<text>[^\n]{1,2000})$"
        ),
        finds_types=True,
    ),
    Checker(
        "javac",
        (".java",),
        {},
        lambda files: (
            *("javac", "-proc:none", "-d", "/tmp/javac", "-Xmaxerrs", "2000"),  # noqa: S108
            *("-sourcepath", ":".join(_source_roots(files)), *files),
        ),
        _read_javac,
        finds_types=True,
    ),
)


# A program runs all the same: a project may hold only some of its files to them.
GRADUAL_CHECKERS = frozenset({"mypy", "pyright", "ty", "eslint"})
TYPE_CHECKERS = tuple(it.name for it in CHECKERS if it.finds_types)


def _source_roots(files: Iterable[str]) -> list[str]:
    """Return the folders where packages of Java begin, by convention."""
    found = {"src/main/java", "src/test/java", "src"}
    for one in files:
        head, mark, _ = one.partition("/java/")
        found |= {head + mark.rstrip("/")} if mark else set()
    return sorted(found)


def find_checkers(project: ProjectView, files: Sequence[str]) -> list[tuple[Checker, list[str]]]:
    """Return the checkers of a project that know some of the files, with these.

    Where a compiler is all that Java needs, it is asked too: no file says so.
    """
    found = []
    for checker in CHECKERS:
        own = covered(checker.name, project, [it for it in files if it.endswith(checker.endings)])
        if own and (not checker.configured or checker.is_used(project)):
            found.append((checker, own[:_MAX_FILES]))
    return found


def messages_of(
    checker: Checker, stdout: str, stderr: str, project: ProjectView
) -> Iterator[CheckerMessage]:
    """Yield what a checker printed about files of a project.

    Raises:
        UnreadableOutput: when it printed something else.
    """
    for number, (file, line, code, text, is_error) in enumerate(checker.read(stdout, stderr)):
        if number >= _MAX_PROBLEMS:
            return
        place = project.place(file)
        if place is not None:
            yield CheckerMessage(checker.name, place, line, code, text, is_error)


def new_messages(
    before: Iterable[CheckerMessage], after: Iterable[CheckerMessage]
) -> list[CheckerMessage]:
    """Return the problems that were not there before; the lines may have moved."""
    known = Counter((it.checker, it.file, it.code, it.message) for it in before)
    found = []
    for one in after:
        key = one.checker, one.file, one.code, one.message
        if known[key]:
            known[key] -= 1
        else:
            found.append(one)
    return found


@dataclass(frozen=True)
class CheckerRun:
    """What one checker said, or why it said nothing."""

    checker: Checker
    messages: tuple[CheckerMessage, ...] = ()
    lacks: str = ""
    """Why what it said is not all, or nothing."""


def run_checkers(
    found: Sequence[tuple[Checker, list[str]]],
    project: ProjectView,
    timeout_s: float,
    call: RunningCall,
    environment: Mapping[str, str] | None = None,
) -> list[CheckerRun]:
    """Run checkers one after the other; what does not fit the time is left out and named."""
    end = time.monotonic() + timeout_s
    runs = []
    for checker, files in found:
        left_s = end - time.monotonic()
        if left_s < 1:
            runs.append(CheckerRun(checker, lacks="no time was left for it"))
            continue
        argv = (checker.program(project), *checker.argv(files)[1:])
        # A shell makes the folders of outputs, and says so when there is no such program.
        program = Execution(
            ("/bin/sh", "-c", 'mkdir -p /tmp/javac; exec "$@"', "sh", *argv),
            str(project.path),
            environment=environment or {},
            toolchains=fetched_folders(),
            kept_bytes=_KEPT_BYTES,
        )
        try:
            report = execute(program, left_s, call)
        except BenchpinError as error:
            runs.append(CheckerRun(checker, lacks=str(error)))
            continue
        messages: tuple[CheckerMessage, ...] = ()
        lacks = ""
        try:
            messages = tuple(messages_of(checker, report.stdout, report.stderr, project))
        except UnreadableOutput as error:
            lacks = f"what it printed cannot be read: {error}"
        if report.timed_out:
            lacks = f"it was stopped after {left_s:.0f} s"
        elif report.exit_code in _NOT_STARTED:
            lacks = report.suggestion or f"{argv[0]} is not there"
        elif report.exit_code and not messages:
            said = (report.stderr or report.stdout).strip().rpartition("\n")[2]
            lacks = f"it ended with exit code {report.exit_code}: {said[:200]}"
        runs.append(CheckerRun(checker, messages, lacks))
    return runs
