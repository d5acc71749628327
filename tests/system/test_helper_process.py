"""A process of ours: asked, late, dead, kept from call to call, ended with its parent."""

import tempfile
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.system.processes import HelperPool, HelperProcess
from benchpin.system.processes._helper_process import HelperFails

pytestmark = pytest.mark.slow

_HELPER = """
import os, sys, time
from benchpin.system.processes import end_with_parent, read_message, reply, requests

greeting = read_message(sys.stdin.buffer) if sys.argv[0].endswith("greeted.py") else b""
for message in requests(memory_bytes=8 << 30, alarm_s=60):
    match message.split(b" ", 1):
        case [b"say", word]:
            reply(greeting + word)
        case [b"pid"]:
            reply(str(os.getpid()).encode())
        case [b"die"]:
            os._exit(3)
        case [b"sleep"]:
            time.sleep(60)
        case [b"read", handle]:
            reply(os.pread(int(handle), 100, 0))
        case [b"orphan"]:
            end_with_parent()
            reply(b"waiting")
            time.sleep(60)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in ("helping", "greeted"):
        Path(tmp_path, f"{name}.py").write_text(_HELPER, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return "helping"


def test_a_helper_answers_and_reads_an_inherited_file(module: str) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b"content")
        file.flush()
        helper = HelperProcess(module, files=[file.fileno()])
        helper.wait_ready()
        assert helper.ask(b"say a") == b"a"
        assert helper.ask(f"read {file.fileno()}".encode()) == b"content"
        helper.close()


def test_a_late_helper_gives_none_and_is_ended(module: str) -> None:
    helper = HelperProcess(module)
    helper.wait_ready()
    assert helper.ask(b"sleep", limit_s=0.2) is None
    assert not helper.is_alive


def test_a_dead_helper_gives_nothing(module: str) -> None:
    helper = HelperProcess(module)
    helper.wait_ready()
    assert helper.ask(b"die") == b""
    assert not helper.is_alive


def test_a_cancelled_job_ends_the_helper(module: str) -> None:
    helper = HelperProcess(module)
    helper.wait_ready()
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        helper.ask(b"sleep", job=job)
    assert not helper.is_alive


def test_a_pool_keeps_what_lives_and_replaces_what_died(module: str) -> None:
    pool = HelperPool(module)
    with pool.borrow() as helper:
        first = helper.ask(b"pid")
    with pool.borrow() as helper:
        assert helper.ask(b"pid") == first
        assert helper.ask(b"die") == b""
    with pool.borrow() as helper:
        assert helper.ask(b"pid") not in {first, b"", None}
    pool.close()


def test_what_raises_while_it_borrows_ends_the_process(module: str) -> None:
    pool = HelperPool(module)
    with pytest.raises(ZeroDivisionError), pool.borrow() as helper:
        raise ZeroDivisionError
    assert not helper.is_alive


@pytest.mark.usefixtures("module")
def test_each_process_of_a_pool_is_greeted_first() -> None:
    pool = HelperPool("greeted", greeting=b"hello ")
    with pool.borrow() as helper:
        assert helper.ask(b"say world") == b"hello world"
    pool.close()


def test_a_module_that_does_not_start_is_reported(module: str) -> None:
    with pytest.raises(HelperFails), HelperPool(f"no_{module}").borrow():
        pass


def test_a_helper_ends_with_the_pipe_of_its_parent(module: str) -> None:
    helper = HelperProcess(module)
    helper.wait_ready()
    assert helper.ask(b"orphan") == b"waiting"
    process = helper._process
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=30) == 1
    helper.close()
