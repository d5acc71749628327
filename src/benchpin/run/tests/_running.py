"""Run the tests of a project: one path for `run_tests` and for the certificate of a change."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from benchpin.run.sandbox import Execution, ExecutionReport, RunningCall, execute, fetched_folders

from ._command import (
    COVERAGE_FILES,
    KEPT_BYTES,
    Harness,
    Runner,
    RunnerCommand,
    RunnerName,
    RunnerOutput,
)
from ._project_view import ProjectView
from ._results import RunResults, UnreadableReport
from ._runners import choose_runner

# The exit codes of shells for a command that is not there, or cannot be run.
_NOT_FOUND, _CANNOT_RUN = 127, 126
_MAX_ENDING_CHARS = 4_000


@dataclass(frozen=True)
class TestRun:
    """How a run of tests went."""

    runner: Runner
    others: list[RunnerName]
    """The other runners of the project."""
    command: RunnerCommand
    report: ExecutionReport
    outcome: RunnerOutput
    results: RunResults | None
    unread_because: str | None
    """Why there are no results."""
    coverage: tuple[tuple[str, str], ...] = ()
    """Reports of the lines that ran, each a path and a text."""

    @property
    def is_timed_out(self) -> bool:
        return self.outcome.is_timed_out or self.report.timed_out

    @property
    def is_started(self) -> bool:
        """Whether there was a runner to run a test."""
        if self.report.exit_code in {_NOT_FOUND, _CANNOT_RUN}:
            return False
        return self.report.exit_code == 0 or self.lacking is None

    @property
    def lacking(self) -> str | None:
        """What the runner says it needs and does not have."""
        ending = (self.report.stderr + self.report.stdout)[-_MAX_ENDING_CHARS:]
        return next((it for mark, it in self.command.needs.items() if mark in ending), None)


def run_project_tests(
    project: ProjectView,
    tests: Sequence[str],
    timeout_s: float,
    call: RunningCall,
    *,
    wanted: RunnerName | None = None,
    may_run: Callable[[Runner], None] = lambda _runner: None,
    covering: Sequence[str] = (),
    stops_early: bool = False,
    environment: Mapping[str, str] | None = None,
) -> TestRun:
    """Run tests as the project does, in the sandbox, and read the results.

    `may_run` may refuse a runner. `covering` are files of which to report the lines that ran, where
    the runner can. With `stops_early` the first failure ends the run.

    Raises:
        InvalidParams: when the project has no runner.
        SandboxFailed: when the runner could not be started.
    """
    runner, others = choose_runner(project, tests, wanted)
    may_run(runner)
    command = runner.command(project, tests)
    more = runner.cover(project, covering) if covering and runner.cover is not None else None
    added = more or RunnerCommand(())
    early = (runner.stop_option,) if stops_early and runner.stop_option else ()
    command = replace(
        command,
        argv=(*command.argv, *added.argv, *early),
        environment={**command.environment, **added.environment, **(environment or {})},
        reports=(*command.reports, *added.reports),
    )
    left_s = call.job.time_left_s()
    harness = Harness(command, timeout_s if left_s is None else min(timeout_s, left_s))
    program = Execution(
        (sys.executable, "-I", "-S"),
        str(project.path),
        harness.script,
        toolchains=fetched_folders(),
        kept_bytes=KEPT_BYTES,
    )
    report = execute(program, timeout_s, call)
    outcome = harness.take_apart(report.stdout, report.stderr, report.exit_code)
    # The readers take every report for one of tests.
    coverage = tuple(it for it in outcome.reports if it[0].endswith(COVERAGE_FILES))
    rest = [it for it in outcome.reports if it not in coverage]
    outcome = replace(outcome, reports=rest)
    results, reason = None, None
    try:
        results = runner.read(outcome, project)
    except UnreadableReport as error:
        reason = str(error)
    return TestRun(runner, others, command, report, outcome, results, reason, coverage)
