"""Read artefacts that are decoded whole: small ones at once, large ones in a process."""

import math
import time
from typing import BinaryIO

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams, TimeLimitExceeded
from benchpin.system.processes import HelperProcess
from benchpin.workspace.files import OpenFile

from ._reading_worker import (
    MAX_BYTES,
    DecodedArtifact,
    ReadAnswer,
    ReadRequest,
    kind_of,
    read_whole,
)
from ._unpacking import Unpacker

_MODULE = "benchpin.performance.reading._reading_worker"
# A file of this size is decoded in some tens of milliseconds.
_SMALL_BYTES = 1 << 20
# gzip packs at most 1,000 bytes into one.
_SMALL_PACKED_BYTES = 16 << 10
_POLL_S = 0.1
# How long after its limit the process may still answer with what it has.
_LATE_S = 2.0


class ConfinedReader:
    """Reads the files of one call; the process is started for the first large one."""

    def __init__(self) -> None:
        self._worker: HelperProcess | None = None

    def close(self) -> None:
        """End the process."""
        if self._worker is not None:
            self._worker.close()

    def read(self, request: ReadRequest, source: OpenFile, job: Job) -> DecodedArtifact:
        """Read a file from its beginning.

        Raises:
            InvalidParams: when it cannot be read.
            TimeLimitExceeded: when it took too long, and not even a part is there.
        """
        if source.size_bytes <= _small_bytes(source.file):
            return read_whole(request, source.file, job)
        limited = msgspec.structs.replace(request, time_limit_s=job.time_left_s())
        answer = self._ask(limited, source.file.read(MAX_BYTES), job)
        if answer.problem:
            raise InvalidParams(answer.problem, suggestion=answer.suggestion)
        for what in answer.missing:
            job.leave_out(what)
        return msgspec.json.decode(answer.content, type=kind_of(request))

    def _ask(self, request: ReadRequest, content: bytes, job: Job) -> ReadAnswer:
        if self._worker is None or not self._worker.is_alive:
            self._worker = HelperProcess(_MODULE)
            self._worker.wait_ready()
        worker, started = self._worker, time.monotonic()
        answer: bytes | None = None
        try:
            worker.send(msgspec.json.encode(request))
            worker.send(content)
            limit_s = math.inf if request.time_limit_s is None else request.time_limit_s + _LATE_S
            while answer is None and time.monotonic() - started < limit_s:
                job.check()
                answer = worker.receive(_POLL_S)
        finally:
            if not answer:
                worker.close()
        if answer is None:
            raise TimeLimitExceeded(
                f"the file was not read within {request.time_limit_s:.0f} s",
                suggestion="Record a shorter time, or raise --tool-timeout.",
            )
        if not answer:
            raise InvalidParams(
                "the file crashes its reader", suggestion="Record it again; the file is damaged."
            )
        return msgspec.json.decode(answer, type=ReadAnswer)


def _small_bytes(file: BinaryIO) -> int:
    packing = Unpacker(file, 0).packing
    file.seek(0)
    return _SMALL_BYTES if packing == "plain" else _SMALL_PACKED_BYTES
