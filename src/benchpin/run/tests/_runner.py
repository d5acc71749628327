"""A test runner as a table of functions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ._command import Outcome, RunnerCommand
from ._project import Project
from ._results import RunResults, UnreadableReport

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
class Runner:
    """How one runner is recognised, started and read."""

    name: RunnerName
    endings: tuple[str, ...]
    """The ends of the names of its test files."""
    is_used_by: Callable[[Project], bool]
    command: Callable[[Project, Sequence[str]], RunnerCommand]
    """Takes the tests to run; none means all."""
    read: Callable[[Outcome, Project], RunResults]
    """Raises `UnreadableReport` when there is nothing that it knows."""
    needs_write: bool = False
    """Whether it cannot run without writing into the project."""

    @property
    def has_report(self) -> bool:
        """Whether more than its exit status can be known."""
        return self.read is not by_exit_status


def by_exit_status(_outcome: Outcome, _project: Project) -> RunResults:
    """Read nothing: what such a runner writes is not known.

    Raises:
        UnreadableReport: always.
    """
    raise UnreadableReport("this runner writes no report that Benchpin knows")
