"""Serve one client over stdin and stdout."""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from benchpin.app import Workbench, on_signals
from benchpin.server import TELEMETRY
from benchpin.server.jsonrpc import decode

from ._pipes import LineFramer, Oversized, PipeWriter, Reader, open_reader
from ._welcome import Welcome

if TYPE_CHECKING:
    from benchpin.server import Kernel, Session

_FIRST_FREE = 3


async def serve_stdio(workbench: Workbench) -> None:
    """Serve until the input ends or a signal arrives, then finish the requests in flight.

    A second signal ends them at once. A signal after the end of the input is the first.
    """
    limits = workbench.configuration.settings.limits
    with _claimed_streams() as (source, sink):
        reader, writer = open_reader(source), PipeWriter(sink)
        client = _Client(workbench, writer)
        first_signal, stop_now = asyncio.Event(), asyncio.Event()

        def end() -> None:
            (stop_now if first_signal.is_set() else first_signal).set()
            reader.stop()

        with on_signals(end):
            watch = asyncio.ensure_future(_stop_when_broken(reader, writer))
            await _pump(reader, client, limits.request_bytes)
            await client.finish(stop_now)
            await writer.drain(limits.shutdown_s)
            watch.cancel()
        await client.close()


class _Client:
    """The client of this process: welcomed first, then served by a session of the kernel."""

    def __init__(self, workbench: Workbench, writer: PipeWriter) -> None:
        self._workbench = workbench
        self._writer = writer
        # Traces and spans are the kernel's, so then it serves from the first message on.
        is_traced = workbench.configuration.settings.debug or TELEMETRY in sys.modules
        self._welcome = None if is_traced else Welcome(workbench)
        self._served: tuple[Kernel, Session] | None = None

    async def take(self, line: bytes | Oversized) -> None:
        if self._served is None and self._welcome is not None and isinstance(line, bytes):
            answer = self._welcome.answer(decode(line))
            if answer is not None:
                if answer:
                    await self._writer.write(answer)
                return
        _, session = self._served or await self._start()
        if isinstance(line, Oversized):
            await session.receive_oversized(line)
        else:
            await session.receive(line)

    async def finish(self, stop_now: asyncio.Event) -> None:
        """Finish the requests in flight, unless the client no longer reads the answers."""
        if self._served is not None:
            wait = not self._writer.broken.is_set()
            await self._served[1].finish(wait=wait, stop_now=stop_now)

    async def close(self) -> None:
        """Stop watching, streaming and running tools."""
        if self._served is not None:
            await self._served[0].close()

    async def _start(self) -> "tuple[Kernel, Session]":
        # On another thread, because the SDK takes long to import, and signals must be heard.
        await asyncio.to_thread(import_module, "benchpin.server._session")
        from benchpin.server import (  # noqa: PLC0415 - imported by now
            Kernel,
            Outbox,
            Peer,
            Session,
            collect_less,
        )

        kernel = Kernel(self._workbench)
        peer = Peer.with_limits(kernel.limits)
        writer = self._writer
        outbox = Outbox(kernel.unsent, peer, writer.write, writer.break_off)
        session = Session(kernel, peer, outbox, "stdio")
        self._served = kernel, session
        collect_less()
        if self._welcome is not None:
            await session.resume(self._welcome.heard)
        return self._served


async def _pump(reader: Reader, client: _Client, max_bytes: int) -> None:
    framer = LineFramer(max_bytes)
    while chunk := await reader.read():
        for line in framer.feed(chunk):
            await client.take(line)
    last = framer.finish()
    if last is not None:
        await client.take(last)


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
