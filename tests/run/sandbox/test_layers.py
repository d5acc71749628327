"""Each layer by itself: what one lets through by mistake, another holds."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.run.sandbox import ExecutionReport, LaunchRequest
from benchpin.run.sandbox import _running as running
from benchpin.run.sandbox._process import run_process
from benchpin.run.sandbox.launcher import landlock_version
from waiting import WAIT_S

Run = Callable[..., ExecutionReport]

CONNECT = """
import errno, socket
try:
    socket.create_connection(("127.0.0.1", {port}), 5)
    print("CONNECTED")
except OSError as error:
    print(errno.errorcode[error.errno])
"""
ALLOW_ALL = b"\x06\0\0\0\0\0\xff\x7f"
"""A filter that returns SECCOMP_RET_ALLOW for every call."""


@pytest.fixture
def namespaces_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out seccomp and Landlock."""
    monkeypatch.setattr(running, "build_filter", lambda _machine: None)


def _locked(command: str, folder: Path, seccomp_filter: bytes) -> ExecutionReport:
    """Run a command under Landlock and a filter, without namespaces."""
    request = LaunchRequest(
        argv=["/bin/sh", "-c", command],
        cwd=str(folder),
        environment={"PATH": "/usr/bin:/bin"},
        files={},
        rlimits=[],
        niceness=0,
        mounts=None,
        workspace=None,
        is_in_bubblewrap=False,
        writable_paths=[str(folder)],
        grants=None,
        seccomp_filter=seccomp_filter,
        max_processes=None,
        max_threads=512,
        max_memory_bytes=None,
    )
    return run_process(running._launcher, request, "none", timeout_s=WAIT_S, job=Job())


@pytest.mark.usefixtures("namespaces_only")
def test_namespaces_alone_keep_the_network_out(python: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        shown = python(CONNECT.format(port=server.getsockname()[1])).stdout
    assert shown.strip() in {"ECONNREFUSED", "ENETUNREACH"}


@pytest.mark.usefixtures("namespaces_only")
def test_namespaces_alone_keep_files_and_processes_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2", encoding="utf-8")
    outcome = run(
        f"cat {tmp_path}/secret; echo x >/usr/x; echo x >x; kill -9 1 {os.getpid()};"
        "cat /proc/sys/kernel/panic_on_oops >/proc/sys/kernel/panic_on_oops && echo WROTE;"
        "mount -t tmpfs none /tmp && echo MOUNTED; grep Seccomp: /proc/self/status"
    )
    assert outcome.stdout == "Seccomp:\t0\n"


@pytest.mark.slow
@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")
def test_landlock_alone_keeps_writes_in(workspace: Path, tmp_path: Path, home: Path) -> None:
    outcome = _locked(f"echo x >x; echo x >{tmp_path}/y; rm -r {home}", workspace, ALLOW_ALL)
    assert outcome.stderr.count("Permission denied") == 2
    assert (workspace / "x").exists()
    assert not (tmp_path / "y").exists()
    assert home.exists()


@pytest.mark.slow
@pytest.mark.skipif(landlock_version() < 4, reason="Landlock knows TCP from version 4 on")
def test_landlock_alone_keeps_tcp_out(workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = CONNECT.format(port=server.getsockname()[1]).replace('"', "'")
        outcome = _locked(f'python3 -c "{code}"', workspace, ALLOW_ALL)
    assert outcome.stdout == "EACCES\n"


@pytest.mark.slow
@pytest.mark.skipif(landlock_version() < 6, reason="Landlock knows signals from version 6 on")
def test_landlock_alone_keeps_signals_in(workspace: Path) -> None:
    assert _locked(f"kill -0 {os.getpid()}", workspace, ALLOW_ALL).exit_code != 0
    assert _locked("sleep 60 & kill -9 $!", workspace, ALLOW_ALL).exit_code == 0
