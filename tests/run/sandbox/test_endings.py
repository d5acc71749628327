"""Programs that take too long or too much, or leave something behind, in every kind of sandbox."""

import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable

import pytest

from benchpin.core.calls import Job, Progress
from benchpin.core.errors import Cancelled
from benchpin.run.sandbox import ExecutionReport
from benchpin.run.sandbox import _running as running
from benchpin.run.sandbox._sandbox import Sandbox
from sandboxes import survivors
from waiting import WAIT_S, with_enough_time

Run = Callable[..., ExecutionReport]


@pytest.fixture
def mark() -> str:
    """Return a number that no other process has in its command line."""
    return f"600{uuid.uuid4().int % 10**12}"


def test_a_grandchild_that_leaves_the_session_dies_at_the_timeout(run: Run, mark: str) -> None:
    outcome = run(f"setsid sleep {mark} & (setsid setsid sleep {mark} &); wait", timeout_s=2)
    assert (outcome.timed_out, outcome.exit_code) == (True, None)
    assert survivors(mark) == []


def test_what_runs_in_the_background_ends_with_the_program(run: Run, mark: str) -> None:
    outcome = run(f"setsid sleep {mark} & nohup sleep {mark} & echo done")
    assert (outcome.stdout, outcome.exit_code) == ("done\n", 0)
    assert survivors(mark) == []


def test_a_program_that_ignores_signals_dies_too(run: Run, mark: str) -> None:
    outcome = run(f"trap '' TERM INT HUP; sleep {mark}; sleep {mark}", timeout_s=2)
    assert outcome.timed_out
    assert survivors(mark) == []


def test_a_cancelled_job_takes_everything_with_it(run: Run, mark: str) -> None:
    is_running = threading.Event()
    job = Job(on_progress=lambda it: is_running.set() if "here" in it.message else None)

    def cancel() -> None:
        assert is_running.wait(WAIT_S)
        job.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(Cancelled):
        run(f"while :; do echo here; sleep 0.2; done & setsid sleep {mark}", job=job)
    canceller.join()
    assert survivors(mark) == []


def test_a_server_that_is_killed_takes_everything_with_it(sandbox: Sandbox, mark: str) -> None:
    code = f"""
import sys
from pathlib import Path
from benchpin.core.calls import Job
from benchpin.run.sandbox import Execution
from benchpin.run.sandbox import run_confined
from sandboxes import working
program = Execution(("/bin/sh", "-c", "echo; sleep {mark} & sleep {mark}"), "/")
job = Job(on_progress=lambda it: print("running", flush=True))
run_confined(program, None, working("{sandbox.name}"), 60, job)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"running\n"
        assert len(survivors(f"sleep {mark}")) >= 2
        server.kill()
        server.wait()
    _until_gone(f"sleep {mark}")


def _until_gone(mark: str) -> None:
    """Wait for the kernel, which does it in its own time; pytest ends a test that takes long."""
    pause = threading.Event()
    while survivors(mark):
        pause.wait(0.05)


def test_a_flood_on_both_pipes_is_cut_and_drained(run: Run) -> None:
    outcome = run("yes out | head -c 30000000 & yes err | head -c 30000000 >&2; wait")
    assert outcome.exit_code == 0
    for text, word in ((outcome.stdout, "out\n"), (outcome.stderr, "err\n")):
        assert text.startswith(word * 1000)
        assert text.endswith(word * 1000)
    cut_bytes = 30_000_000 - 2 * 16 * 1024
    assert (outcome.stdout_cut_bytes, outcome.stderr_cut_bytes) == (cut_bytes, cut_bytes)


def test_an_endless_flood_ends_at_the_timeout(run: Run, mark: str) -> None:
    outcome = with_enough_time(
        lambda limit_s: run(f"yes {mark} & yes {mark} >&2", timeout_s=limit_s),
        2,
        lambda outcome: outcome.stdout_cut_bytes > 0 and outcome.stderr_cut_bytes > 0,
    )
    assert outcome.timed_out
    assert outcome.stdout_cut_bytes > 0
    assert outcome.stderr_cut_bytes > 0
    assert survivors(mark) == []


FORKS = """
import os, time
for _ in range(10):
    try:
        os.fork()
    except BlockingIOError:
        break
