"""The command line of a test runner, and the script that runs it inside the sandbox."""

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from . import _harness as harness
from ._project_view import ProjectView
from ._results import RunResults, UnreadableReport

# Replaced in arguments and variables by a new folder of this run, outside the workspace.
TMP = harness.TMP
# How the names of reports of the lines that ran end: in the format of lcov, or of go test.
COVERAGE_FILES = ("lcov.info", "cover.out")
# The limit of the output; half of it, its end, has room for the reports.
KEPT_BYTES = 16 << 20
_REPORT_BYTES = 6 << 20
# The time for a runner that is interrupted: some write a report then.
_GRACE_S = 4.0
# A report may claim any time.
_MAX_SECONDS = 1e6
RunnerName = Literal[
    "pytest",
    "unittest",
    "go",
    "cargo",
    "vitest",
    "jest",
    "mocha",
    "node",
    "npm",
    "maven",
    "gradle",
    "phpunit",
    "make",
]


@dataclass(frozen=True, slots=True)
class RunnerCommand:
    """What to start, and where it leaves its reports."""

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    read_only_environment: Mapping[str, str] = field(default_factory=dict)
    """Variables for a project that may not be written."""
    path: tuple[str, ...] = ()
    """Folders to look for programs in before all others, relative to the project."""
    globs: tuple[str, ...] = ()
    """Patterns of files that become the last arguments."""
    reports: tuple[str, ...] = ()
    """Files to read afterwards: in TMP, or patterns of the ends of paths in the project."""
    home: tuple[str, ...] = ()
    """Folders with toolchains that the runner reads: of the home folder, or absolute. The operator
    has to allow them."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """What the runner lacks, by the message that it ends with then."""


@dataclass(frozen=True, slots=True)
class RunnerOutput:
    """How a runner ended and what it wrote."""

    stdout: str
    stderr: str
    exit_code: int | None
    reports: list[tuple[str, str]] = field(default_factory=list)
    """Paths and contents."""
    is_timed_out: bool = False
    duration_s: float | None = None
    problems: tuple[str, ...] = ()
    """Why reports were left out."""
    program: str = ""
    """The path of the program that ran."""


class _Ending(msgspec.Struct):
    """What the script writes last.

    Decoding into types makes no other objects: untyped, hostile 6 MB held the interpreter for half
    a second.
    """

    program: str
    reports: list[tuple[str, str]]
    problems: tuple[str, ...]
    is_timed_out: bool
    duration_s: float


class Harness:
    """The script of one run, and how its output is taken apart."""

    def __init__(self, command: RunnerCommand, limit_s: float) -> None:
        """Prepare a run that ends, with its reports, within this many seconds."""
        grace_s = min(_GRACE_S, limit_s / 4)
        # The output of tests cannot contain it by accident.
        self._mark = f"benchpin-{secrets.token_hex(16)}:"
        plan = {
            "argv": list(command.argv),
            "environment": dict(command.environment),
            "read_only_environment": dict(command.read_only_environment),
            "path": list(command.path),
            "globs": list(command.globs),
            "reports": list(command.reports),
            "max_bytes": _REPORT_BYTES,
            # The clock is the same inside: what the sandbox takes to start is included.
            "deadline": time.monotonic() + limit_s - grace_s,
            "grace_s": grace_s * 3 / 4,  # the rest is for reading the reports
            "mark": self._mark,
        }
        self.script = f"{_source()}\nmain({json.dumps(plan)!r})\n"

    def take_apart(self, stdout: str, stderr: str, exit_code: int | None) -> RunnerOutput:
        """Separate what the runner wrote from the reports that follow it."""
        output, mark, line = stdout.rpartition(self._mark)
        if not mark:
            return RunnerOutput(stdout, stderr, exit_code)
        try:
            ending = msgspec.json.decode(line.strip(), type=_Ending)
        # A program that tests left behind may write into the same line.
        except (ValueError, RecursionError):
            return RunnerOutput(output, stderr, exit_code, problems=("its reports were garbled",))
        return RunnerOutput(
            stdout=output.removesuffix("\n"),
            stderr=stderr,
            exit_code=exit_code,
            reports=ending.reports,
            is_timed_out=ending.is_timed_out,
            duration_s=min(max(ending.duration_s, 0.0), _MAX_SECONDS),
            problems=ending.problems,
            program=ending.program,
        )


@cache
def _source() -> str:
    return Path(harness.__file__).read_text(encoding="utf-8")


# A test runner as a table of functions.


@dataclass(frozen=True, slots=True)
class Runner:
    """How one runner is recognised, started and read."""

    name: RunnerName
    endings: tuple[str, ...]
    """The ends of the names of its test files."""
    is_used_by: Callable[[ProjectView], bool]
    command: Callable[[ProjectView, Sequence[str]], RunnerCommand]
    """Takes the tests to run; none means all."""
    read: Callable[[RunnerOutput, ProjectView], RunResults]
    """Raises `UnreadableReport` when there is nothing that it knows."""
    needs_write: bool = False
    """Whether it cannot run without writing into the project."""
    cover: Callable[[ProjectView, Sequence[str]], RunnerCommand | None] | None = None
    """Returns what to add so that the lines of some files that run are written to a report.

    None where the project lacks what that takes.
    """
    stop_option: str = ""
    """Ends a run at its first failure."""
    to_profile: str = ""
    """What `benchpin perf record` runs to profile the tests; empty if it cannot."""

    @property
    def has_report(self) -> bool:
        """Whether more than its exit status can be known."""
        return self.read is not by_exit_status


def by_exit_status(_outcome: RunnerOutput, _project: ProjectView) -> RunResults:
    """Read nothing: what such a runner writes is not known.

    Raises:
        UnreadableReport: always.
    """
    raise UnreadableReport("this runner writes no report that Benchpin knows")
