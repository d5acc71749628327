"""The threads that tools run on."""

import asyncio
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import pytest

from benchpin.server._workers import _MAX_REPLACED, Workers
from waiting import WAIT_S

T = TypeVar("T")


@pytest.fixture
def gate() -> threading.Event:
    """Return what keeps a call running until it is set."""
    return threading.Event()


async def _run(workers: Workers, work: Callable[[], T], connection: str = "a") -> T:
    await workers.turn(connection)
    return await workers.submit(work)


def _thread_name() -> str:
    return threading.current_thread().name


async def test_a_result_comes_back_from_another_thread() -> None:
    workers = Workers(2)
    name = await _run(workers, _thread_name)
    assert name == "tool-1"
    workers.close()


async def test_a_thread_is_used_again_while_it_is_free() -> None:
    workers = Workers(8)
    names = {await _run(workers, _thread_name) for _ in range(20)}
    assert names == {"tool-1"}
    workers.close()


async def test_no_more_threads_are_started_than_allowed() -> None:
    workers = Workers(2)
    both = threading.Barrier(2)
    calls = [_run(workers, lambda: both.wait(WAIT_S)) for _ in range(6)]
    await asyncio.wait_for(asyncio.gather(*calls), WAIT_S)
    assert {await _run(workers, _thread_name) for _ in range(6)} <= {"tool-1", "tool-2"}
    workers.close()


async def test_an_exception_is_raised_where_the_answer_is_awaited() -> None:
    workers = Workers(1)

    def fail() -> None:
        raise KeyError("missing")

    with pytest.raises(KeyError):
        await _run(workers, fail)
    assert await _run(workers, lambda: "still there") == "still there"
    workers.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_work_that_ends_its_thread_is_not_awaited_forever() -> None:
    workers = Workers(1)
    threads: list[threading.Thread] = []

    def end() -> None:
        threads.append(threading.current_thread())
        sys.exit()

    with pytest.raises(RuntimeError, match="thread ended"):
        await asyncio.wait_for(_run(workers, end), WAIT_S)
    threads[0].join(WAIT_S)


async def test_threads_end_with_their_pool() -> None:
    workers = Workers(2)
    both = threading.Barrier(2)

    def meet() -> threading.Thread:
        both.wait(WAIT_S)
        return threading.current_thread()

    threads = await asyncio.gather(_run(workers, meet), _run(workers, meet))
    del workers
    for thread in threads:
        thread.join(WAIT_S)
        assert not thread.is_alive()


async def test_the_end_is_announced_even_when_nobody_waits(gate: threading.Event) -> None:
    workers = Workers(1)
    ended = asyncio.Event()
    await workers.turn("a")
    call = workers.submit(lambda: gate.wait(WAIT_S), ended.set)
    call.cancel()
    assert not ended.is_set()
    gate.set()
    await asyncio.wait_for(ended.wait(), WAIT_S)
    workers.close()


async def test_work_that_was_submitted_is_done_before_the_threads_end(
    gate: threading.Event,
) -> None:
    workers = Workers(1)
    await workers.turn("a")
    call = workers.submit(lambda: gate.wait(WAIT_S))
    workers.close()
    gate.set()
    assert await asyncio.wait_for(call, WAIT_S)


async def test_connections_take_turns(gate: threading.Event) -> None:
    workers = Workers(1)
    ran: list[str] = []
    first = asyncio.ensure_future(_run(workers, lambda: gate.wait(WAIT_S)))
    calls = [
        asyncio.ensure_future(_run(workers, partial(ran.append, name), name[0]))
        for name in ("a1", "a2", "a3", "b1", "c1", "b2")
    ]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.wait_for(asyncio.gather(first, *calls), WAIT_S)
    assert ran == ["a1", "b1", "c1", "a2", "b2", "a3"]
    workers.close()


async def test_a_call_that_gives_up_waiting_leaves_its_turn_to_the_next(
    gate: threading.Event,
) -> None:
    workers = Workers(1)
    first = asyncio.ensure_future(_run(workers, lambda: gate.wait(WAIT_S)))
    second = asyncio.ensure_future(_run(workers, lambda: "second", "b"))
    third = asyncio.ensure_future(_run(workers, lambda: "third", "c"))
    await asyncio.sleep(0)
    second.cancel()
    gate.set()
    assert await asyncio.wait_for(third, WAIT_S) == "third"
    assert await first
    assert second.cancelled()
    workers.close()


async def test_a_turn_that_comes_as_its_call_gives_up_is_passed_on(gate: threading.Event) -> None:
    workers = Workers(1)
    await workers.turn("a")
    second = asyncio.ensure_future(workers.turn("b"))

    def cancel() -> None:
        assert second.cancel()  # once it has its turn

    running = workers.submit(lambda: gate.wait(WAIT_S), cancel)
    third = asyncio.ensure_future(_run(workers, lambda: "third", "c"))
    await asyncio.sleep(0)
    gate.set()
    assert await asyncio.wait_for(third, WAIT_S) == "third"
    assert await running
    workers.close()


async def test_a_thread_that_is_stuck_is_replaced(gate: threading.Event) -> None:
    workers = Workers(1)
    await workers.turn("a")
    stuck = workers.submit(lambda: gate.wait(WAIT_S), limit_s=0.01)
    assert await asyncio.wait_for(_run(workers, lambda: "second", "b"), WAIT_S) == "second"
    assert not stuck.done()
    gate.set()
    assert await stuck
    assert not workers.is_busy
    assert workers.reserve()
    workers.pass_on()
    names = [await _run(workers, _thread_name) for _ in range(3)]
    assert len(set(names)) == 1  # one of the two threads has ended
    workers.close()


async def test_no_thread_is_replaced_without_end(gate: threading.Event) -> None:
    workers = Workers(1)
    stuck = []
    for _ in range(_MAX_REPLACED):
        await asyncio.wait_for(workers.turn("a"), WAIT_S)
        stuck.append(workers.submit(lambda: gate.wait(WAIT_S), limit_s=0))
    await asyncio.wait_for(workers.turn("a"), WAIT_S)
    last = workers.submit(lambda: gate.wait(WAIT_S), limit_s=0)
    waiting = asyncio.ensure_future(_run(workers, lambda: "waited"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert workers.waiting == 1
    gate.set()
    assert await asyncio.wait_for(waiting, WAIT_S) == "waited"
    await asyncio.gather(last, *stuck)
    workers.close()
