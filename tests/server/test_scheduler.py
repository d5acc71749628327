"""When calls run, how long they may wait, and how their end is reported."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from benchpin.core.calls import Job, Limits
from benchpin.core.calls._job import BRIEF_BYTES
from benchpin.core.errors import Cancelled, QueueLimitExceeded, TimeLimitExceeded
from benchpin.core.tools import Effect
from benchpin.server import Peer, Unsent
from benchpin.server import _scheduler as scheduling
from benchpin.server._scheduler import Lane, Scheduler, Task, lane_of
from benchpin.toolsets import load_toolsets
from waiting import WAIT_S

T = TypeVar("T")


def scheduler_with(limits: Limits) -> Scheduler:
    return Scheduler(limits, Unsent(limits), [Path("/")])


@pytest.fixture(autouse=True)
def local_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the workspace on a local disk, whatever this machine has."""
    monkeypatch.setattr(scheduling, "is_local", lambda _root: True)


@pytest.fixture
def scheduler() -> Scheduler:
    return scheduler_with(Limits())


@pytest.fixture
def peer() -> Peer:
    return Peer.with_limits(Limits())


@pytest.fixture
def gate() -> threading.Event:
    """Return what keeps a call running until it is set."""
    return threading.Event()


def _heavy(job: Job | None = None) -> Task:
    return Task("measure", Lane.HEAVY, job or Job())


def _change(job: Job | None = None, time_limit_s: float | None = None) -> Task:
    return Task("change", Lane.SHORT, job or Job(), is_ordered=True, time_limit_s=time_limit_s)


def _start(
    scheduler: Scheduler, peer: Peer, task: Task, work: Callable[[], T]
) -> "asyncio.Task[T]":
    return asyncio.ensure_future(scheduler.run(peer, task, work))


async def test_a_short_call_does_not_wait_for_heavy_ones(
    scheduler: Scheduler, peer: Peer, gate: threading.Event
) -> None:
    heavy = [_start(scheduler, peer, _heavy(), lambda: gate.wait(WAIT_S)) for _ in range(40)]
    short = Task("read", Lane.SHORT, Job())
    assert await asyncio.wait_for(scheduler.run(peer, short, lambda: "read"), WAIT_S) == "read"
    assert not any(it.done() for it in heavy)
    gate.set()
    await asyncio.gather(*heavy)


def _brief(job: Job | None = None) -> Task:
    return Task("read", Lane.SHORT, job or Job(), is_brief=True)


async def test_a_brief_call_needs_no_thread(scheduler: Scheduler, peer: Peer) -> None:
    job = Job()
    here = threading.get_ident()
    assert await scheduler.run(peer, _brief(job), threading.get_ident) == here
    assert job.is_brief


async def test_a_brief_call_has_a_thread_while_another_is_at_work(
    scheduler: Scheduler, peer: Peer, gate: threading.Event
) -> None:
    heavy = _start(scheduler, peer, _heavy(), lambda: gate.wait(WAIT_S))
    await asyncio.sleep(0)
    assert await scheduler.run(peer, _brief(), threading.get_ident) != threading.get_ident()
    gate.set()
    await heavy
    assert await scheduler.run(peer, _brief(), threading.get_ident) == threading.get_ident()


async def test_a_brief_call_that_would_take_long_starts_again_on_a_thread(
    scheduler: Scheduler, peer: Peer
) -> None:
    job = Job()
    threads: list[int] = []

    def work() -> str:
        threads.append(threading.get_ident())
        job.expect(BRIEF_BYTES + 1)
        return "read"

    assert await scheduler.run(peer, _brief(job), work) == "read"
    assert threads[0] == threading.get_ident() != threads[1]


async def test_a_brief_call_has_a_thread_if_the_disk_may_be_slow(
    scheduler: Scheduler, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "is_local", lambda _root: False)
    assert await scheduler.run(peer, _brief(), threading.get_ident) != threading.get_ident()


async def test_an_error_of_a_brief_call_is_raised(scheduler: Scheduler, peer: Peer) -> None:
    def work() -> None:
        raise TimeLimitExceeded("late", suggestion="")

    with pytest.raises(TimeLimitExceeded):
        await scheduler.run(peer, _brief(), work)


async def test_heavy_calls_run_one_at_a_time(scheduler: Scheduler, peer: Peer) -> None:
    running, most = 0, 0

    def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        threading.Event().wait(0.001)  # lets another thread run, if there is one
        running -= 1

    await asyncio.gather(*(_start(scheduler, peer, _heavy(), work) for _ in range(6)))
    assert most == 1


async def test_the_time_of_a_call_counts_from_its_start(
    scheduler: Scheduler, peer: Peer, gate: threading.Event
) -> None:
    now = 0.0
    job = Job(time_limit_s=6, monotonic=lambda: now)
    first = _start(scheduler, peer, _change(), lambda: gate.wait(WAIT_S))
    second = _start(scheduler, peer, _change(job), job.time_left_s)
    await asyncio.sleep(0)
    now = 8.0
    gate.set()
    assert await first
    assert await second == 6


