"""An artefact while it is read: unpacked, within a budget and a time limit, with its faults."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.performance.values import ArtifactFault

from ._unpacking import FaultLog, Unpacker

_GIB = 1 << 30
# Decoded, a larger document would take gigabytes.
MAX_DOCUMENT_BYTES = 64 << 20
_MAX_LINE_CHARS = 16 << 20
# Frames or events: some tens of milliseconds.
_STEPS_PER_CHECK = 100_000


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits; what exceeds them is left out, and a fault says so."""

    text_bytes: int = 2 * _GIB
    """Of unpacked text."""
    events: int = 100_000_000
    tree_nodes: int = 500_000
    """Nodes of the call tree while reading; beyond that the cheapest fold into `(other)`."""
    metrics: int = 64
    """SPX, which has the most, has 22; each node has a number for each."""
    tree_values: int = 1_000_000
    """Numbers in the tree: with more than two metrics fewer nodes fit."""
    stack_frames: int = 100_000
    """Frames of one sample; what is inside of them is `(other)`."""
    functions: int = 200_000
    edges: int = 500_000
    kept_nodes: int = 20_000
    """Nodes of the call tree that the profile keeps."""
    kept_depth: int = 500
    """Nested calls that it keeps: exports write the whole stack of each node."""
    faults: int = 50
    """Listed in words; the rest are counted."""

    def check_metrics(self, count: int) -> None:
        """Return if a profile may have this many metrics.

        Raises:
            InvalidParams: when it has more.
        """
        if count > self.metrics:
            raise InvalidParams(
                f"the profile has {count:,} metrics; at most {self.metrics} are read",
                suggestion="Record the profile again with fewer of them.",
            )

    def nodes_with(self, metrics: int) -> int:
        return max(1, min(self.tree_nodes, self.tree_values // max(1, metrics)))


class ReadRequest(msgspec.Struct, frozen=True):
    """How a file is read."""

    version: str
    budget: Budget
    statement: str | None = None
    """Of a plan, where the caller knows it."""
    metadata: bytes | None = None
    """The JSON beside a profile of SPX."""
    time_limit_s: float | None = None


class ArtifactSource:
    """A file while it is read: unpacked, within a budget and a time limit, with its faults.

    Half of an artefact is of no use: nothing of it is stored. So all methods that read raise
    `TimeLimitExceeded` when the time is up.
    """

    def __init__(self, file: BinaryIO, request: ReadRequest, job: Job) -> None:
        self.file = file
        self.request = request
        self.budget = request.budget
        self.job = job
        self.faults = FaultLog(request.budget.faults)
        self._steps = 0
        self._damage: list[ArtifactFault] = []

    def spend(self, steps: int = 1) -> None:
        """Count steps of a loop over what was read, and look at the clock now and then.

        For loops over a document: those over `chunks` and lines need no other check.
        """
        self._steps += steps
        if self._steps >= _STEPS_PER_CHECK:
            self._steps = 0
            self.job.require_time()

    def chunks(self, limit_bytes: int | None = None) -> Iterator[bytes]:
        """Yield the unpacked content, up to the limit of the budget or another one.

        What is wrong with the packing is noted after the last one.
        """
        yield from self.unpacked(limit_bytes or self.budget.text_bytes)
        self.note_damage()

    def unpacked(self, limit_bytes: int) -> Iterator[bytes]:
        """Yield the content like `chunks`, for those who call `note_damage` later."""
        unpacker = Unpacker(self.file, limit_bytes)
        self._damage = unpacker.faults
        for chunk in unpacker.chunks():
            self.job.require_time()
            self.job.report(unpacker.read_bytes, None, "bytes of the file")
            yield chunk

    def note_damage(self) -> None:
        """Add what was wrong with the packing to the faults."""
        self.faults.extend(self._damage)

    def blocks_of_lines(self) -> Iterator[list[bytes]]:
        """Yield lines without their ends, in blocks: a generator that yields single lines is slow.

        A line longer than a chunk is joined again; the last one needs no end.
        """
        rest: list[bytes] = []
        size = 0
        for chunk in self.chunks():
            lines = chunk.split(b"\n")
            if len(lines) > 1:
                lines[0] = b"".join([*rest, lines[0]])
                rest, size = [], 0
                last = lines.pop()
                yield lines
            else:
                [last] = lines
            rest.append(last)
            size += len(last)
            if size > _MAX_LINE_CHARS:
                raise _too_large("a line", _MAX_LINE_CHARS)
        if any(rest):
            yield [b"".join(rest)]

    def document(self) -> bytearray:
        """Return the whole content, as it was collected: a copy would take as much memory again.

        Raises:
            InvalidParams: when it is too large to be decoded at once.
        """
        pieces = bytearray()
        for chunk in self.chunks():
            pieces += chunk
            if len(pieces) > MAX_DOCUMENT_BYTES:
                raise _too_large("the document", MAX_DOCUMENT_BYTES)
        return pieces


def _too_large(what: str, limit: int) -> InvalidParams:
    return InvalidParams(
        f"{what} of the file is larger than {limit >> 20} MiB",
        suggestion="Record a shorter time, or convert it to collapsed stacks, which are streamed.",
    )
