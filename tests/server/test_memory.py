"""What connections may hold, and what happens to those that do not read."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from benchpin.core import Limits
from benchpin.server.memory import Abandoned, Account, Memory
from serving import stdio_server
from wire import call, request

MIB = 2**20
LIMITS = Limits(queued_bytes=4 * MIB, queued_bytes_total=8 * MIB)


def opened(memory: Memory) -> Account:
    return memory.open("test", lambda: None, lambda: None)


async def test_an_account_admits_up_to_its_limit_and_then_in_order() -> None:
    account = opened(Memory(LIMITS))
    await account.answers.admit(3 * MIB)
    second = asyncio.ensure_future(account.answers.admit(2 * MIB))
    third = asyncio.ensure_future(account.answers.admit(MIB))
    await asyncio.sleep(0)
    assert account.answers.is_full
    assert not second.done()
    account.answers.hold(-3 * MIB)
    await second
    account.answers.hold(-2 * MIB)
    await third
    assert account.answers.held == MIB


async def test_all_accounts_together_are_limited_and_small_ones_pass() -> None:
    memory = Memory(LIMITS)
    greedy = [opened(memory) for _ in range(3)]
    for account in greedy:
        await account.answers.admit(4 * MIB)
    late = opened(memory)
    waiting = asyncio.ensure_future(late.answers.admit(MIB))
    await asyncio.sleep(0)
    assert not waiting.done()
    await late.answers.admit(1_000)
    memory.close(greedy[0])
    await waiting
    assert memory.answers.held == 9 * MIB + 1_000


async def test_what_waits_on_a_closed_account_is_dropped() -> None:
    memory = Memory(LIMITS)
    account = opened(memory)
    await account.answers.admit(4 * MIB)
    waiting = asyncio.ensure_future(account.answers.admit(4 * MIB))
    await asyncio.sleep(0)
    memory.close(account)
    with pytest.raises(Abandoned):
        await waiting
    with pytest.raises(Abandoned):
        await account.answers.admit(1)
    account.answers.hold(-4 * MIB)
    assert memory.answers.held == 0


async def test_a_cancelled_request_holds_nothing() -> None:
    memory = Memory(LIMITS)
    account = opened(memory)
    await account.answers.admit(4 * MIB)
    waiting = asyncio.ensure_future(account.answers.admit(4 * MIB))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait({waiting})
    account.answers.hold(-4 * MIB)
    assert memory.answers.held == 0


def test_the_size_of_an_answer_is_learned_and_forgotten_slowly() -> None:
    memory = Memory(LIMITS)
    memory.learn("read_file", 4 * MIB)
    memory.learn("read_file", 100)
    assert memory.expected("read_file") > 4 * MIB
    for _ in range(500):
        memory.learn("read_file", 100)
    assert memory.expected("read_file") < 1_000


@pytest.mark.slow
def test_answers_that_are_never_read_stay_bounded_and_end_the_connection(workspace: Path) -> None:
    with stdio_server(workspace, "stdio", '{"limits": {"stalled_s": 2}}') as server:
        server.ask(request("ping"))
        before = peak = server.resident_mib()
        assert server.process.stdin is not None
        # 128 requests in flight, 2 MB each.
        raw = b"".join(
            b"%b\n" % _encoded(call("make_big", number, rows=20_000)) for number in range(128)
        )
        server.send_raw(raw)
        deadline = time.monotonic() + 60
        while server.process.poll() is None and time.monotonic() < deadline:
            peak = max(peak, server.resident_mib()) if server.memory.is_running() else peak
            time.sleep(0.02)
        assert server.process.poll() == 0
        assert peak - before < 200


def _encoded(message: object) -> bytes:
    return json.dumps(message).encode()
