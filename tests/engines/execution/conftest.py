"""What tests of execution share: a shell in each kind of sandbox."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchpin.core import Job, Permissions
from benchpin.engines.execution import Program, Sandbox
from benchpin.engines.execution.hiding import workspace_view
from benchpin.engines.execution.process import Outcome
from benchpin.engines.execution.running import run_confined
from sandboxes import KINDS, working

Run = Callable[..., Outcome]
TIMEOUT_S = 40.0


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
        timeout_s: float = TIMEOUT_S,
        may_write: bool = False,
        permissions: Permissions | None = None,
        job: Job | None = None,
    ) -> Outcome:
        job = job or Job()
        rights = permissions or Permissions()
        view = workspace_view(workspace, rights, job, may_write=may_write)
        program = Program(("/bin/sh", "-c", command), str(workspace))
        return run_confined(program, view, sandbox.bubblewrap, timeout_s, job)

    return run_shell


@pytest.fixture
def python(workspace: Path, sandbox: Sandbox) -> Run:
    """Return a function that runs Python code in the workspace."""

    def run_code(code: str, *, timeout_s: float = TIMEOUT_S) -> Outcome:
        view = workspace_view(workspace, Permissions(), Job(), may_write=False)
        program = Program((sys.executable, "-I"), str(workspace), script=code)
        return run_confined(program, view, sandbox.bubblewrap, timeout_s, Job())

    return run_code
