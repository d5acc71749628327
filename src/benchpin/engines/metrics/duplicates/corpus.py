"""The words of all files in one row, so that NumPy can go through them at once."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from benchpin.core import Job
from benchpin.engines.source.index import FileFacts

from .reading import Reader, Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Row = NDArray[np.int32]
    Places = NDArray[np.int64]
    Hashes = NDArray[np.uint64]

MOST_WORDS = 20_000_000
"""Of more than so many words the first are compared, and the rest is named as left out."""
_AT_ONCE = 64
"""How many files are read together: NumPy needs hardly longer for them than for one."""


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Files one after the other, each followed by a word that stands nowhere else."""

    paths: list[str]
    starts: "Places"
    """Where each file begins, and where the last one ends."""
    words: "Row"
    """Every word by its text."""
    shapes: "Row"
    """Every word by its text, but all names alike and all literals alike.

    Where texts are read they are not wanted, and are the words themselves.
    """
    lines: "Row"
    end_lines: "Row"

    def file_of(self, place: int) -> int:
        """Return which file a word stands in."""
        return int(self.starts.searchsorted(place, side="right")) - 1


def build_corpus(
    files: Sequence[FileFacts], job: Job, *, reads_texts: bool, most_words: int = MOST_WORDS
) -> Corpus:
    """Put the words of files into one row; needs their tokens.

    With `reads_texts`, literals of several lines, and operators such as `not in`, are taken apart
    into words of their own.
    """
    import numpy as np

    reader = Reader(reads_texts=reads_texts)
    columns = [array("i") for _ in Rows._fields]
    left = len(files)
    size = 0
    unread = job.each(files, "files to compare")
    while batch := list(islice(unread, _AT_ONCE)):
        rows = reader.read(batch)
        ends = np.flatnonzero(rows.words < 0) + 1
        fitting = ends[: ends.searchsorted(most_words - size, side="right")]
        read = int(fitting.max(initial=0))
        for column, row in zip(columns, rows, strict=True):
            column.frombytes(row[:read].tobytes())
        size += read
        left -= len(fitting)
        if len(fitting) < len(batch):
            job.leave_out(f"{left} of {len(files)} files: over {most_words:,} words")
            break
    words, lines, end_lines, shapes = (np.frombuffer(column, np.int32) for column in columns)
    starts = np.append(0, np.flatnonzero(words < 0) + 1)
    paths = [file.path for file in files[: len(starts) - 1]]
    return Corpus(paths, starts, words, words if reads_texts else shapes, lines, end_lines)
