"""Handle SIGINT and SIGTERM on the event loop."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def on_signals(act: Callable[[], None]) -> Iterator[None]:
    """Call `act` on the loop for SIGINT and SIGTERM inside the block."""
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows: Ctrl-C ends the process
        for number in _SIGNALS:
            loop.add_signal_handler(number, act)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            for number in _SIGNALS:
                loop.remove_signal_handler(number)
