"""Run the tests of a project."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import Field

from benchpin.core import (
    Bench,
    Content,
    Effect,
    InvalidParams,
    InvalidPath,
    Item,
    Params,
    Rare,
    ResourceLink,
    Result,
    counted,
    plain,
    tool,
)
from benchpin.engines.execution import UNCONFINED, Program
from benchpin.engines.execution.calls import Timeout, execute, require_allowed
from benchpin.engines.execution.report import ExecutionReport
from benchpin.engines.testing.command import KEPT_BYTES, TMP, Harness, Outcome, RunnerCommand
from benchpin.engines.testing.project import Project
from benchpin.engines.testing.results import Failure, RunResults, UnreadableReport, last_lines
from benchpin.engines.testing.runner import Runner, RunnerName
from benchpin.engines.testing.runners import choose_runner

_MOST_TESTS = 1_000
_MOST_FAILURES = 50
_SHOWN = 10
"""Places whose lines are in the text; of the others only the failure and its message are."""
_LAST_LINES = 20
_NOT_FOUND = 127
_READ_ONLY = "Read-only file system"
_NO_SOCKETS = ("EAFNOSUPPORT", "Address family not supported")


class RunTestsParams(Params):
    """Which tests to run."""

    tests: Annotated[tuple[str, ...], Field(max_length=_MOST_TESTS)] = ()
    """Test files, or tests as the runner names them; all by default."""
    path: Rare[str] = "."
    """Folder of the project."""
    runner: Rare[RunnerName | None] = None
    """The runner to take, if the project has several or it is not found."""
    timeout: Rare[Timeout] = 600
    """Seconds after which the tests are stopped; the server may stop them earlier."""


class StoredOutput(Item):
    """Where the whole output can be read."""

    uri: str
    """Read it in pages, or search it, with read_result."""
    size_bytes: int


class RunTestsReport(Result):
    """Counts, failures, and how the tests were run."""

    runner: RunnerName
    command: str
    is_passed: bool
    """Whether tests ran, and none failed, and the runner said so by its exit status."""
    passed: int | None
    """None, like the next two, when the results could not be read."""
    failed: int | None
    """Failures and errors."""
    skipped: int | None
    failures: list[Failure]
    """The first ones."""
    exit_code: int | None
    timed_out: bool
    duration_ms: int
    read_from: str | None
    """What the counts were read from: a format of the runner, or its text."""
    unread_because: str | None
    """Why there are no counts: then only the exit status and the last lines are known."""
    last_lines: str
    """The end of the output, when the failures do not say what went wrong."""
    other_runners: list[RunnerName]
    """Which the project has as well."""
    sandbox: str
    suggestion: str | None
    output: StoredOutput | None

    def to_text(self) -> str:
        """Return the counts, then each failure with its place and the lines that matter."""
        lines = [f"{self.runner}: {self._ending()} ({self.duration_ms / 1000:.1f} s)"]
        if self.unread_because is not None:
            lines.append(f"The results were not read: {self.unread_because}.")
        for number, alike in enumerate(_grouped(self.failures)):
            lines += _shown(alike, with_lines=number < _SHOWN)
        rest = (self.failed or 0) - len(self.failures)
        if rest > 0:
            lines.append(f"and {counted(rest, 'more failure')}: see the output")
        if self.last_lines:
            lines += ["last lines of the output:", *_indented(self.last_lines)]
        if self.other_runners:
            others = ", ".join(self.other_runners)
            lines.append(self.text_style.hint(f"Also here: {others}; choose with runner."))
        if self.suggestion is not None:
            lines.append(self.suggestion)
        if self.output is not None:
            lines.append(f"whole output: {self.output.uri}, {self.output.size_bytes:,} bytes")
        return "\n".join(lines)

    def _ending(self) -> str:
        if self.passed is None:
            return "stopped, time is up" if self.timed_out else f"exit code {self.exit_code}"
        named = (("failed", self.failed), ("passed", self.passed), ("skipped", self.skipped))
        counts = ", ".join(f"{count} {name}" for name, count in named if count) or "no test ran"
        if self.timed_out:
            return f"stopped, time is up; {counts} until then"
        is_odd = self.exit_code != 0 and not self.failed
        return f"{counts}, exit code {self.exit_code}" if is_odd else counts

    def lacks(self) -> list[str]:
        """Return what is only in the output."""
        rest = (self.failed or 0) - len(self.failures)
        return [counted(rest, "failure")] if rest > 0 else []

    def to_content(self) -> Sequence[Content]:
        """Return the text, and a link to the whole output."""
        if self.output is None:
            return super().to_content()
        name = self.output.uri.removeprefix("result://")
        size = self.output.size_bytes
        link = ResourceLink(self.output.uri, name, "text/plain", "The whole output", size)
        return (*super().to_content(), link)

    def exit_status(self) -> int:
        """Return 0 if the tests passed."""
        return 0 if self.is_passed else 1


def _grouped(failures: Sequence[Failure]) -> list[list[Failure]]:
    """Put together what failed in the same place for the same reason, such as a fixture."""
    groups: dict[tuple[object, ...], list[Failure]] = {}
    for it in failures:
        groups.setdefault((it.file, it.line, it.message), []).append(it)
    return list(groups.values())


def _shown(alike: Sequence[Failure], *, with_lines: bool) -> list[str]:
    failure = alike[0]
    where = "" if failure.file is None else plain(failure.file)
    where += "" if failure.line is None else f":{failure.line}"
    head = f"{where or '(place unknown)'}  {failure.name}"
    head += f" and {len(alike) - 1:,} others alike" if len(alike) > 1 else ""
    if not with_lines:
        return [f"{head}: {failure.message}"]
    is_repeated = failure.message in failure.excerpt
    return [head, *([] if is_repeated else [f"    {failure.message}"]), *_indented(failure.excerpt)]


def _indented(text: str) -> list[str]:
    return [f"    {it}" for it in text.splitlines()]


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
        require_allowed(params.timeout, run_tests.name, bench)
    folder = bench.existing(params.path)
    if not folder.is_dir():
        raise InvalidPath(
            f"{params.path!r} is not a folder",
            suggestion="Give the folder of the project as path, and the file in tests.",
        )
    project = Project(bench.workspace.root, bench.workspace.relative(folder), bench.permissions)
    tests = [_checked(it, project, bench) for it in params.tests]
    runner, others = choose_runner(project, tests, params.runner)
    if runner.needs_write and not bench.is_unconfined:
        bench.require(Effect.WRITE, f"{runner.name}, which writes into the project,")
    command = runner.command(project, tests)
    left_s = bench.job.time_left_s()
    harness = Harness(command, params.timeout if left_s is None else min(params.timeout, left_s))
    program = Program(
        (sys.executable, "-I", "-S"), str(folder), script=harness.script, kept_bytes=KEPT_BYTES
    )
    report = execute(program, params.timeout, bench)
    outcome = harness.take_apart(report.stdout, report.stderr, report.exit_code)
    return _report(runner, others, project, command, report, outcome, bench)


def _checked(test: str, project: Project, bench: Bench) -> str:
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
    project: Project,
    command: RunnerCommand,
    report: ExecutionReport,
    outcome: Outcome,
    bench: Bench,
) -> RunTestsReport:
    results, reason = _read(runner, outcome, project)
    timed_out = outcome.is_timed_out or report.timed_out
    if timed_out:
        bench.job.leave_out("tests that had not run when the time was up")
    for it in outcome.problems:
        bench.job.leave_out(it)
    total = 0 if results is None else results.total
    failed = None if results is None else results.failed
    is_passed = report.exit_code == 0 and not failed and not timed_out
    whole = _whole_output(results, outcome)
    stored = bench.results.store(whole) if whole else None
    return RunTestsReport(
        runner=runner.name,
        command=shlex.join(command.argv).replace(TMP, "$TMP"),
        is_passed=is_passed and (results is None or total > 0),
        passed=None if results is None else results.passed,
        failed=failed,
        skipped=None if results is None else results.skipped,
        failures=[] if results is None else results.failures[:_MOST_FAILURES],
        exit_code=report.exit_code,
        timed_out=timed_out,
        duration_ms=_duration_ms(outcome, report),
        read_from=None if results is None else results.source,
        unread_because=reason,
        last_lines="" if failed or (is_passed and total) else last_lines(whole, _LAST_LINES),
        other_runners=others,
        sandbox=report.sandbox,
        suggestion=None if is_passed else _advice(command, report, results, bench),
        output=stored and StoredOutput(uri=stored.uri, size_bytes=stored.size_bytes),
    )


def _read(
    runner: Runner, outcome: Outcome, project: Project
) -> tuple[RunResults | None, str | None]:
    """Return the results, or why there are none."""
    try:
        return runner.read(outcome, project), None
    except UnreadableReport as error:
        return None, str(error)


def _whole_output(results: RunResults | None, outcome: Outcome) -> str:
    """Return what the runner printed; its reports if it printed nothing else."""
    inner = None if results is None else results.output
    printed = (outcome.stdout if inner is None else inner, outcome.stderr)
    shown = [it for it in printed if it.strip()] or [text for _, text in outcome.reports]
    return "\n".join(shown)


def _duration_ms(outcome: Outcome, report: ExecutionReport) -> int:
    return report.duration_ms if outcome.duration_s is None else round(1000 * outcome.duration_s)


def _advice(
    command: RunnerCommand, report: ExecutionReport, results: RunResults | None, bench: Bench
) -> str | None:
    """Return what the runner or its tests probably lack inside the sandbox."""
    if report.suggestion is not None or report.sandbox == UNCONFINED:
        return report.suggestion
    text = report.stderr + report.stdout
    if _READ_ONLY in text and Effect.WRITE not in bench.effects:
        return "Some of it writes to the workspace, which is read-only without --allow write."
    if any(it in text for it in _NO_SOCKETS):
        return "The sandbox has no network, not even loopback: tests of servers need --unconfined."
    if results is not None:
        return None
    places = [Path.home() / it for it in command.home]
    hidden = [it for it in places if it.is_dir() and not _is_visible(it, bench.toolchains)]
    if hidden:
        named = ", ".join(map(str, hidden))
        return (
            f"Programs in the sandbox do not see {named}. If the tests need them, allow the "
            "folders with the setting toolchains (BENCHPIN_TOOLCHAINS): they are read-only inside."
        )
    if report.exit_code == _NOT_FOUND:
        return "A program was not found: install it in the project, or name another runner."
    return None


def _is_visible(folder: Path, toolchains: Sequence[Path]) -> bool:
    return any(folder.is_relative_to(it) for it in toolchains)
