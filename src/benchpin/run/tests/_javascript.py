"""vitest, jest, mocha, node --test, and any other `npm test`."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from benchpin.system.formats import as_object, parse_object

from ._command import TMP, Runner, RunnerCommand, RunnerOutput, by_exit_status
from ._project_view import ProjectView, any_of, failing_place, files_of
from ._results import RunResults, UnreadableReport, read_junit

_ENDINGS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte")
_FRAME = re.compile(r"(?<![^\s(])(?P<file>(?:file://)?[^\s():]{1,400}):(?P<line>\d{1,7}):\d")
_STACK_LINE = re.compile(r"^[ \t]*+at .*", re.MULTILINE)
_OPERATORS = re.compile(r"&&|\|\||;|\|")
_WRAPPERS = {"cross-env", "npx", "c8", "nyc", "dotenv", "--"}
# Options of these runners that are followed by their value.
_TAKES_VALUE = frozenset(
    {
        *("-c", "-r", "-R", "-t", "-u", "-w", "--config", "--dir", "--environment", "--exclude"),
        *("--experimental-loader", "--extension", "--file", "--ignore", "--import", "--loader"),
        *("--maxWorkers", "--mode", "--pool", "--project", "--reporter", "--require", "--retries"),
        *("--root", "--slow", "--spec", "--testEnvironment", "--timeout", "--ui"),
    }
)
_REPORT = f"{TMP}/report.json"
# A report of the largest size has a third of these, if it is one.
_MAX_OBJECTS = 300_000
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Script:
    """How the project itself starts a runner."""

    options: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)


def _manifest(project: ProjectView) -> dict[str, object]:
    return {**parse_object(project.read("package.json").encode())}


def _test_script(project: ProjectView) -> str:
    script = as_object(_manifest(project).get("scripts")).get("test")
    return script if isinstance(script, str) else ""


def _script_of(program: str, project: ProjectView) -> _Script | None:
    """Return the part of the script `test` that starts a program; None if none does."""
    for part in _OPERATORS.split(_test_script(project)):
        try:
            words = shlex.split(part)
        except ValueError:
            continue
        environment = {}
        while words and (words[0] in _WRAPPERS or re.fullmatch(r"[A-Za-z_]\w*=.*", words[0])):
            name, _, value = words.pop(0).partition("=")
            if name not in _WRAPPERS:
                environment[name] = value
        if words and words[0].rpartition("/")[2] == program:
            return _split(words[1:], environment)
    return None


def _split(words: Sequence[str], environment: dict[str, str]) -> _Script:
    """Separate options from files, which the caller may replace."""
    script = _Script(environment=environment)
    is_value = False
    for word in words:
        is_option = word.startswith("-")
        (script.options if is_option or is_value else script.files).append(word)
        is_value = is_option and word in _TAKES_VALUE
    return script


def _depends_on(name: str, project: ProjectView) -> bool:
    manifest = _manifest(project)
    groups = (as_object(manifest.get(it)) for it in ("devDependencies", "dependencies"))
    return any(name in it for it in groups)


def _uses(name: str, project: ProjectView) -> bool:
    return _script_of(name, project) is not None or _depends_on(name, project)


def _uses_node(project: ProjectView) -> bool:
    script = _script_of("node", project)
    return script is not None and "--test" in script.options


def _uses_npm(project: ProjectView) -> bool:
    """Whether there is a script that starts none of the others."""
    script = _test_script(project)
    if not script or "no test specified" in script or _uses_node(project):
        return False
    return not any(_uses(it, project) for it in ("vitest", "jest", "mocha"))


def _started(
    program: str,
    project: ProjectView,
    tests: Sequence[str],
    report: Sequence[str],
    by_name: str,
) -> RunnerCommand:
    """Start a runner with the options that the project gives it, and a report."""
    script = _script_of(program, project) or _Script()
    files, names = files_of(tests, project)
    subcommands = [it for it in script.files[:1] if it in {"run", "watch", "dev"}]
    rest = script.files[len(subcommands) :]
    chosen = [by_name, any_of(names)] if names else []
    inner = [
        ("../" * depth) + "node_modules/.bin" for depth in range(len(project.folder.parts) + 1)
    ]
    # vitest refuses a flag that is given twice.
    options = [it for it in script.options if it not in report or it in _TAKES_VALUE]
    return RunnerCommand(
        (program, *options, *report, *chosen, *(files or rest)),
        # CI: none of them waits for changes of files, or writes snapshots.
        environment={"CI": "true", "NO_COLOR": "1", **script.environment},
        path=tuple(inner),
        reports=(_REPORT,),
    )


def _vitest_command(project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    report = ("--run", "--reporter=default", "--reporter=json", f"--outputFile.json={_REPORT}")
    return _started("vitest", project, tests, report, "-t")


def _jest_command(project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    report = ("--json", f"--outputFile={_REPORT}", f"--cacheDirectory={TMP}/jest")
    return _started("jest", project, tests, (*report, "--testLocationInResults"), "-t")


def _mocha_command(project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    report = ("--reporter", "json", "--reporter-option", f"output={_REPORT}")
    return _started("mocha", project, tests, report, "--grep")


def _node_command(project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    script = _script_of("node", project) or _Script(options=["--test"])
    files, names = files_of(tests, project)
    report = f"{TMP}/report.xml"
    return RunnerCommand(
        (
            *("node", *script.options),
            *("--test-reporter=spec", "--test-reporter-destination=stdout"),
            *("--test-reporter=junit", f"--test-reporter-destination={report}"),
            *(f"--test-name-pattern={any_of([it])}" for it in names),
        ),
        environment={"NO_COLOR": "1", **script.environment},
        globs=tuple(files or script.files),
        reports=(report,),
    )


def _npm_command(_project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    given = ("--", *tests) if tests else ()
    return RunnerCommand(
        ("npm", "test", "--silent", *given),
        environment={"CI": "true", "NO_COLOR": "1", "npm_config_update_notifier": "false"},
    )


class _Location(msgspec.Struct):
    line: int | None = None


class _JestCase(msgspec.Struct, rename="camel"):
    status: str = ""
    title: str = ""
    full_name: str = ""
    failure_messages: list[str] | None = None
    location: _Location | None = None


class _JestSuite(msgspec.Struct, rename="camel"):
    name: str = ""
    status: str = ""
    message: str = ""
    assertion_results: list[_JestCase] = []  # msgspec copies it


class _JestReport(msgspec.Struct, rename="camel"):
    test_results: list[_JestSuite]


class _MochaError(msgspec.Struct):
    message: str = ""
    stack: str = ""


class _MochaCase(msgspec.Struct, rename="camel"):
    file: str | None = None
    full_title: str = ""
    err: _MochaError = msgspec.field(default_factory=_MochaError)


class _Counted(msgspec.Struct):
    """A test of which only the number matters."""


class _MochaReport(msgspec.Struct):
    stats: _Counted
    passes: list[_MochaCase] = []
    pending: list[_Counted] = []
    failures: list[_MochaCase] = []


def _report(outcome: RunnerOutput, of_type: type[T]) -> T:
    """Decode a report into types, which takes a tenth of the time that holds up all threads."""
    if not outcome.reports:
        raise UnreadableReport("the runner wrote no JSON")
    text = outcome.reports[0][1]
    if text.count("{") > _MAX_OBJECTS:
        raise UnreadableReport(f"the runner wrote JSON with over {_MAX_OBJECTS:,} objects")
    try:
        return msgspec.json.decode(text, type=of_type)
    except (ValueError, RecursionError) as error:
        raise UnreadableReport(f"the runner wrote JSON that is no report: {error}") from error


def _read_jest(outcome: RunnerOutput, project: ProjectView) -> RunResults:
    """Read the JSON of jest, which vitest writes as well."""
    results = RunResults("JSON of the runner")
    for suite in _report(outcome, _JestReport).test_results:
        _add_suite(results, suite, project)
    return results


def _add_suite(results: RunResults, suite: _JestSuite, project: ProjectView) -> None:
    own = project.place(suite.name)
    cases = suite.assertion_results
    for case in cases:
        is_passed = case.status == "passed"
        results.passed += is_passed
        if case.status != "failed":
            results.skipped += not is_passed
            results.add_name(case.full_name or case.title, is_passed=is_passed)
        else:
            text = "\n".join(case.failure_messages or ())
            name = case.full_name or case.title
            line = None if case.location is None else case.location.line
            _add(results, name.strip(), text, project, own, line)
    if suite.status == "failed" and not any(it.status == "failed" for it in cases):
        # jest puts a title before the error.
        message = suite.message.replace("● Test suite failed to run", "", 1)
        _add(results, own or "a test file", message, project, own)


def _read_mocha(outcome: RunnerOutput, project: ProjectView) -> RunResults:
    report = _report(outcome, _MochaReport)
    results = RunResults("JSON of the runner")
    results.passed = len(report.passes)
    results.skipped = len(report.pending)
    for passed in report.passes:
        results.add_name(passed.full_title, is_passed=True)
    for case in report.failures:
        message, stack = case.err.message, case.err.stack
        own = project.place(case.file) if case.file else None
        text = stack if message in stack else f"{message}\n{stack}"
        _add(results, case.full_title, text, project, own)
    return results


def _read_node(outcome: RunnerOutput, project: ProjectView) -> RunResults:
    report = read_junit(outcome.reports)
    results = RunResults("JUnit XML", passed=report.passed, skipped=report.skipped)
    for case, is_passed in report.others:
        results.add_name(" ".join([*case.suites, case.name]), is_passed=is_passed)
    for case in report.failures:
        own = project.place(case.file) if case.file else None
        name = " ".join([*case.suites, case.name])
        # The error of the test is the cause of one of the runner.
        text = case.text.partition("cause: ")[2] or f"{case.message}\n{case.text}"
        _add(results, name, text, project, own)
    results.failed = report.failed
    return results


def _add(
    results: RunResults,
    name: str,
    text: str,
    project: ProjectView,
    own: str | None,
    line: int | None = None,
) -> None:
    frames = project.frames(_FRAME, text)
    place = failing_place(frames, own, line)
    results.add_failure(name, place, text, _without_foreign_frames(text, project))


def _without_foreign_frames(text: str, project: ProjectView) -> str:
    """Leave out the lines of a stack that are in dependencies or in the runtime."""
    return "\n".join(
        it
        for it in text.splitlines()
        if it.strip() and (not _STACK_LINE.fullmatch(it) or project.frames(_FRAME, it))
    )


def _jest_coverage(_project: ProjectView, files: Sequence[str]) -> RunnerCommand:
    folder = f"{TMP}/coverage"
    chosen = (f"--collectCoverageFrom={it}" for it in files if it.endswith(_ENDINGS))
    start = ("--coverage", "--coverageReporters=lcovonly", f"--coverageDirectory={folder}")
    return RunnerCommand((*start, *chosen), reports=(f"{folder}/lcov.info",))


def _vitest_coverage(project: ProjectView, files: Sequence[str]) -> RunnerCommand | None:
    """Return the options of a provider of coverage, if the project has one."""
    if not any(_depends_on(f"@vitest/coverage-{it}", project) for it in ("v8", "istanbul")):
        return None
    folder = f"{TMP}/coverage"
    chosen = (f"--coverage.include={it}" for it in files if it.endswith(_ENDINGS))
    start = ("--coverage.enabled", "--coverage.reporter=lcovonly")
    place = f"--coverage.reportsDirectory={folder}"
    return RunnerCommand((*start, place, *chosen), reports=(f"{folder}/lcov.info",))


VITEST = Runner(
    "vitest",
    _ENDINGS,
    lambda it: _uses("vitest", it),
    _vitest_command,
    _read_jest,
    cover=_vitest_coverage,
    stop_option="--bail=1",
)
JEST = Runner(
    "jest",
    _ENDINGS,
    lambda it: _uses("jest", it),
    _jest_command,
    _read_jest,
    cover=_jest_coverage,
    stop_option="--bail",
)
MOCHA = Runner("mocha", _ENDINGS, lambda it: _uses("mocha", it), _mocha_command, _read_mocha)
NODE = Runner("node", _ENDINGS, _uses_node, _node_command, _read_node)
NPM = Runner("npm", _ENDINGS, _uses_npm, _npm_command, by_exit_status)
