"""Readers of foreign text take linear time, whatever is repeated in it.

The limit is CPU time, not wall-clock time, which depends on the machine.
"""

import gc
import sys
from collections.abc import Iterator
from threading import Event, Thread
from time import process_time, thread_time

import pytest

from repeated_pieces import CASES, Reader
from waiting import cpu_limit

LIMIT_S = 20.0
SHORT, LONG = 32 << 10, 128 << 10
FLOOR_S = 0.4
"""Below it, noise decides."""
HOLD_S = 0.25
"""How long a ping may wait."""


@pytest.fixture(autouse=True)
def _without_the_garbage_of_other_tests() -> Iterator[None]:
    """Keep the collector from scanning what other tests hold: that takes longer than reading."""
    gc.disable()
    yield
    gc.enable()


def cpu_s(read: Reader, text: str) -> float:
    started = thread_time()
    with cpu_limit(LIMIT_S):
        read(text)
    return thread_time() - started


PARAMS = [
    pytest.param(read, start, piece, tail, id=f"{name} {piece!r}")
    for name, read, start, pieces, tail in CASES
    for piece in pieces
]


@pytest.mark.parametrize(("read", "start", "piece", "tail"), PARAMS)
def test_repeated_pieces_take_linear_time(read: Reader, start: str, piece: str, tail: str) -> None:
    long_text, short_text = (
        start + piece * (length // len(piece)) + tail for length in (LONG, SHORT)
    )
    if cpu_s(read, long_text) > FLOOR_S:
        # The least of three: caches and the garbage collector disturb single runs.
        long = min(cpu_s(read, long_text) for _ in range(3))
        short = min(cpu_s(read, short_text) for _ in range(3))
        assert long < 8 * max(short, FLOOR_S / 8)


def longest_hold_s(read: Reader, text: str) -> float:
    """Return the most CPU time for which reading kept another thread from the interpreter.

    The process is this thread, which reads, and the one that sleeps: what was used while that one
    wanted to wake up is what held it, however busy the machine is. Reading is done here, where
    `cpu_limit` can end it.
    """
    is_done = Event()
    holds: list[float] = []

    def watch(used: float) -> None:
        while not is_done.wait(0.002):
            holds.append(process_time() - used)
            used = process_time()
        holds.append(process_time() - used)

    watching = Thread(target=watch, args=(process_time(),))
    watching.start()
    try:
        assert cpu_s(read, text) < LIMIT_S
    finally:
        is_done.set()
        watching.join()
    return max(holds)


@pytest.mark.slow
@pytest.mark.parametrize(("read", "start", "piece", "tail"), PARAMS)
def test_a_megabyte_is_read_within_the_limit_and_does_not_hold_the_interpreter(
    read: Reader, start: str, piece: str, tail: str
) -> None:
    text = start + piece * ((1 << 20) // len(piece)) + tail
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.001)  # as the server does
    try:
        # One is enough: a busy machine may let the thread wait for that long by itself.
        holds = (longest_hold_s(read, text) for _ in range(20))
        assert any(hold < HOLD_S for hold in holds)
    finally:
        sys.setswitchinterval(before)
