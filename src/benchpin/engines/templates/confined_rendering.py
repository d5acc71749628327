"""Render templates that are not built in, which may ask for any amount of memory and time."""

import os
import selectors
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import BinaryIO, cast

import msgspec

from .render_worker import (
    LENGTH,
    TIME_S,
    Origin,
    RenderAnswer,
    RenderRequest,
    write_message,
)
from .rendering import TemplateBroken
from .template import RenderedFile, Template, Toolchain, Value

_MODULE = "benchpin.engines.templates.render_worker"
_START_S = 30
"""How long a worker may take to start; a busy machine needs seconds."""
_READ_BYTES = 1 << 16


class ConfinedRenderer:
    """Renders the templates of one folder in a worker process, which it keeps between calls."""

    def __init__(self, sources: Mapping[str, str], toolchains: Mapping[str, Toolchain]) -> None:
        self._origin = msgspec.msgpack.encode(Origin(sources, toolchains))
        self._lock = threading.Lock()
        self._worker: subprocess.Popen[bytes] | None = None
        self._end_worker: Callable[[], object] = lambda: None

    def render(
        self, template: Template, values: Mapping[str, Value], categories: frozenset[str]
    ) -> list[RenderedFile]:
        """Render the files of a template with checked values.

        Raises:
            TemplateBroken: when the template itself is wrong, or exceeds a limit.
        """
        request = RenderRequest(template, dict(values), categories)
        with self._lock:
            answer = self._ask(msgspec.msgpack.encode(request), template)
        if answer.problem:
            raise TemplateBroken(
                answer.problem,
                suggestion=f"Correct the template in {template.origin}.",
                data={"uri": template.uri},
            )
        return answer.files

    def _ask(self, request: bytes, template: Template) -> RenderAnswer:
        worker = self._worker
        if worker is None or worker.poll() is not None:
            worker = self._worker = self._start()
        answer: bytes | None = b""
        with suppress(OSError):  # it has died
            write_message(cast("BinaryIO", worker.stdin), request)
            answer = _read_message(cast("BinaryIO", worker.stdout), TIME_S)
        if answer:
            return msgspec.msgpack.decode(answer, type=RenderAnswer)
        self._end_worker()
        reason = f"takes longer than {TIME_S} s" if answer is None else "crashes the renderer"
        return RenderAnswer(problem=f"{template.uri} {reason}")

    def _start(self) -> "subprocess.Popen[bytes]":
        self._end_worker()
        # A session of its own: Ctrl-C in a terminal is for the parent to handle. And `/` as working
        # directory: `-m` would import modules of the workspace.
        worker = subprocess.Popen(  # noqa: S603 - our own program
            (sys.executable, "-m", _MODULE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        self._end_worker = weakref.finalize(self, _end, worker)
        write_message(cast("BinaryIO", worker.stdin), self._origin)
        _read_message(cast("BinaryIO", worker.stdout), _START_S)  # READY
        return worker


def _end(worker: "subprocess.Popen[bytes]") -> None:
    worker.kill()
    for pipe in (worker.stdin, worker.stdout):
        with suppress(OSError):
            cast("BinaryIO", pipe).close()
    worker.wait()


def _read_message(pipe: BinaryIO, seconds: float) -> bytes | None:
    """Return one message; empty if the worker has died, None if it did not answer in time."""
    deadline = time.monotonic() + seconds
    received = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while (end := _end_of_message(received)) is None:
            if not selector.select(deadline - time.monotonic()):
                return None
            piece = os.read(pipe.fileno(), _READ_BYTES)
            if not piece:
                return b""
            received += piece
    return bytes(received[LENGTH.size : end])


def _end_of_message(received: bytearray) -> int | None:
    if len(received) < LENGTH.size:
        return None
    end: int = LENGTH.size + LENGTH.unpack_from(received)[0]
    return end if len(received) >= end else None
