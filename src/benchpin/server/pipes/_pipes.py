"""Read lines from pipes and write to them, without blocking and with bounded buffers.

The SDK's stdio transport uses a thread for every line. Here the event loop waits for the pipe;
where it cannot (Windows, a terminal, a file), one thread reads ahead by one chunk.
"""

import asyncio
import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

LF = b"\n"
CR = b"\r"
_HEAD = 4096
# Enough to find the id of a request, which most clients send first or last.
_TAIL = 256
READ_BYTES = 64 * 1024
# Small enough that a slow reader gets data soon, large enough to be cheap.
WRITE_BYTES = 8 * 1024
HIGH_WATER_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Oversized:
    """A line that was too long: only its beginning and its end are kept."""

    size_bytes: int
    head: bytes
    tail: bytes

    @classmethod
    def of(cls, line: bytes) -> "Oversized":
        """Return what is kept of a complete line."""
        return cls(len(line), line[:_HEAD], line[-_TAIL:])


class LineFramer:
    """Takes chunks and yields lines without their line ends; blank lines are skipped."""

    def __init__(self, max_bytes: int) -> None:
        self._most = max_bytes + len(CR)
        self._held = bytearray()
        self._dropped: Oversized | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes | Oversized]:
        """Take a chunk and yield every line that it completes."""
        start = 0
        while (end := chunk.find(LF, start)) >= 0:
            line = self._complete(chunk[start:end])
            start = end + 1
            if line is not None:
                yield line
        self._hold(chunk[start:])

    def finish(self) -> bytes | Oversized | None:
        """Return what follows the last line end, when the stream has ended."""
        return self._complete(b"")

    def _complete(self, tail: bytes) -> bytes | Oversized | None:
        self._hold(tail)
        dropped, self._dropped = self._dropped, None
        line = bytes(self._held).removesuffix(CR)
        self._held.clear()
        if dropped is not None:
            return dropped
        if len(line) >= self._most:
            return Oversized.of(line)
        return line if line.strip() else None

    def _hold(self, more: bytes) -> None:
        if self._dropped is not None:
            head, tail = self._dropped.head, self._dropped.tail
            self._dropped = Oversized(
                self._dropped.size_bytes + len(more),
                head + more[: _HEAD - len(head)],
                (tail + more)[-_TAIL:],
            )
            return
        self._held += more
        if len(self._held) > self._most:
            self._dropped = Oversized.of(bytes(self._held))
            self._held.clear()


class Reader(Protocol):
    """A source of bytes."""

    async def read(self) -> bytes:
        """Return some bytes; none at the end."""

    def stop(self) -> None:
        """End the stream now."""


def open_reader(descriptor: int) -> Reader:
    return PipeReader(descriptor) if _is_pollable(descriptor) else ThreadReader(descriptor)


def _is_pollable(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


class PipeReader:
    """Reads a pipe or socket on the event loop, only while `read` is awaited."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._is_stopped = False
        self._is_polled = False
        self._waiting: asyncio.Future[bytes] | None = None

    async def read(self) -> bytes:
        if self._is_stopped:
            return b""
        waiting: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting = waiting
        if not self._is_polled:
            self._is_polled = True
            self._loop.add_reader(self._descriptor, self._take)
        try:
            return await waiting
        finally:
            self._waiting = None

    def stop(self) -> None:
        """End the stream now."""
        self._is_stopped = True
        self._pause()
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(b"")

    def _take(self) -> None:
        waiting = self._waiting
        if waiting is None or waiting.done():
            self._pause()
            return
        try:
            waiting.set_result(os.read(self._descriptor, READ_BYTES))
        except BlockingIOError:
            return
        except OSError:
            self.stop()

    def _pause(self) -> None:
        if self._is_polled:
            self._is_polled = False
            self._loop.remove_reader(self._descriptor)


class ThreadReader:
    """Reads any descriptor on a thread, one chunk ahead."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue(maxsize=1)
        self._stopped = asyncio.Event()
        threading.Thread(target=self._pump, name="stdin", daemon=True).start()

    async def read(self) -> bytes:
        taking = asyncio.ensure_future(self._chunks.get())
        stopping = asyncio.ensure_future(self._stopped.wait())
        await asyncio.wait({taking, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if taking.done():
            return taking.result()
        taking.cancel()
        return b""

    def stop(self) -> None:
        """End the stream now."""
        self._stopped.set()

    def _pump(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: the server has ended
            while True:
                try:
                    chunk = os.read(self._descriptor, READ_BYTES)
                except OSError:
                    chunk = b""
                asyncio.run_coroutine_threadsafe(self._chunks.put(chunk), self._loop).result()
                if not chunk:
                    return


class PipeWriter:
    """Writes in small chunks; `write` waits while the other end does not read."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._is_pollable = _is_pollable(descriptor)
        if self._is_pollable:
            os.set_blocking(descriptor, False)
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._is_flushing = False
        self.broken = asyncio.Event()
        """Set when the other end is closed."""

    async def write(self, message: bytes) -> None:
        """Write one message and its line end; wait until the other end has read most of it."""
        if self.broken.is_set():
            return
        self._buffer += message
        self._buffer += b"\n"
        if len(self._buffer) > HIGH_WATER_BYTES:
            self._has_room.clear()
        if not self._is_flushing:
            self._is_flushing = True
            self._flush()
        await self.wait_for_room()

    def break_off(self) -> None:
        """Drop what is not written, as if the other end had been closed."""
        self._buffer.clear()
        self.broken.set()
        self._has_room.set()
        if self._is_pollable:
            self._loop.remove_writer(self._descriptor)

    async def wait_for_room(self) -> None:
        """Wait until the buffer is below the high-water mark."""
        while not self._has_room.is_set():
            await self._has_room.wait()

    async def drain(self, timeout_s: float) -> None:
        """Wait until everything is written, at most `timeout_s`."""
        deadline = self._loop.time() + timeout_s
        while self._buffer and not self.broken.is_set() and self._loop.time() < deadline:
            self._has_room.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._has_room.wait(), deadline - self._loop.time())

    def _flush(self) -> None:
        try:
            while self._buffer:
                with memoryview(self._buffer) as view:
                    written = os.write(self._descriptor, view[:WRITE_BYTES])
                del self._buffer[:written]
        except BlockingIOError:
            self._loop.add_writer(self._descriptor, self._flush)
        except OSError:
            self._buffer.clear()
            self.broken.set()
        if not self._buffer:
            self._is_flushing = False
            if self._is_pollable:
                self._loop.remove_writer(self._descriptor)
        if len(self._buffer) <= HIGH_WATER_BYTES:
            self._has_room.set()
