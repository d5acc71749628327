"""The places of many repeats token by token: where they are equal, and their whole lines."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ._corpus import Corpus, gather
from ._repeats import Repeat, Repeats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Ids, Places

# How many tokens are compared at once: they stay in the processor cache.
_AT_ONCE = 1 << 17


class WholeLines:
    """Cuts repeats to the lines that they have in full: a reported line is equal as a whole."""

    def __init__(self, corpus: Corpus) -> None:
        self._tokens = corpus.tokens
        self._begins = corpus.lines.are_begun(len(corpus.tokens))

    def inside(self, repeats: Repeats) -> Repeats:
        """Return the parts of repeats that begin and end with a line everywhere, if any."""
        import numpy as np

        starts, ends = (np.zeros(len(repeats.sizes), np.int64) for _ in range(2))
        bounds = np.cumsum(repeats.sizes * repeats.counts)
        first = 0
        while first < len(bounds):
            before = bounds[first - 1] if first else 0
            end = max(first + 1, int(bounds.searchsorted(before + _AT_ONCE, side="right")))
            some = np.zeros(len(bounds), np.bool_)
            some[first:end] = True
            starts[some], ends[some] = self._bounds(repeats.where(some))
            first = end
        places = repeats.places + np.repeat(starts, repeats.counts)
        return Repeats(places, repeats.counts, ends - starts).where(ends > starts)

    def _bounds(self, repeats: Repeats) -> "tuple[Places, Places]":
        """Return the first token of each repeat that begins a line, and the end of the last one."""
        import numpy as np

        sizes = np.repeat(repeats.sizes, repeats.counts)
        tops = np.cumsum(repeats.sizes) - repeats.sizes
        offsets = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        at = np.repeat(repeats.places, sizes) + offsets
        tokens = np.repeat(np.repeat(tops, repeats.counts), sizes) + offsets
        wanted = np.repeat(repeats.counts, repeats.sizes)
        offsets = np.arange(len(wanted)) - np.repeat(tops, repeats.sizes)
        begins = np.bincount(tokens[self._begins[at]], minlength=len(wanted)) == wanted
        ends = np.bincount(tokens[self._begins[at + 1]], minlength=len(wanted)) == wanted
        never = len(wanted) + 1
        starts = np.minimum.reduceat(np.where(begins, offsets, never), tops)
        return starts, np.maximum.reduceat(np.where(ends, offsets + 1, 0), tops)

    def around(self, repeat: Repeat) -> Repeat:
        """Return a repeat with the tokens before and after it, while they are equal, on its lines.

        That of files that end each with a token of their own; it never grows over the end of one.
        """
        places, size = repeat.places, repeat.size
        while not all(self._begins[place] for place in places):
            if len({int(self._tokens[place - 1]) for place in places}) > 1:
                break
            places, size = tuple(place - 1 for place in places), size + 1
        while not all(self._begins[place + size] for place in places):
            if len({int(self._tokens[place + size]) for place in places}) > 1:
                break
            size += 1
        return Repeat(places, size)


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
