"""The words of all files in one row, so that NumPy can go through them at once."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from benchpin.core import Job
from benchpin.engines.source.facts import TokenKind
from benchpin.engines.source.index import FileFacts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Row = NDArray[np.int32]
    Places = NDArray[np.int64]
    Hashes = NDArray[np.uint64]

MOST_WORDS = 20_000_000
"""Of more than so many words the first are compared, and the rest is named as left out."""
NAME, LITERAL, _FIRST_FREE = 0, 1, 2
_FAMILIES = {
    "c": "c",
    "cpp": "c",
    "javascript": "javascript",
    "typescript": "javascript",
    "tsx": "javascript",
}
"""Languages that share their words; code in two others is never the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Files one after the other, each followed by a word that stands nowhere else."""

    paths: list[str]
    starts: "Places"
    """Where each file begins, and where the last one ends."""
    words: "Row"
    """Every word by its text."""
    shapes: "Row"
    """Every word by its text, but all names alike and all literals alike."""
    lines: "Row"
    end_lines: "Row"

    def file_of(self, place: int) -> int:
        """Return which file a word stands in."""
        return int(self.starts.searchsorted(place, side="right")) - 1


def build_corpus(files: Sequence[FileFacts], job: Job, most_words: int = MOST_WORDS) -> Corpus:
    """Put the words of files into one row; needs their tokens."""
    import numpy as np

    sizes = [_size(file) for file in files]
    starts = np.zeros(len(files) + 1, np.int64)
    np.cumsum([size + 1 for size in sizes], out=starts[1:])
    fitting = int(starts.searchsorted(most_words, side="right")) - 1
    if fitting < len(files):
        job.leave_out(f"{len(files) - fitting} of {len(files)} files: over {most_words:,} words")
        files, starts = files[:fitting], starts[: fitting + 1]
    total = int(starts[-1])
    words, shapes, lines, end_lines = (np.zeros(total, np.int32) for _ in range(4))
    number = count(_FIRST_FREE).__next__
    vocabularies: defaultdict[str, defaultdict[bytes, int]] = defaultdict(
        lambda: defaultdict(number)
    )
    for at, file in enumerate(job.each(files, "files to compare")):
        vocabulary = vocabularies[_FAMILIES.get(file.language, file.language)]
        tokens = file.tokens
        numbers = np.array([vocabulary[text] for text in tokens.texts], np.int32)
        kinds = np.frombuffer(tokens.kinds, np.uint8)
        names = np.where(kinds == TokenKind.IDENTIFIER, NAME, LITERAL)
        alike = np.where(kinds == TokenKind.OPERATOR, numbers, names).astype(np.int32)
        breaks = np.array([text.count(b"\n") for text in tokens.texts], np.int32)
        begun = np.frombuffer(tokens.begun, np.uint32)
        stream = np.frombuffer(tokens.stream, np.uint32)[: sizes[at]]
        here = slice(int(starts[at]), int(starts[at]) + sizes[at])
        words[here], shapes[here] = numbers[stream], alike[stream]
        lines[here] = np.repeat(np.arange(1, len(begun) + 1, dtype=np.int32), begun)
        end_lines[here] = lines[here] + breaks[stream]
    ends = starts[1:] - 1
    words[ends] = shapes[ends] = -1 - np.arange(len(ends))
    return Corpus([file.path for file in files], starts, words, shapes, lines, end_lines)


def _size(file: FileFacts) -> int:
    import numpy as np

    return int(np.frombuffer(file.tokens.begun, np.uint32).sum())
