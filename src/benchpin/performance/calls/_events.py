"""Calls as a profiler that traces records them: entered, left, and the cost in between."""

from collections.abc import Sequence
from typing import NamedTuple


class Events(NamedTuple):
    """Events in their order, one list for each field."""

    lines: Sequence[int]
    enters: Sequence[int]
    """1 where a function is entered, 0 where it returns."""
    functions: Sequence[int]
    deltas: Sequence[Sequence[int]]
    """By metric, the cost since the previous event."""

    def first(self, count: int) -> "Events":
        """Return the first events."""
        return Events(
            self.lines[:count],
            self.enters[:count],
            self.functions[:count],
            [column[:count] for column in self.deltas],
        )
