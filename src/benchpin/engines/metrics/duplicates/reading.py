"""From the tokens of files to rows of numbers, many files at a time."""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count, repeat
from typing import TYPE_CHECKING, NamedTuple

from benchpin.engines.source.facts import TokenKind, Tokens
from benchpin.engines.source.index import FileFacts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Places, Row

NAME, LITERAL, _FIRST_FREE = 0, 1, 2
_NEW_LINE, _QUOTE = b'\n"'
_WORD_OR_BREAK = re.compile(rb"\w+|[^\w\s]|\n")
_END_KIND = bytes([TokenKind.OPERATOR])
_NUMBER_BYTES = 4
_FAMILIES = {
    "c": "c",
    "cpp": "c",
    "javascript": "javascript",
    "typescript": "javascript",
    "tsx": "javascript",
}
"""Languages that share their words; code in two others is never the same."""


def family_of(language: str) -> str:
    """Return what languages that share their words have in common."""
    return _FAMILIES.get(language, language)


class Rows(NamedTuple):
    """The words of files one after the other; a word below zero ends each."""

    words: "Row"
    """Every word by its text."""
    lines: "Row"
    end_lines: "Row"
    shapes: "Row"
    """Every word by its text, names alike and literals alike; none where texts are read."""


class Reader:
    """Puts files into rows, and knows the words of all that it read.

    With `reads_texts`, literals of several lines, and operators such as `not in`, are taken apart
    into words of their own.
    """

    def __init__(self, *, reads_texts: bool) -> None:
        number = count(_FIRST_FREE).__next__
        self._vocabularies: defaultdict[str, defaultdict[bytes, int]] = defaultdict(
            lambda: defaultdict(number)
        )
        self._ends = count(-1, -1)
        self._reads_texts = reads_texts

    def read(self, files: Sequence[FileFacts]) -> Rows:
        """Return the words of files that stand on a known line."""
        tokens = [file.tokens for file in files]
        texts = self._texts(files)
        places, lines = _stream(tokens)
        if self._reads_texts:
            return texts.taken_apart().rows(places, lines)
        words, shapes = texts.numbers[places], texts.shapes()[places]
        return Rows(words, lines, lines + texts.breaks[places], shapes)

    def _texts(self, files: Sequence[FileFacts]) -> "_Texts":
        import numpy as np

        texts: list[bytes] = []
        numbers: list[int] = []
        numberings: list[Callable[[bytes], int]] = []
        for file in files:
            number_of = self._vocabularies[family_of(file.language)].__getitem__
            numbers += map(number_of, file.tokens.texts)
            numbers.append(next(self._ends))
            texts += file.tokens.texts
            texts.append(b"")
            numberings += repeat(number_of, len(texts) - len(numberings))
        kinds = np.frombuffer(b"".join(it.tokens.kinds + _END_KIND for it in files), np.uint8)
        return _Texts(texts, kinds, np.array(numbers, np.int32), numberings)


