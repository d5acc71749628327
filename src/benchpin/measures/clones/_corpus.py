"""The tokens of all files in one array, so that NumPy can process them at once."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from benchpin.core.calls import Job
from benchpin.facts import FileFacts

from ._token_arrays import TokenReader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._device import Device

    Ids = NDArray[np.int32]
    Places = NDArray[np.int64]
    Hashes = NDArray[np.uint64]
    Checksums = NDArray[np.uint32]
    T = TypeVar("T", bound=np.generic)


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


# At most this many tokens are compared, the first ones; the report says what is left out.
MAX_TOKENS = 150_000_000
_STRETCH = 1 << 19
# How many files are converted together: a NumPy call costs the same for few tokens and many.
_AT_ONCE = 64


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Files one after the other, each followed by a token that occurs nowhere else."""

    paths: list[str]
    starts: "Places"
    """The position where each file begins, and where the last one ends."""
    tokens: "Ids"
    """A number for each distinct text."""
    shapes: "Ids"
    """The same, with one number for all names and one for all literals.

    If literals are split into words, shapes are not needed and equal the tokens.
    """
    lines: TokenLines
    checksums: "Checksums"
    """For each number of a shape, one that is the same in every corpus."""
    device: "Device | None" = None
    """What searches it for candidates; the processor by default."""

    def stretches(self) -> Iterator[range]:
        """Yield the numbers of files that are processed together, to bound the memory."""
        first, files = 0, len(self.starts) - 1
        while first < files:
            end = int(self.starts.searchsorted(self.starts[first] + _STRETCH, side="right")) - 1
            end = max(first + 1, end)
            yield range(first, end)
            first = end


def build_corpus(
    files: Sequence[FileFacts],
    job: Job,
    *,
    splits_literals: bool,
    most_tokens: int = MAX_TOKENS,
    device: "Device | None" = None,
) -> Corpus:
    """Put the tokens of files, which need that section, into one array.

    With `splits_literals`, literals of several lines and operators such as `not in` are split into
    words, each a token of its own.
    """
    import numpy as np

    reader = TokenReader(splits_literals=splits_literals)
    tokens, shapes = array("i"), array("i")
    lines = LineCollector()
    left = len(files)
    size = 0
    unread = job.each(files, "files to compare")
    while batch := list(islice(unread, _AT_ONCE)):
        arrays = reader.read(batch)
        ends = np.flatnonzero(arrays.tokens < 0) + 1
        fitting = ends[: ends.searchsorted(most_tokens - size, side="right")]
        read = int(fitting.max(initial=0))
        tokens.frombytes(arrays.tokens[:read].tobytes())
        shapes.frombytes(arrays.shapes[:read].tobytes())
        lines.add(*(it[:read] for it in (arrays.tokens, arrays.lines, arrays.end_lines)))
        size += read
        left -= len(fitting)
        if len(fitting) < len(batch):
            job.leave_out(f"{left} of {len(files)} files: over {most_tokens:,} tokens")
            break
    row = np.frombuffer(tokens, np.int32)
    starts = np.append(0, np.flatnonzero(row < 0) + 1)
    paths = [file.path for file in files[: len(starts) - 1]]
    return Corpus(
        paths=paths,
        starts=starts,
        tokens=row,
        shapes=row if splits_literals else np.frombuffer(shapes, np.int32),
        lines=lines.collected(),
        checksums=reader.checksums(),
        device=device,
    )


def gather(row: "NDArray[T]", starts: "Places", ends: "Places") -> "tuple[NDArray[T], Places]":
    """Return parts of an array one after the other, and where each begins."""
    import numpy as np

    sizes = ends - starts
    begins = np.cumsum(sizes) - sizes
    at = np.repeat(starts - begins, sizes) + np.arange(int(sizes.sum()))
    return row[at], begins
