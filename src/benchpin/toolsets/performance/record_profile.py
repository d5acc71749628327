"""Run a program under a profiler, and store its profiles as a snapshot."""

import sys
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.core.tools import Effect, PathArgument, Rare, tool
from benchpin.performance.recording import (
    KEPT_BYTES,
    MAX_RUNS,
    Clock,
    ProfilerName,
    Recording,
    read_recorded,
)
from benchpin.run.sandbox import Execution, Timeout, execute, require_allowed, require_passable
from benchpin.run.tests import ProjectView

from ._artifacts import budget_of
from ._interpreters import passed_over, program_folders
from ._params import PerformanceParams
from .ingest_artifacts import Ingested, stored

_MAX_OUTPUT_CHARS = 500


class RecordParams(PerformanceParams):
    """What to run, and how often."""

    argv: Annotated[tuple[str, ...], Field(min_length=1, max_length=1000)]
    """The command; such as ["python", "app.py"]. A script may name its interpreter."""
    runs: Rare[Annotated[int, Field(ge=1, le=MAX_RUNS)]] = 10
    """How often; ten runs let compare_snapshots tell changes from noise."""
    profiler: Rare[ProfilerName | None] = None
    """By default that of its language: cprofile; spx, excimer or xdebug of PHP; cpu-prof of Node;
    go-test; callgrind (valgrind) of compiled programs, which makes them 50 times slower."""
    clock: Rare[Clock] = "wall"
    """cpu measures processor time, which other programs hardly disturb; cprofile and excimer."""
    working_directory: Rare[PathArgument[str]] = "."
    """Folder to run it in."""
    timeout: Rare[Timeout] = 600
    """Seconds for all runs; those that ended by then are stored."""


class RunEnd(Item):
    """How a run ended."""

    exit_code: int
    duration_ms: int
    """With the profiler, which slows the program down."""


class RecordedProfiles(Ingested):
    """The snapshot of the recorded profiles."""

    command: str
    profiler: ProfilerName
    profiler_version: str
    interpreter: str
    """The program that ran it, relative to the workspace if it is there."""
    passed_over: Annotated[str, Field(exclude_if=lambda it: not it)] = ""
    """The interpreter that a terminal would take, if programs in the sandbox do not see it."""
    runs: list[RunEnd]
    sandbox: str
    stderr: Annotated[str, Field(exclude_if=lambda it: not it)] = ""
    """The end of what the first run that failed wrote to stderr."""

    def is_failure(self) -> bool:
        """Whether a run ended with an error: its profile is not that of the work."""
        return self.is_empty or any(it.exit_code for it in self.runs)

    def failure_note(self) -> str:
        """Say how a run ended, if not well."""
        failed = [it.exit_code for it in self.runs if it.exit_code]
        if self.is_empty or not failed:
            return super().failure_note()
        return f"{self.command} ended with exit code {failed[0]}: {self.stderr}"

    def to_text(self) -> str:
        """Return which profiler recorded how many runs, and the snapshot."""
        failed = [it.exit_code for it in self.runs if it.exit_code]
        ended = f", {len(failed)} of them with exit code {failed[0]}" if failed else ""
        head = (
            f"{counted(len(self.runs), 'run')} of {self.command} recorded by {self.profiler} "
            f"({self.profiler_version}) with {self.interpreter}{ended}; sandbox: {self.sandbox}"
        )
        if self.passed_over:
            head += (
                f"\nNot with {self.passed_over}, which programs in the sandbox do not see. Allow "
                "its folder with the setting toolchains (BENCHPIN_TOOLCHAINS)."
            )
        said = f"\nIt said: {self.stderr}" if self.stderr else ""
        return f"{head}{said}\n{super().to_text()}"


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
    """Run a program or go test under a profiler, and store the profiles.

    Python, PHP, Node, go test, and compiled programs (C, C++, Rust). Runs in the sandbox of
    execute_command: no network; the workspace is writable only if the operator allows it.
    """
    if "timeout" in params.model_fields_set:
        require_allowed(params.timeout, record_profile.name, bench.job)
    folder = bench.existing_folder(params.working_directory)
    require_passable(params.argv, "argv")
    project = ProjectView(bench.workspace.root, bench.workspace.relative(folder), bench.permissions)
    folders = program_folders(project)
    left_s = bench.job.time_left_s()
    limit_s = params.timeout if left_s is None else min(params.timeout, left_s)
    recording = Recording.of(
        params.argv, folders, params.runs, params.profiler, params.clock, limit_s
    )
    program = Execution(
        (sys.executable, "-I", "-S"), str(folder), script=recording.script, kept_bytes=KEPT_BYTES
    )
    report = execute(program, params.timeout, bench)
    outcome = recording.outcome(report.stdout, report.stderr, is_stopped=report.timed_out)
    shown = outcome.command(params.argv)
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
