"""Run the tests of a project."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.tools import Effect, Params, Rare, tool
from benchpin.run.sandbox import (
    UNCONFINED,
    Execution,
    ExecutionReport,
    Timeout,
    execute,
    require_allowed,
)
from benchpin.run.tests import (
    KEPT_BYTES,
    TMP,
    Harness,
    ProjectView,
    Runner,
    RunnerCommand,
    RunnerName,
    RunnerOutput,
    RunResults,
    UnreadableReport,
    choose_runner,
    last_lines,
)
from benchpin.system.processes import home_folder

from ._test_report import RunTestsReport, StoredOutput

_MAX_TESTS = 1_000
_MAX_FAILURES = 50
_LAST_LINES = 20
_NOT_FOUND, _CANNOT_RUN = 127, 126
_READ_ONLY = "Read-only file system"
_MAX_ENDING_CHARS = 4_000
_NO_SOCKETS = (
    "EAFNOSUPPORT",
    "Address family not supported",
    "Could not determine a usable local IP",
)


class RunTestsParams(Params):
    """Which tests to run."""

    tests: Annotated[tuple[str, ...], Field(max_length=_MAX_TESTS)] = ()
    """Test files, or tests as the runner names them; all by default."""
    path: Rare[str] = "."
    """Folder of the project."""
    runner: Rare[RunnerName | None] = None
    """The runner to take, if the project has several or it is not found."""
    timeout: Rare[Timeout] = 600
    """Seconds after which the tests are stopped; the server may stop them earlier."""


@tool(
    title="Run tests",
    effect=Effect.EXECUTE,
    needs_sandbox=True,
    also=(
        "pytest, unittest, go test, cargo test, jest, vitest, mocha, node --test, junit, maven, "
        "gradle, phpunit, make test, test suite, is it green, failing tests, check my change, "
        "which tests fail, are the tests passing, only some tests, red"
    ),
)
def run_tests(params: RunTestsParams, bench: Bench) -> RunTestsReport:
    """Find the test runner of a project, run all or some tests, and list the failures.

    Runs in the sandbox of execute_command: no network; the workspace is writable only if the
    operator allows it.
    """
    if "timeout" in params.model_fields_set:
        require_allowed(params.timeout, run_tests.name, bench.job)
    folder = bench.existing_folder(params.path)
    project = ProjectView(bench.workspace.root, bench.workspace.relative(folder), bench.permissions)
    tests = [_checked(it, project, bench) for it in params.tests]
    runner, others = choose_runner(project, tests, params.runner)
    if runner.needs_write and not bench.is_unconfined:
        bench.require(Effect.WRITE, f"{runner.name}, which writes into the project,")
    command = runner.command(project, tests)
    left_s = bench.job.time_left_s()
    harness = Harness(command, params.timeout if left_s is None else min(params.timeout, left_s))
    program = Execution(
        (sys.executable, "-I", "-S"), str(folder), script=harness.script, kept_bytes=KEPT_BYTES
    )
    report = execute(program, params.timeout, bench)
    outcome = harness.take_apart(report.stdout, report.stderr, report.exit_code)
    return _report(runner, others, project, command, report, outcome, bench)


def _checked(test: str, project: ProjectView, bench: Bench) -> str:
    """Return a test as the runner takes it, relative to the project.

    Raises:
        InvalidParams: when it would be taken for an option.
        PathError: when it is a path outside the workspace.
    """
    if not test or test.startswith("-") or "\0" in test:
        raise InvalidParams(
            f"{test[:60]!r} is not a test",
            suggestion="Give files, or tests as the runner names them; options are not taken.",
        )
    file, *rest = test.split("::")
    if file.startswith("/") or ".." in PurePosixPath(file).parts:
        file = str(bench.workspace.relative(bench.path(file)))
    inner = PurePosixPath(file)
    if project.folder.parts and inner.is_relative_to(project.folder):
        file = str(inner.relative_to(project.folder))
    return "::".join([file, *rest])


def _report(
    runner: Runner,
    others: list[RunnerName],
    project: ProjectView,
    command: RunnerCommand,
    report: ExecutionReport,
    outcome: RunnerOutput,
    bench: Bench,
) -> RunTestsReport:
    results, reason = _read(runner, outcome, project)
    timed_out = outcome.is_timed_out or report.timed_out
    if timed_out:
        bench.job.leave_out("tests that had not run when the time was up")
    for problem in (*outcome.problems, *report.lacks()):
        bench.job.leave_out(problem)
    total = 0 if results is None else results.total
    failed = None if results is None else results.failed
    is_ended = report.exit_code == 0 and not failed and not timed_out
    is_passed: bool | None = is_ended and (total > 0 or results is None)
    is_unread = is_passed and results is None and runner.has_report
    if is_unread or (results is None and _is_not_started(command, report)):
        is_passed = None
    whole = _whole_output(results, outcome)
    stored = bench.results.store(whole) if whole else None
    return RunTestsReport(
        runner=runner.name,
        command=shlex.join(command.argv).replace(TMP, "$TMP"),
        program=_shown(outcome.program, project),
        is_passed=is_passed,
        passed=None if results is None else results.passed,
        failed=failed,
        skipped=None if results is None else results.skipped,
        failures=[] if results is None else results.failures[:_MAX_FAILURES],
        exit_code=report.exit_code,
        timed_out=timed_out,
        exceeded=report.exceeded,
        duration_ms=_duration_ms(outcome, report),
        read_from=None if results is None else results.source,
        unread_because=reason,
        last_lines="" if failed or (is_passed and total) else last_lines(whole, _LAST_LINES),
        other_runners=others,
        sandbox=report.sandbox,
        suggestion=None if is_ended else _advice(command, report, results, bench),
        output=stored and StoredOutput(uri=stored.uri, size_bytes=stored.size_bytes),
    )


def _read(
    runner: Runner, outcome: RunnerOutput, project: ProjectView
) -> tuple[RunResults | None, str | None]:
    """Return the results, or why there are none."""
    try:
        return runner.read(outcome, project), None
    except UnreadableReport as error:
        return None, str(error)


def _whole_output(results: RunResults | None, outcome: RunnerOutput) -> str:
    """Return what the runner printed; its reports if it printed nothing else."""
    inner = None if results is None else results.output
    printed = (outcome.stdout if inner is None else inner, outcome.stderr)
    shown = [it for it in printed if it.strip()] or [text for _, text in outcome.reports]
    return "\n".join(shown)


def _duration_ms(outcome: RunnerOutput, report: ExecutionReport) -> int:
    return report.duration_ms if outcome.duration_s is None else round(1000 * outcome.duration_s)


def _advice(
    command: RunnerCommand, report: ExecutionReport, results: RunResults | None, bench: Bench
) -> str | None:
    """Return what the runner or its tests probably lack inside the sandbox."""
    if report.suggestion is not None or report.sandbox == UNCONFINED:
        return report.suggestion
    text = report.stderr + report.stdout
    lacking = _lacking(command, report)
    if lacking is not None and results is None:
        return f"{lacking}. Install it in the environment of the project.{_hidden(command, bench)}"
    if _READ_ONLY in text and Effect.WRITE not in bench.effects:
        return "Some of it writes to the workspace, which is read-only without --allow write."
    if any(it in text for it in _NO_SOCKETS):
        return (
            "The sandbox has no network, not even loopback: tests of servers, and Gradle itself, "
            "need --unconfined."
        )
    if results is not None:
        return None
    hidden = _hidden(command, bench)
    if hidden:
        return hidden.strip()
    if report.exit_code == _NOT_FOUND:
        return "A program was not found: install it in the project, or name another runner."
    return None


def _lacking(command: RunnerCommand, report: ExecutionReport) -> str | None:
    """Return what the runner says it needs and does not have."""
    ending = (report.stderr + report.stdout)[-_MAX_ENDING_CHARS:]
    return next((it for mark, it in command.needs.items() if mark in ending), None)


def _is_not_started(command: RunnerCommand, report: ExecutionReport) -> bool:
    """Return whether there was no runner to run a test."""
    if report.exit_code in {_NOT_FOUND, _CANNOT_RUN}:
        return True
    return report.exit_code != 0 and _lacking(command, report) is not None


def _hidden(command: RunnerCommand, bench: Bench) -> str:
    """Return which folders of the runner the sandbox does not show; nothing if it shows all."""
    places = [home_folder() / it for it in command.home]
    hidden = [it for it in places if it.is_dir() and not _is_visible(it, bench.toolchains)]
    if not hidden:
        return ""
    named = ", ".join(map(str, hidden))
    return (
        f" Programs in the sandbox do not see {named}. If the tests need them, allow the "
        "folders with the setting toolchains (BENCHPIN_TOOLCHAINS): they are read-only inside."
    )


def _shown(program: str, project: ProjectView) -> str | None:
    """Return the path of a program, relative to the workspace if it is there."""
    return program.removeprefix(f"{project.root}/") or None


def _is_visible(folder: Path, toolchains: Sequence[Path]) -> bool:
    return any(folder.is_relative_to(it) for it in toolchains)
