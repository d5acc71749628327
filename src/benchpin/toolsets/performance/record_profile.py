"""Run a program under a profiler, and store its profiles as a snapshot."""

import sys
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.tools import AlsoNamed, Effect, Mark, PathArgument, Rare, tool
from benchpin.performance.recording import (
    KEPT_BYTES,
    MAX_RUNS,
    Clock,
    ProfilerName,
    Recording,
    RecordingFailed,
    read_recorded,
)
from benchpin.run.sandbox import (
    Execution,
    Timeout,
    execute,
    fetched_folders,
    require_allowed,
    require_passable,
)
from benchpin.run.tests import ProjectView, RunnerCommand, RunnerName

from ._artifacts import budget_of
from ._interpreters import passed_over, program_folders, tests_to_record
from ._params import PerformanceParams
from ._recorded import RecordedProfiles, RunEnd
from .ingest_artifacts import stored

_MAX_OUTPUT_CHARS = 500


class RecordParams(PerformanceParams):
    """What to run, and how often."""

    argv: Annotated[
        tuple[str, ...], Field(max_length=1000), AlsoNamed(("command",)), Mark.COMMAND
    ] = ()
    """The command; such as ["python", "app.py"]. A script may name its interpreter."""
    tests: Annotated[tuple[str, ...], Field(max_length=100)] = ()
    """Instead of argv: test files, or tests as run_tests takes them."""
    runner: Rare[RunnerName | None] = None
    """The test runner, if the project has several."""
    runs: Rare[Annotated[int, Field(ge=1, le=MAX_RUNS)]] = 10
    """How often; ten runs let compare_snapshots tell changes from noise."""
    profiler: Rare[ProfilerName | None] = None
    """By default that of its language: cprofile; spx, excimer or xdebug of PHP; cpu-prof of Node;
    jfr of Java; go-test; callgrind (valgrind) of compiled ones, which are 50 times slower then."""
    clock: Rare[Clock] = "wall"
    """cpu measures processor time, which other programs hardly disturb; cprofile and excimer."""
    working_directory: Rare[PathArgument[str]] = "."
    """Folder to run it in."""
    timeout: Rare[Timeout] = 600
    """Seconds for all runs; those that ended by then are stored."""


@tool(
    title="Record profiles",
    effect=Effect.EXECUTE,
    needs_sandbox=True,
    also=(
        "profile a program, cProfile, py-spy, Xdebug, Excimer, SPX, node --cpu-prof, measure a "
        "script, benchmark, why is my script slow, make a flame graph of a command"
    ),
)
def record_profile(params: RecordParams, bench: Bench) -> RecordedProfiles:
    """Run a program or tests under a profiler, and store the profiles.

    Python, PHP, Node, Java, compiled programs (C, C++, Rust), and tests of the runners of
    run_tests. Runs in the sandbox of execute_command: no network; the workspace is writable only
    if the operator allows it.
    """
    if "timeout" in params.model_fields_set:
        require_allowed(params.timeout, record_profile.name, bench.job)
    folder = bench.existing_folder(params.working_directory)
    project = ProjectView(bench.workspace.root, bench.workspace.relative(folder), bench.permissions)
    if bool(params.argv) == bool(params.tests):
        raise InvalidParams(
            "Both argv and tests were given" if params.tests else "There is nothing to record",
            suggestion='Give argv, such as ["python", "app.py"], or tests, such as '
            '["tests/test_a.py::test_b"].',
        )
    started, name = RunnerCommand(params.argv), ""
    if params.tests:
        started, name = tests_to_record(params.tests, params.runner, project, bench)
    require_passable(started.argv, "argv")
    folders = [*(str(project.path / it) for it in started.path), *program_folders(project)]
    left_s = bench.job.time_left_s()
    limit_s = params.timeout if left_s is None else min(params.timeout, left_s)
    recording = Recording.of(
        started.argv,
        folders,
        params.runs,
        params.profiler,
        params.clock,
        limit_s,
        environment=started.environment,
        read_only_environment=started.read_only_environment,
        globs=started.globs,
    )
    program = Execution(
        (sys.executable, "-I", "-S"),
        str(folder),
        script=recording.script,
        toolchains=fetched_folders(),
        kept_bytes=KEPT_BYTES,
    )
    report = execute(program, params.timeout, bench)
    outcome = recording.outcome(report.stdout, report.stderr, is_stopped=report.timed_out)
    said = "".join(it.stderr for it in outcome.runs)
    lacking = next((it for mark, it in started.needs.items() if mark in said), None)
    if lacking:
        raise RecordingFailed(lacking, suggestion="Install it in the project's environment.")
    shown = name or outcome.command(params.argv)
    found = read_recorded(outcome, shown, params.clock, budget_of(bench), bench.job)
    ingested = stored(found, {}, [], bench)
    for lack in outcome.lacks(params.runs):
        bench.job.leave_out(lack)
    return RecordedProfiles(
        **dict(ingested),
        command=shown,
        profiler=outcome.profiler,
        profiler_version=outcome.version,
        interpreter=outcome.interpreter.removeprefix(f"{bench.workspace.root}/"),
        passed_over=passed_over(outcome.interpreter, outcome.looked_up, folders),
        runs=[RunEnd(exit_code=it.exit_code, duration_ms=it.duration_ms) for it in outcome.runs],
        sandbox=report.sandbox,
        stderr=next(
            (it.stderr.strip()[-_MAX_OUTPUT_CHARS:] for it in outcome.runs if it.exit_code), ""
        ),
    )
