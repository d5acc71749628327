"""Running tests: which runner a project has, its command line, and its results."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._command import (
        KEPT_BYTES,
        TMP,
        Harness,
        Runner,
        RunnerCommand,
        RunnerName,
        RunnerOutput,
        by_exit_status,
    )
    from ._project_under_test import (
        ProjectUnderTest,
        any_of,
        choose_interpreter,
        failing_place,
        files_of,
        find_environments,
        find_interpreters,
    )
    from ._results import (
        FailedTest,
        JUnitCase,
        Place,
        RunResults,
        UnreadableReport,
        last_lines,
        read_junit,
    )

__all__ = [
    "KEPT_BYTES",
    "TMP",
    "FailedTest",
    "Harness",
    "JUnitCase",
    "Place",
    "ProjectUnderTest",
    "RunResults",
    "Runner",
    "RunnerCommand",
    "RunnerName",
    "RunnerOutput",
    "UnreadableReport",
    "any_of",
    "by_exit_status",
    "choose_interpreter",
    "failing_place",
    "files_of",
    "find_environments",
    "find_interpreters",
    "last_lines",
    "read_junit",
]

__getattr__ = lazy(
    __name__,
    """
    _command: Harness KEPT_BYTES RunnerOutput RunnerCommand TMP
    _project_under_test: choose_interpreter find_environments find_interpreters
    _results: JUnitCase read_junit
    _project_under_test: ProjectUnderTest any_of failing_place files_of
    _results: FailedTest Place RunResults UnreadableReport last_lines
    _command: Runner RunnerName by_exit_status
    """,
)
