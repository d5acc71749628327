"""The lines of tokens: what is kept is where lines begin, a fifth of the tokens or fewer."""

from array import array
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Ids, Places


@dataclass(frozen=True, slots=True, eq=False)
class TokenLines:
    """The first and the last line of every token of a corpus."""

    begins: "Ids"
    """The positions of tokens on another line than the one before, or in another file."""
    numbers: "Ids"
    """The lines of these."""
    tall: "Ids"
    """The positions of tokens of several lines, such as texts."""
    tall_ends: "Ids"
    """The last lines of these."""

    def of(self, places: "NDArray[np.integer]") -> "Places":
        """Return the first lines of tokens."""
        import numpy as np

        # Of the same type as what is searched, which would be copied otherwise.
        at = self.begins.searchsorted(places.astype(np.int32), side="right") - 1
        return self.numbers[at].astype(np.int64)

    def ends_of(self, places: "NDArray[np.integer]") -> "Places":
        """Return the last lines of tokens."""
        import numpy as np

        lines = self.of(places)
        if len(self.tall):
            at = self.tall.searchsorted(places.astype(np.int32)).clip(max=len(self.tall) - 1)
            is_tall = self.tall[at] == places
            lines[is_tall] = self.tall_ends[at[is_tall]]
        return lines

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the first and the last line of the tokens from a start to before an end."""
        import numpy as np

        return int(self.of(np.array([start]))[0]), int(self.ends_of(np.array([end - 1]))[0])

    def are_begun(self, size: int) -> "NDArray[np.bool_]":
        """Return which of so many tokens begin a line on which nothing of the one before is."""
        import numpy as np

        is_begun = np.zeros(size, np.bool_)
        is_begun[self.begins] = True
        after = self.tall + 1  # never in another file: its last token, the end, is not tall
        is_begun[after] = self.of(after) > self.tall_ends
        return is_begun


class LineCollector:
    """Makes the lines of a corpus, some files after the other."""

    def __init__(self) -> None:
        self._size = 0
        self._columns = [array("i") for _ in fields(TokenLines)]

    def add(self, tokens: "Ids", lines: "Ids", end_lines: "Ids") -> None:
        """Add whole files; a token below zero ends each."""
        import numpy as np

        is_first = np.ones(len(lines), np.bool_)
        is_first[1:] = (lines[1:] != lines[:-1]) | (tokens[:-1] < 0)
        begins = np.flatnonzero(is_first)
        tall = np.flatnonzero(end_lines > lines)
        found: list[NDArray[np.integer]] = [
            begins + self._size,
            lines[begins],
            tall + self._size,
            end_lines[tall],
        ]
        for column, part in zip(self._columns, found, strict=True):
            column.frombytes(part.astype(np.int32).tobytes())
        self._size += len(lines)

    def collected(self) -> TokenLines:
        """Return the lines of all files."""
        import numpy as np

        return TokenLines(*(np.frombuffer(column, np.int32) for column in self._columns))
