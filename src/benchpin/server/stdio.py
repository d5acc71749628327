"""Serve one client over stdin and stdout."""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .kernel import Kernel
from .lines import LineFramer, Oversized
from .pipes import PipeWriter, Reader, open_reader
from .session import Session
from .signals import on_signals

_FIRST_FREE = 3


async def serve_stdio(kernel: Kernel) -> None:
    """Serve until the input ends or a signal arrives, then finish the requests in flight.

    A second signal ends them at once. A signal after the end of the input is the first.
    """
    with _claimed_streams() as (source, sink):
        reader, writer = open_reader(source), PipeWriter(sink)
        session = Session(kernel, writer.write, "stdio")
        first_signal, stop_now = asyncio.Event(), asyncio.Event()

        def end() -> None:
            (stop_now if first_signal.is_set() else first_signal).set()
            reader.stop()

        with on_signals(end):
            watch = asyncio.ensure_future(_stop_when_broken(reader, writer))
            await _pump(reader, writer, session, kernel.limits.request_bytes)
            await session.finish(wait=not writer.broken.is_set(), stop_now=stop_now)
            await writer.drain(kernel.limits.shutdown_s)
            watch.cancel()
        await kernel.close()


async def _pump(reader: Reader, writer: PipeWriter, session: Session, max_bytes: int) -> None:
    framer = LineFramer(max_bytes)
    while chunk := await reader.read():
        for line in framer.feed(chunk):
            await _take(line, session)
        await writer.wait_for_room()
    last = framer.finish()
    if last is not None:
        await _take(last, session)


async def _take(line: bytes | Oversized, session: Session) -> None:
    if isinstance(line, Oversized):
        await session.receive_oversized(line)
    else:
        await session.receive(line)


async def _stop_when_broken(reader: Reader, writer: PipeWriter) -> None:
    await writer.broken.wait()
    reader.stop()


@contextmanager
def _claimed_streams() -> Iterator[tuple[int, int]]:
    """Use private copies of stdin and stdout, so that a stray print goes to stderr."""
    source, sink = _duplicate(0), _duplicate(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield source, sink
    finally:
        for private in (source, sink):
            os.set_blocking(private, True)


def _duplicate(descriptor: int) -> int:
    if sys.platform == "win32":
        return os.dup(descriptor)
    import fcntl  # noqa: PLC0415 - not on Windows

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
