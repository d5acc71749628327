"""Decode blocks of events; both formats of SPX share how a block is read."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import chain

from benchpin.performance.calls import Events
from benchpin.performance.reading import FaultLog

from ._sections import Block

# Numbers of functions beyond this are damage; the call tree packs them into 32 bits.
MAX_FUNCTIONS = 1 << 32


class EventDecoder(ABC):
    """Decodes blocks in their order: all lines at once, or line by line where one is damaged.

    A block that is decoded at once is one flat list of numbers, `width` of them for each event.
    The lists are never turned into objects, because a profile has millions of events.
    """

    def __init__(self, metrics: int, faults: FaultLog) -> None:
        self._width = metrics + 2
        self._faults = faults

    def decode(self, block: Block) -> Events:
        """Return the events of a block; damaged ones are left out and noted as faults."""
        values = self._at_once(block.text)
        if values is not None:
            lines = range(block.line, block.line + block.text.count(b"\n"))
            return self._events(lines, values)
        found = list(self._line_by_line(block))
        rows = chain.from_iterable(row for _, row in found)
        return self._events([line for line, _ in found], list(rows))

    @abstractmethod
    def _at_once(self, text: bytes) -> list[int] | None:
        """Decode lines as one list of numbers; None unless every line has all of its fields."""

    @abstractmethod
    def _line_by_line(self, block: Block) -> Iterator[tuple[int, list[int]]]:
        """Yield the events of a damaged block, each with its line."""

    @abstractmethod
    def _events(self, lines: Sequence[int], values: list[int]) -> Events:
        """Split decoded values into columns."""