class _Texts:
    """The vocabularies of files one after the other, each with one text more for the end."""

    def __init__(
        self,
        texts: list[bytes],
        kinds: "NDArray[np.uint8]",
        numbers: "Row",
        numberings: list[Callable[[bytes], int]],
    ) -> None:
        """Take texts, and for each what gives words in its language their numbers."""
        import numpy as np

        self._texts = texts
        self._kinds = kinds
        self._numberings = numberings
        self.numbers = numbers
        self._bytes = np.frombuffer(b"\0".join(texts), np.uint8)
        self._ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
        self.breaks = self._count(self._bytes == _NEW_LINE)
        """How many lines below its beginning each text ends."""

    def _count(self, is_there: "NDArray[np.bool_]") -> "Row":
        """Return in how many places of each text something is there."""
        import numpy as np

        owners = self._ends.searchsorted(np.flatnonzero(is_there), side="right")
        return np.bincount(owners, minlength=len(self._texts)).astype(np.int32)

    def shapes(self) -> "Row":
        """Return the texts by their shapes."""
        import numpy as np

        names = np.where(self._kinds == TokenKind.IDENTIFIER, np.int32(NAME), np.int32(LITERAL))
        return np.where(self._kinds == TokenKind.OPERATOR, self.numbers, names)

    def taken_apart(self) -> "_Pieces":
        """Return the words of all texts."""
        import numpy as np

        is_apart = self._are_of_several_words()
        apart = np.flatnonzero(is_apart).tolist()
        words, lines, counts = self._words_of(apart)
        sizes = np.ones(len(self._texts), np.int64)
        sizes[apart] = counts
        is_taken = np.repeat(is_apart, sizes)
        pieces = np.repeat(self.numbers, sizes)
        pieces[is_taken] = words
        begins = np.zeros_like(pieces)
        begins[is_taken] = lines
        ends = begins + np.repeat(np.where(is_apart, np.int32(0), self.breaks), sizes)
        return _Pieces(sizes, pieces, begins, ends)

    def _are_of_several_words(self) -> "NDArray[np.bool_]":
        import numpy as np

        is_quote = self._bytes == _QUOTE
        is_quoted = self._count(is_quote[:-2] & is_quote[1:-1] & is_quote[2:]) > 0
        is_literal: NDArray[np.bool_] = self._kinds == TokenKind.LITERAL
        is_apart = is_literal & ((self.breaks > 0) | is_quoted)
        operators = np.flatnonzero(self._kinds == TokenKind.OPERATOR).tolist()
        is_apart[[at for at in operators if b" " in self._texts[at]]] = True
        return is_apart

    def _words_of(self, texts: Sequence[int]) -> "tuple[Row, Row, Places]":
        """Return the words in texts, their lines below its beginning, and how many each has."""
        import numpy as np

        found = [_WORD_OR_BREAK.findall(self._texts[at]) for at in texts]
        numbers: list[int] = []
        for at, words in zip(texts, found, strict=True):
            numbers += map(self._numberings[at], words)
        counts = np.array(list(map(len, found)), np.int64)
        line_breaks = np.array([self._numberings[at](b"\n") for at in texts], np.int32)
        row = np.array(numbers, np.int32)
        is_word = row != np.repeat(line_breaks, counts)
        lines = np.cumsum(~is_word, dtype=np.int32)
        breaks = self.breaks[texts]
        lines -= np.repeat(np.cumsum(breaks, dtype=np.int32) - breaks, counts)
        return row[is_word], lines[is_word], counts - breaks


class _Pieces(NamedTuple):
    """The words that texts are made of, mostly one each."""

    sizes: "Places"
    """For each text, how many words it has."""
    words: "Row"
    lines: "Row"
    """For each word, how many lines below the beginning of its text it begins."""
    end_lines: "Row"

    def rows(self, places: "Places", lines: "Row") -> Rows:
        """Put the words of texts in the place of the texts."""
        import numpy as np

        sizes = self.sizes[places]
        begins = np.cumsum(self.sizes) - self.sizes
        at = np.repeat(begins[places] - np.cumsum(sizes) + sizes, sizes)
        at += np.arange(len(at))
        words, lines = self.words[at], np.repeat(lines, sizes)
        return Rows(words, lines + self.lines[at], lines + self.end_lines[at], words[:0])


def _stream(tokens: Sequence[Tokens]) -> "tuple[Places, Row]":
    """Return where the text of each word is among those of all files, and on which line it stands.

    Each file has one text, one line and one word more: its end.
    """
    import numpy as np

    begun = np.frombuffer(b"".join(it.begun + _bytes_of(1) for it in tokens), np.uint32)
    heights = np.array([len(it.begun) // _NUMBER_BYTES + 1 for it in tokens])
    tops = np.cumsum(heights) - heights
    lines = np.arange(1, len(begun) + 1) - np.repeat(tops, heights)
    widths = np.add.reduceat(begun, tops, dtype=np.int64)
    known = ((widths - 1) * _NUMBER_BYTES).tolist()
    stream = b"".join(
        it.stream[:size] + _bytes_of(len(it.texts)) for it, size in zip(tokens, known, strict=True)
    )
    counts = np.array([len(it.texts) + 1 for it in tokens])
    places = np.frombuffer(stream, np.uint32) + np.repeat(np.cumsum(counts) - counts, widths)
    return places, np.repeat(lines.astype(np.int32), begun)


def _bytes_of(number: int) -> bytes:
    return number.to_bytes(_NUMBER_BYTES, sys.byteorder)
