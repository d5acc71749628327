"""Cut repeats to the lines that they have in full, so that a reported line is equal as a whole."""

from typing import TYPE_CHECKING

from .corpus import Corpus
from .repeats import Repeat

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class WholeLines:
    """Knows which tokens begin a line."""

    def __init__(self, corpus: Corpus) -> None:
        import numpy as np

        self._tokens = corpus.tokens
        self._begins: NDArray[np.bool_] = np.ones(len(corpus.tokens), np.bool_)
        self._begins[1:] = corpus.lines[1:] > corpus.end_lines[:-1]
        self._begins[corpus.starts[:-1]] = True

    def inside(self, repeat: Repeat) -> Repeat | None:
        """Return the part of a repeat that begins and ends with a line everywhere, if any."""
        begins = self._common(repeat, 0)
        ends = self._common(repeat, 1)
        if not begins.any() or not ends.any():
            return None
        start, end = int(begins.argmax()), repeat.size - int(ends[::-1].argmax())
        if end <= start:
            return None
        return Repeat(tuple(place + start for place in repeat.places), end - start)

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

    def _common(self, repeat: Repeat, ahead: int) -> "NDArray[np.bool_]":
        """Return which tokens, or those so far ahead of them, begin a line at every place."""
        first, *others = (
            self._begins[place + ahead : place + ahead + repeat.size] for place in repeat.places
        )
        common = first.copy()
        for other in others:
            common &= other
        return common