time.sleep(600)
"""


def test_a_fork_bomb_comes_to_nothing(run: Run, mark: str) -> None:
    outcome = run(f"{sys.executable} -I -c '{FORKS}' {mark}")
    assert (outcome.exceeded, outcome.exit_code) == ("processes", None)
    assert survivors(mark) == []


def test_memory_is_limited(python: Run) -> None:
    outcome = python("bytearray(2 * 10**9)")
    assert outcome.stderr.endswith("MemoryError\n")
    assert outcome.exit_code == 1


def test_memory_is_limited_for_all_processes_together(
    python: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_MAX_MEMORY_BYTES", 200 << 20)
    shared = "import mmap, os, time; os.fork(); it = mmap.mmap(-1, 150 << 20)"
    fill = "for at in range(0, 150 << 20, 4096): it[at] = 1"
    outcome = python(f"{shared}\n{fill}\ntime.sleep(600)")
    assert (outcome.exceeded, outcome.exit_code) == ("memory", None)


def test_a_script_cannot_be_changed_by_itself(python: Run) -> None:
    outcome = python("print(__file__); open(__file__, 'a')")
    assert outcome.stdout == "/run/benchpin/main.py\n"
    assert "Permission denied" in outcome.stderr or "Read-only" in outcome.stderr


def test_files_are_limited(python: Run, run: Run) -> None:
    code = "with open('/tmp/big', 'wb') as it: it.write(bytes(10**8))"
    assert "OSError: [Errno 27] File too large" in python(code).stderr
    filled = run("for it in 1 2 3 4 5 6; do head -c 60000000 /dev/zero >/tmp/$it; done; df /tmp")
    assert "No space left on device" in filled.stderr


def test_a_spinning_program_is_stopped(run: Run) -> None:
    outcome = run("while :; do :; done", timeout_s=2)
    assert (outcome.timed_out, outcome.exit_code, outcome.signal) == (True, None, None)


def test_open_files_and_core_dumps_are_limited(run: Run) -> None:
    assert run("ulimit -n; ulimit -c").stdout == "1024\n0\n"


def test_a_signal_is_named(run: Run) -> None:
    outcome = run("kill -9 $$")
    assert (outcome.exit_code, outcome.signal) == (137, "SIGKILL")
    assert run("kill -40 $$").signal == "SIG40"


def test_signals_and_pipes_are_as_a_shell_expects(run: Run) -> None:
    assert run("yes | head -n 1").stdout == "y\n"
    assert run("cat").exit_code == 0


def test_output_is_reported_while_it_comes(run: Run) -> None:
    reports: list[Progress] = []
    run("for it in 1 2 3; do echo line $it; sleep 0.3; done", job=Job(on_progress=reports.append))
    assert "line 1" in "".join(it.message for it in reports)
    assert [it.done for it in reports] == sorted(it.done for it in reports)
    assert {it.total for it in reports} == {WAIT_S}


def test_usual_means_still_work(python: Run) -> None:
    outcome = python("""
import asyncio, json, multiprocessing, pathlib, pty, subprocess, sys, tempfile, threading, zlib
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(pool.map(abs, [-1, 2]))
    print(asyncio.run(asyncio.sleep(0, "async")))
    print(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout.strip())
    with tempfile.NamedTemporaryFile("w") as file:
        print(file.write("x"), len(pty.openpty()))
    thread = threading.Thread(target=print, args=("thread",))
    thread.start()
    thread.join()
""")
    assert outcome.stderr == ""
    assert outcome.stdout.splitlines() == ["[1, 2]", "async", "child", "1 2", "thread"]


MEMFDS = """
import ctypes, os
ctypes.CDLL(None).prctl(4, 0)  # PR_SET_DUMPABLE
kept = []
while len(kept) < 100:
    kept.append(os.memfd_create("x"))
    os.write(kept[-1], bytes(32 << 20))
"""
SEGMENTS = """
import ctypes, time
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
for _ in range(100):
    place = libc.shmat(libc.shmget(0, ctypes.c_size_t(32 << 20), 0o600), None, 0)
    ctypes.memset(ctypes.c_void_p(place), 1, 32 << 20)
    libc.shmdt(ctypes.c_void_p(place))
"""
FILES = """
for number in range(7):
    open(f"/tmp/{number}", "wb").write(bytes(32 << 20))
while True:
    pass
"""


@pytest.mark.parametrize("code", [MEMFDS, SEGMENTS, FILES])
def test_memory_that_is_not_mapped_is_limited_too(
    python: Run, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(running, "_MAX_MEMORY_BYTES", 200 << 20)
    assert python(code).exceeded == "memory"
