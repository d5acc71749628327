"""Run the tests of a project."""

from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Params, Rare, tool
from benchpin.run.sandbox import Timeout, require_allowed
from benchpin.run.tests import (
    ProjectView,
    Runner,
    RunnerName,
    checked_test,
    run_project_tests,
)

from ._tests import RunTestsReport, report_of

_MAX_TESTS = 1_000


class RunTestsParams(Params):
    """Which tests to run."""

    tests: Annotated[tuple[str, ...], Field(max_length=_MAX_TESTS)] = ()
    """Test files, or tests as the runner names them; all by default."""
    path: Rare[str] = "."
    """Folder of the project."""
    runner: Rare[RunnerName | None] = None
    """The test runner to use, if the project has several or none is detected."""
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
    """Run all or some tests of a project, and list the failures.

    Runs in the sandbox of execute_command: no network; the workspace is writable only if the
    operator allows it.
    """
    if "timeout" in params.model_fields_set:
        require_allowed(params.timeout, run_tests.name, bench.job)
    folder = bench.existing_folder(params.path)
    project = ProjectView(bench.workspace.root, bench.workspace.relative(folder), bench.permissions)
    tests = [
        checked_test(it, project, lambda path: bench.workspace.relative(bench.path(path)))
        for it in params.tests
    ]

    def require_write(runner: Runner) -> None:
        if runner.needs_write and not bench.is_unconfined:
            bench.require(Effect.WRITE, f"{runner.name}, which writes into the project,")

    run = run_project_tests(
        project, tests, params.timeout, bench, wanted=params.runner, may_run=require_write
    )
    return report_of(run, project, bench)
