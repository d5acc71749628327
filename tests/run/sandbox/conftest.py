"""What tests of execution share: a shell in each kind of sandbox."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchpin.core.calls import Job, Permissions
from benchpin.run.sandbox import Execution, ExecutionReport, run_confined
from benchpin.run.sandbox._sandbox import Sandbox
from benchpin.run.sandbox._workspace_mounts import workspace_mounts
from sandboxes import KINDS, working
from waiting import WAIT_S

Run = Callable[..., ExecutionReport]


@pytest.fixture(params=KINDS)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Return each kind of sandbox that works here."""
    return working(request.param)


@pytest.fixture
def run(workspace: Path, sandbox: Sandbox) -> Run:
    """Return a function that runs a shell command in the workspace."""

    def run_shell(
        command: str,
        *,
        timeout_s: float = WAIT_S,
        may_write: bool = False,
        permissions: Permissions | None = None,
        job: Job | None = None,
    ) -> ExecutionReport:
        job = job or Job()
        rights = permissions or Permissions()
        view = workspace_mounts(workspace, rights, job, may_write=may_write)
        program = Execution(("/bin/sh", "-c", command), str(workspace))
        return run_confined(program, view, sandbox, timeout_s, job)

    return run_shell


@pytest.fixture
def python(workspace: Path, sandbox: Sandbox) -> Run:
    """Return a function that runs Python code in the workspace."""

    def run_code(code: str, *, timeout_s: float = WAIT_S) -> ExecutionReport:
        view = workspace_mounts(workspace, Permissions(), Job(), may_write=False)
        program = Execution((sys.executable, "-I"), str(workspace), script=code)
        return run_confined(program, view, sandbox, timeout_s, Job())

    return run_code
