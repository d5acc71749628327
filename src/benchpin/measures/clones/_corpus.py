"""The tokens of all files in one array, so that NumPy can process them at once."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from benchpin.core.calls import Job
from benchpin.facts import FileFacts

from ._token_arrays import TokenReader
from ._token_lines import LineCollector, TokenLines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._device import Device

    Ids = NDArray[np.int32]
    Places = NDArray[np.int64]
    Hashes = NDArray[np.uint64]
    Checksums = NDArray[np.uint32]
    T = TypeVar("T", bound=np.generic)

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
