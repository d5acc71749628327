"""The places of many repeats beside the first place of each, token by token."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ._corpus import gather
from ._repeats import Repeat, Repeats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Ids, Places

# How many tokens are compared at once: they stay in the processor cache.
_AT_ONCE = 1 << 17


def joined(repeats: Repeats, others: Iterable[Repeat]) -> Repeats:
    """Return repeats, and others after them."""
    import numpy as np

    more = Repeats.of(list(others))
    return Repeats(
        np.concatenate((repeats.places, more.places)),
        np.concatenate((repeats.counts, more.counts)),
        np.concatenate((repeats.sizes, more.sizes)),
    )


class SideBySide:
    """Compares the tokens of places with those of the first place of their repeat."""

    def __init__(self, repeats: Repeats) -> None:
        import numpy as np

        self._places = repeats.places
        self._firsts = np.repeat(repeats.places[repeats.begins], repeats.counts)
        self._sizes = np.repeat(repeats.sizes, repeats.counts)

    def agree(self, row: "Ids") -> "NDArray[np.bool_]":
        """Return which places have the same numbers in a row."""
        import numpy as np

        is_same = np.ones(len(self._places), np.bool_)
        for some, here, there, begins in self._parts(row):
            is_same[some] = np.logical_and.reduceat(here == there, begins)
        return is_same

    def agree_in_distances(self, distances: "Ids") -> "NDArray[np.bool_]":
        """Return the same of distances, where one to before the place is none."""
        import numpy as np

        is_same = np.ones(len(self._places), np.bool_)
        for some, here, there, begins in self._parts(distances):
            way = np.arange(len(here)) - np.repeat(begins, self._sizes[some])
            here[here > way] = 0
            there[there > way] = 0
            is_same[some] = np.logical_and.reduceat(here == there, begins)
        return is_same

    def _parts(self, row: "Ids") -> "Iterator[tuple[slice, Ids, Ids, Places]]":
        """Yield some places, their numbers, those of the first ones, and where each begins."""
        import numpy as np

        ends = np.cumsum(self._sizes)
        at = 0
        while at < len(ends):
            limit = ends[at] - self._sizes[at] + _AT_ONCE
            to = max(at + 1, int(ends.searchsorted(limit, side="right")))
            some = slice(at, to)
            sizes, places, firsts = self._sizes[some], self._places[some], self._firsts[some]
            here, begins = gather(row, places, places + sizes)
            yield some, here, gather(row, firsts, firsts + sizes)[0], begins
            at = to
