"""Waiting that does not depend on how busy the machine is.

A test waits for what it wants to see. The seconds here only end one that hangs, so they are many.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

# Below the `timeout` of pytest in pyproject.toml: a test that hangs says what it waited for.
WAIT_S = 240.0


def ever_longer(seconds: float) -> Iterator[float]:
    """Give a time limit, and two longer ones for a busy machine."""
    return (seconds * 4**attempt for attempt in range(3))


def with_enough_time(
    run: Callable[[float], T], seconds: float, has_begun: Callable[[T], bool]
) -> T:
    """Run something that always ends at its time limit, until it got as far as it has to.

    A limit that is enough for an idle machine may be over before a program has begun on a busy one.
    """
    for limit_s in ever_longer(seconds):
        ended = run(limit_s)
        if has_begun(ended):
            break
    return ended


class TooSlow(Exception):
    """More processor time was used than is allowed."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Stop what computes for too long, however busy the machine is; `re` is stopped as it matches.

    Raises:
        TooSlow: when the time is used up.
    """

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
