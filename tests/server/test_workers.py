"""The threads that tools run on."""

import asyncio
import sys
import threading

import pytest

from benchpin.server.workers import Workers

WAIT_S = 10.0


@pytest.fixture
def gate() -> threading.Event:
    """Return what keeps a call running until it is set."""
    return threading.Event()


def _thread_name() -> str:
    return threading.current_thread().name


async def test_a_result_comes_back_from_another_thread() -> None:
    workers = Workers(2)
    name = await workers.submit(_thread_name)
    assert name == "tool-1"
    workers.close()


async def test_a_thread_is_used_again_while_it_is_free() -> None:
    workers = Workers(8)
    names = {await workers.submit(_thread_name) for _ in range(20)}
    assert names == {"tool-1"}
    workers.close()


async def test_no_more_threads_are_started_than_allowed() -> None:
    workers = Workers(2)
    both = threading.Barrier(2)
    calls = [workers.submit(lambda: both.wait(WAIT_S)) for _ in range(6)]
    await asyncio.wait_for(asyncio.gather(*calls), WAIT_S)
    assert {await workers.submit(_thread_name) for _ in range(6)} <= {"tool-1", "tool-2"}
    workers.close()


async def test_an_exception_is_raised_where_the_answer_is_awaited() -> None:
    workers = Workers(1)
    with pytest.raises(KeyError):
        await workers.submit(lambda: KeyError("missing"))
    assert await workers.submit(lambda: "still there") == "still there"
    workers.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_work_that_ends_its_thread_is_not_awaited_forever() -> None:
    workers = Workers(1)
    threads: list[threading.Thread] = []

    def end() -> None:
        threads.append(threading.current_thread())
        sys.exit()

    with pytest.raises(RuntimeError, match="thread ended"):
        await asyncio.wait_for(workers.submit(end), WAIT_S)
    threads[0].join(WAIT_S)


async def test_threads_end_with_their_pool() -> None:
    workers = Workers(2)
    both = threading.Barrier(2)

    def meet() -> threading.Thread:
        both.wait(WAIT_S)
        return threading.current_thread()

    threads = await asyncio.gather(workers.submit(meet), workers.submit(meet))
    del workers
    for thread in threads:
        thread.join(WAIT_S)
        assert not thread.is_alive()


async def test_the_end_is_announced_even_when_nobody_waits(gate: threading.Event) -> None:
    workers = Workers(1)
    ended = asyncio.Event()
    call = workers.submit(lambda: gate.wait(WAIT_S), ended.set)
    call.cancel()
    assert not ended.is_set()
    gate.set()
    await asyncio.wait_for(ended.wait(), WAIT_S)
    workers.close()


async def test_calls_that_wait_are_run_before_the_threads_end(gate: threading.Event) -> None:
    workers = Workers(1)
    first = workers.submit(lambda: gate.wait(WAIT_S))
    second = workers.submit(lambda: "done")
    workers.close()
    gate.set()
    assert await asyncio.wait_for(second, WAIT_S) == "done"
    assert await first
