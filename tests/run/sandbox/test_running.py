"""Programs without a sandbox, which end all the same."""

import os
import sys
import threading
import uuid
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.run.sandbox import Execution, ExecutionReport
from benchpin.run.sandbox import _running as running
from benchpin.run.sandbox._process import SandboxFailed
from benchpin.run.sandbox._running import run_unconfined
from sandboxes import survivors
from waiting import WAIT_S

pytestmark = pytest.mark.slow


@pytest.fixture
def mark() -> str:
    """Return a number that no other process has in its command line."""
    return f"600{uuid.uuid4().int % 10**12}"


def _shell(
    command: str, folder: Path, timeout_s: float = 40, job: Job | None = None
) -> ExecutionReport:
    program = Execution(("/bin/sh", "-c", command), str(folder))
    return run_unconfined(program, timeout_s, job or Job())


def test_an_unconfined_program_has_the_machine_to_itself(workspace: Path, tmp_path: Path) -> None:
    outcome = _shell(f"echo x >{tmp_path}/x; pwd; exit 4", workspace)
    assert (outcome.exit_code, outcome.stdout) == (4, f"{workspace}\n")
    assert (tmp_path / "x").exists()


def test_its_environment_is_cut_down_all_the_same(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "hunter2")
    shown = _shell("env", workspace).stdout
    assert "hunter2" not in shown
    assert f"HOME={os.environ['HOME']}\n" in shown


@pytest.mark.skipif(sys.platform != "linux", reason="orphans can be found on Linux only")
def test_a_grandchild_that_leaves_the_session_does_not_survive(workspace: Path, mark: str) -> None:
    outcome = _shell(f"setsid sleep {mark} & (setsid setsid sleep {mark} &); wait", workspace, 2)
    assert (outcome.timed_out, outcome.exit_code) == (True, None)
    assert survivors(mark) == []
    outcome = _shell(f"setsid sleep {mark} & echo done", workspace)
    assert (outcome.timed_out, outcome.stdout) == (False, "done\n")
    assert survivors(mark) == []


def test_a_cancelled_job_ends_it(workspace: Path, mark: str) -> None:
    is_running = threading.Event()
    job = Job(on_progress=lambda _it: is_running.set())

    def cancel() -> None:
        assert is_running.wait(WAIT_S)
        job.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(Cancelled):
        _shell(f"sleep {mark}", workspace, job=job)
    canceller.join()
    assert survivors(mark) == []


def test_a_job_cancelled_before_starts_nothing(workspace: Path) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        _shell("echo x >x", workspace, job=job)
    assert list(workspace.iterdir()) == []


def test_a_program_that_kills_its_supervisor_is_an_error(workspace: Path) -> None:
    with pytest.raises(SandboxFailed, match="its supervisor was killed"):
        _shell("kill -9 $PPID", workspace)


def test_what_cannot_be_started_is_an_error(workspace: Path) -> None:
    with pytest.raises(SandboxFailed, match="No such file"):
        run_unconfined(Execution(("/no/such/program",), str(workspace)), 10, Job())
    with pytest.raises(SandboxFailed, match="No such file"):
        run_unconfined(Execution(("/bin/sh", "-c", "true"), str(workspace / "gone")), 10, Job())
    with pytest.raises(SandboxFailed, match="null byte"):
        _shell("echo \0", workspace)


def test_a_script_is_gone_afterwards(workspace: Path) -> None:
    program = Execution((sys.executable, "-I"), str(workspace), script="print(__file__)")
    place = run_unconfined(program, 20, Job()).stdout.strip()
    assert place.endswith("main.py")
    assert not Path(place).parent.exists()


@pytest.mark.parametrize(
    ("kernel", "kinds"),
    [("4.18.0-553.el8", 0), ("5.10.0-9-amd64", 0), ("5.14.0", 1), ("6.18.44-x", 1)],
)
def test_threads_are_limited_where_others_of_the_user_do_not_count(kernel: str, kinds: int) -> None:
    assert len(running._thread_limit(kernel)) == kinds
