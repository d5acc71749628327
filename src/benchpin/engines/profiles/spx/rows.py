"""What both formats of events are decoded to."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from .sections import Block

MOST_FUNCTIONS = 1 << 32


class Rows(NamedTuple):
    """Events in their order, a list for each field."""

    lines: Sequence[int]
    """Where each stands in the text."""
    enters: Sequence[int]
    """1 where a function is entered, 0 where it is left."""
    functions: Sequence[int]
    deltas: Sequence[Sequence[int]]
    """By metric, what was spent since the event before."""

    def first(self, count: int) -> "Rows":
        """Return the first so many events."""
        return Rows(
            self.lines[:count],
            self.enters[:count],
            self.functions[:count],
            [column[:count] for column in self.deltas],
        )


class EventDecoder(Protocol):
    """Decodes blocks of events in their order."""

    def decode(self, block: Block) -> Rows:
        """Return the events of a block; what is damaged is left out and noted as a fault."""
        ...
