"""Running tests: which runner a project has, its command line, and its results."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._command import (
        KEPT_BYTES,
        TMP,
        Harness,
        Outcome,
        Runner,
        RunnerCommand,
        RunnerName,
        by_exit_status,
    )
    from ._junit import (
        Failure,
        JUnitCase,
        Place,
        RunResults,
        UnreadableReport,
        last_lines,
        read_junit,
    )
    from ._project import (
        Project,
        any_of,
        choose_interpreter,
        failing_place,
        files_of,
        find_environments,
        find_interpreters,
    )

__all__ = [
    "KEPT_BYTES",
    "TMP",
    "Failure",
    "Harness",
    "JUnitCase",
    "Outcome",
    "Place",
    "Project",
    "RunResults",
    "Runner",
    "RunnerCommand",
    "RunnerName",
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
    _command: Harness KEPT_BYTES Outcome RunnerCommand TMP
    _project: choose_interpreter find_environments find_interpreters
    _junit: JUnitCase read_junit
    _project: Project any_of failing_place files_of
    _junit: Failure Place RunResults UnreadableReport last_lines
    _command: Runner RunnerName by_exit_status
    """,
)