async def test_waiting_has_a_limit_of_its_own(peer: Peer, gate: threading.Event) -> None:
    scheduler = scheduler_with(Limits(queue_s=0.05))
    ran: list[int] = []
    first = _start(scheduler, peer, _change(), lambda: gate.wait(WAIT_S))
    await asyncio.sleep(0)
    with pytest.raises(QueueLimitExceeded, match=r"change waited 0\.05 s") as refused:
        await scheduler.run(peer, _change(), lambda: ran.append(2))
    assert refused.value.data == {"waited_s": 0.05, "setting": "limits.queue_s"}
    gate.set()
    assert await first
    await scheduler.run(peer, _change(), lambda: ran.append(3))
    assert ran == [3]


async def test_a_heavy_call_that_waited_too_long_leaves_the_order_of_its_connection(
    peer: Peer, gate: threading.Event
) -> None:
    scheduler = scheduler_with(Limits(queue_s=0.05))
    heavy = _start(scheduler, peer, _heavy(), lambda: gate.wait(WAIT_S))
    await asyncio.sleep(0)
    recording = Task("record", Lane.HEAVY, Job(), is_ordered=True)
    with pytest.raises(QueueLimitExceeded):
        await scheduler.run(peer, recording, lambda: None)
    assert await scheduler.run(peer, _change(), lambda: "next") == "next"
    gate.set()
    assert await heavy


async def test_a_change_that_took_place_is_not_reported_as_stopped(
    scheduler: Scheduler, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "_GRACE_S", 0.01)
    job, is_stopped = Job(), threading.Event()

    def change() -> str:
        with job.stopping(is_stopped.set):
            is_stopped.wait(WAIT_S)
        return "written"

    assert await scheduler.run(peer, _change(job, time_limit_s=0.01), change) == "written"


async def test_a_call_that_stops_in_time_is_reported_as_too_late(
    scheduler: Scheduler, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "_GRACE_S", 0.01)
    job, is_stopped = Job(), threading.Event()

    def work() -> None:
        with job.stopping(is_stopped.set):
            is_stopped.wait(WAIT_S)
        job.check()

    with pytest.raises(TimeLimitExceeded, match=r"did not end within 0\.01 s$") as late:
        await scheduler.run(peer, _change(job, time_limit_s=0.01), work)
    assert isinstance(late.value.__cause__, Cancelled)


async def test_a_change_that_goes_on_after_its_time_is_reported_so(
    scheduler: Scheduler, peer: Peer, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "_GRACE_S", 0.01)
    monkeypatch.setattr(scheduling, "_STOPPED_GRACE_S", 0.01)
    with pytest.raises(TimeLimitExceeded, match="still running"):
        await scheduler.run(peer, _change(time_limit_s=0.01), lambda: gate.wait(WAIT_S))
    gate.set()


async def test_a_call_that_is_stuck_does_not_hold_up_other_heavy_ones(
    scheduler: Scheduler, peer: Peer, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "_GRACE_S", 0.01)
    stuck = Task("measure", Lane.HEAVY, Job(), time_limit_s=0.01)
    with pytest.raises(TimeLimitExceeded):
        await scheduler.run(peer, stuck, lambda: gate.wait(WAIT_S))
    assert await asyncio.wait_for(scheduler.run(peer, _heavy(), lambda: "next"), WAIT_S) == "next"
    gate.set()


async def test_a_call_that_was_cancelled_and_goes_on_does_not_hold_up_others(
    scheduler: Scheduler, peer: Peer, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "_GRACE_S", 0.01)
    task = Task("measure", Lane.HEAVY, Job(), time_limit_s=0.01)
    stuck = _start(scheduler, peer, task, lambda: gate.wait(WAIT_S))
    await asyncio.sleep(0)
    stuck.cancel()
    assert await asyncio.wait_for(scheduler.run(peer, _heavy(), lambda: "next"), WAIT_S) == "next"
    gate.set()


def test_programs_and_whole_projects_have_lanes_of_their_own() -> None:
    tools = {name: toolset.load_tool(name) for toolset in load_toolsets() for name in toolset.tools}
    lanes = {name: lane_of(tool) for name, tool in tools.items()}
    assert lanes["execute_command"] is Lane.OUTSIDE
    assert lanes["run_script"] is Lane.OUTSIDE  # it waits for its script
    assert lanes["analyze_comprehensive"] is Lane.HEAVY
    assert {lanes[it] for it in ("read_file", "list_directory", "get_status")} == {Lane.SHORT}
    assert all(
        lane is Lane.OUTSIDE
        for name, lane in lanes.items()
        if tools[name].effect in {Effect.EXECUTE, Effect.NETWORK}
    )
