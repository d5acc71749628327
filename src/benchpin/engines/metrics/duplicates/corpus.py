"""The words of all files in one row, so that NumPy can go through them at once."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

from benchpin.core import Job
from benchpin.engines.source.facts import TokenKind, Tokens
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
_QUOTES = b'"""'
_WORD = re.compile(rb"\w+|[^\w\s]")
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
    """Every word by its text, but all names alike and all literals alike.

    Where texts are read they are not wanted, and are the words themselves.
    """
    lines: "Row"
    end_lines: "Row"

    def file_of(self, place: int) -> int:
        """Return which file a word stands in."""
        return int(self.starts.searchsorted(place, side="right")) - 1


def family_of(language: str) -> str:
    """Return what languages that share their words have in common."""
    return _FAMILIES.get(language, language)


def build_corpus(
    files: Sequence[FileFacts], job: Job, *, reads_texts: bool, most_words: int = MOST_WORDS
) -> Corpus:
    """Put the words of files into one row; needs their tokens.

    With `reads_texts`, literals of several lines, and operators such as `not in`, are taken apart
    into words of their own.
    """
    import numpy as np

    number = count(_FIRST_FREE).__next__
    vocabularies: defaultdict[str, defaultdict[bytes, int]] = defaultdict(
        lambda: defaultdict(number)
    )
    parts: list[_Part] = []
    starts = [0]
    for file in job.each(files, "files to compare"):
        vocabulary = vocabularies[family_of(file.language)]
        part = _read(file.tokens, vocabulary, reads_texts=reads_texts)
        if starts[-1] + len(part.words) >= most_words:
            left = len(files) - len(parts)
            job.leave_out(f"{left} of {len(files)} files: over {most_words:,} words")
            break
        parts.append(part)
        starts.append(starts[-1] + len(part.words) + 1)
    ends = np.array(starts[1:], np.int64) - 1
    words, lines, end_lines = (np.zeros(starts[-1], np.int32) for _ in range(3))
    shapes = words if reads_texts else np.zeros_like(words)
    paths = [file.path for file in files[: len(parts)]]
    for start in reversed(starts[:-1]):
        part = parts.pop()
        here = slice(start, start + len(part.words))
        shapes[here], words[here] = part.shapes, part.words
        lines[here], end_lines[here] = part.lines, part.end_lines
    words[ends] = shapes[ends] = -1 - np.arange(len(ends))
    return Corpus(paths, np.array(starts, np.int64), words, shapes, lines, end_lines)


class _Part(NamedTuple):
    """The rows of one file."""

    words: "Row"
    shapes: "Row"
    lines: "Row"
    end_lines: "Row"


def _read(tokens: Tokens, vocabulary: "defaultdict[bytes, int]", *, reads_texts: bool) -> _Part:
    """Return the words of a file that stand on a known line."""
    import numpy as np

    numbers = np.array(list(map(vocabulary.__getitem__, tokens.texts)), np.int32)
    kinds = np.frombuffer(tokens.kinds, np.uint8)
    breaks = np.array([text.count(b"\n") for text in tokens.texts], np.int32)
    begun = np.frombuffer(tokens.begun, np.uint32)
    lines = np.repeat(np.arange(1, len(begun) + 1, dtype=np.int32), begun)
    stream = np.frombuffer(tokens.stream, np.uint32)[: len(lines)]
    words = numbers[stream]
    shapes = words if reads_texts else _alike(numbers, kinds)[stream]
    part = _Part(words, shapes, lines, lines + breaks[stream])
    if not reads_texts:
        return part
    literals = np.flatnonzero(kinds == TokenKind.LITERAL).tolist()
    operators = np.flatnonzero(kinds == TokenKind.OPERATOR).tolist()
    long = [it for it in literals if breaks[it] or _QUOTES in tokens.texts[it]]
    several = [it for it in operators if b" " in tokens.texts[it]]
    texts = {number: _words_of(tokens.texts[number]) for number in sorted(long + several)}
    return _taken_apart(part, stream, numbers, texts, vocabulary) if texts else part


def _taken_apart(
    part: _Part,
    stream: "NDArray[np.uint32]",
    numbers: "Row",
    texts: Mapping[int, Sequence[Sequence[bytes]]],
    vocabulary: "defaultdict[bytes, int]",
) -> _Part:
    """Return a file with the words of some literals in their place."""
    import numpy as np

    sizes = np.ones(len(numbers), np.int64)
    sizes[list(texts)] = [sum(map(len, lines)) for lines in texts.values()]
    begins = np.cumsum(sizes) - sizes
    split = np.repeat(numbers, sizes)
    offsets = np.zeros(len(split), np.int32)
    for text, rows in texts.items():
        here = slice(int(begins[text]), int(begins[text] + sizes[text]))
        split[here] = list(map(vocabulary.__getitem__, chain.from_iterable(rows)))
        offsets[here] = np.repeat(np.arange(len(rows)), list(map(len, rows)))
    repeated = sizes[stream]
    owners = np.repeat(np.arange(len(stream)), repeated)
    inside = np.arange(len(owners)) - np.repeat(np.cumsum(repeated) - repeated, repeated)
    at = begins[stream][owners] + inside
    lines = part.lines[owners] + offsets[at]
    end_lines = np.where(repeated[owners] > 1, lines, part.end_lines[owners])
    return _Part(split[at], split[at], lines, end_lines)


def _alike(numbers: "Row", kinds: "NDArray[np.uint8]") -> "Row":
    """Return the words by their shapes."""
    import numpy as np

    names = np.where(kinds == TokenKind.IDENTIFIER, np.int32(NAME), np.int32(LITERAL))
    return np.where(kinds == TokenKind.OPERATOR, numbers, names)


def _words_of(text: bytes) -> list[list[bytes]]:
    """Return the words of each line of a text."""
    return list(map(_WORD.findall, text.split(b"\n")))
