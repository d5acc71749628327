"""Running tests: which runner a project has, its command line, and its results."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._command import KEPT_BYTES, TMP, Harness, Runner, RunnerCommand, RunnerName, RunnerOutput
    from ._project_view import ProjectView, find_environments
    from ._results import FailedTest, RunResults, UnreadableReport, last_lines
    from ._runners import choose_runner, find_runners
    from ._running import TestRun, run_project_tests
    from ._test_names import MANIFESTS, caches_in, checked_test, is_named, is_unbuilt, name_for

__all__ = [
    "KEPT_BYTES",
    "MANIFESTS",
    "TMP",
    "FailedTest",
    "Harness",
    "ProjectView",
    "RunResults",
    "Runner",
    "RunnerCommand",
    "RunnerName",
    "RunnerOutput",
    "TestRun",
    "UnreadableReport",
    "caches_in",
    "checked_test",
    "choose_runner",
    "find_environments",
    "find_runners",
    "is_named",
    "is_unbuilt",
    "last_lines",
    "name_for",
    "run_project_tests",
]

__getattr__ = lazy(__name__)
