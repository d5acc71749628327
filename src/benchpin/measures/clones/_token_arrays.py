"""The tokens of files as arrays of numbers, many files at a time."""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count, repeat
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from benchpin.facts import FileFacts, TokenKind, Tokens
from benchpin.facts.languages import kin_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Checksums, Ids, Places

NAME, LITERAL, _FIRST_FREE = 0, 1, 2
_NEW_LINE, _QUOTE = b'\n"'
_WORD_OR_BREAK = re.compile(rb"\w+|[^\w\s]|\n")
_END_KIND = bytes([TokenKind.OPERATOR])
_NUMBER_BYTES = 4
# An odd number: it spreads checksums, whose differences are those of the texts.
_SPREAD = 0x85EB_CA6B


class TokenArrays(NamedTuple):
    """The tokens of files one after the other; a number below zero ends each file."""

    tokens: "Ids"
    """A number for each distinct text."""
    lines: "Ids"
    end_lines: "Ids"
    shapes: "Ids"
    """The same, with one number for all names and one for all literals; empty with words."""


class TokenReader:
    """Converts tokens to arrays, with the same numbers in all files.

    With `splits_literals`, literals of several lines and operators such as `not in` are split into
    words, each a token of its own.
    """

    def __init__(self, *, splits_literals: bool) -> None:
        self._number = number = count(_FIRST_FREE).__next__
        self._vocabularies: defaultdict[str, defaultdict[bytes, int]] = defaultdict(
            lambda: defaultdict(number)
        )
        self._ends = count(-1, -1)
        self._splits_literals = splits_literals

    def read(self, files: Sequence[FileFacts]) -> TokenArrays:
        """Return the tokens of files that have a known line."""
        tokens = [file.tokens for file in files]  # once: they may be loaded each time
        texts = self._texts(files, tokens)
        places, lines = _stream(tokens)
        if self._splits_literals:
            return texts.split().arrays(places, lines)
        numbers, shapes = texts.numbers[places], texts.shapes()[places]
        return TokenArrays(numbers, lines, lines + texts.breaks[places], shapes)

    def checksums(self) -> "Checksums":
        """Return for each number that was given to a text one that depends only on the text.

        And on its family of languages.
        """
        import numpy as np

        found = np.zeros(self._number(), np.uint32)
        found[[NAME, LITERAL]] = NAME, LITERAL
        for family, vocabulary in self._vocabularies.items():
            numbers = np.fromiter(vocabulary.values(), np.int64, len(vocabulary))
            sums = map(crc32, vocabulary, repeat(crc32(family.encode())))
            found[numbers] = np.fromiter(sums, np.uint32, len(vocabulary))
        found *= np.uint32(_SPREAD)
        return found

    def _texts(self, files: Sequence[FileFacts], tokens: Sequence[Tokens]) -> "_Texts":
        import numpy as np

        texts: list[bytes] = []
        numbers: list[int] = []
        numberings: list[Callable[[bytes], int]] = []
        for file, section in zip(files, tokens, strict=True):
            number_of = self._vocabularies[kin_of(file.language)].__getitem__
            numbers += map(number_of, section.texts)
            numbers.append(next(self._ends))
            texts += section.texts
            texts.append(b"")
            numberings += repeat(number_of, len(texts) - len(numberings))
        kinds = np.frombuffer(b"".join(it.kinds + _END_KIND for it in tokens), np.uint8)
        return _Texts(texts, kinds, np.array(numbers, np.int32), numberings)


class _Texts:
    """The distinct texts of files one after the other, each with one more text for its end."""

    def __init__(
        self,
        texts: list[bytes],
        kinds: "NDArray[np.uint8]",
        numbers: "Ids",
        numberings: list[Callable[[bytes], int]],
    ) -> None:
        """Take texts, and for each the function that numbers words of its language."""
        import numpy as np

        self._texts = texts
        self._kinds = kinds
        self._numberings = numberings
        self.numbers = numbers
        self._bytes = np.frombuffer(b"\0".join(texts), np.uint8)
        self._ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
        self.breaks = self._count(self._bytes == _NEW_LINE)
        """How many lines after its first one each text ends."""

    def _count(self, is_marked: "NDArray[np.bool_]") -> "Ids":
        """Count the marked bytes of each text."""
        import numpy as np

        owners = self._ends.searchsorted(np.flatnonzero(is_marked), side="right")
        return np.bincount(owners, minlength=len(self._texts)).astype(np.int32)

    def shapes(self) -> "Ids":
        import numpy as np

        names = np.where(self._kinds == TokenKind.IDENTIFIER, np.int32(NAME), np.int32(LITERAL))
        return np.where(self._kinds == TokenKind.OPERATOR, self.numbers, names)

    def split(self) -> "_Words":
        """Split the texts of several words."""
        import numpy as np

        is_split = self._are_of_several_words()
        split = np.flatnonzero(is_split).tolist()
        words, lines, counts = self._words_of(split)
        sizes = np.ones(len(self._texts), np.int64)
        sizes[split] = counts
        is_word = np.repeat(is_split, sizes)
        pieces = np.repeat(self.numbers, sizes)
        pieces[is_word] = words
        begins = np.zeros_like(pieces)
        begins[is_word] = lines
        ends = begins + np.repeat(np.where(is_split, np.int32(0), self.breaks), sizes)
        return _Words(sizes, pieces, begins, ends)

    def _are_of_several_words(self) -> "NDArray[np.bool_]":
        import numpy as np

        is_quote = self._bytes == _QUOTE
        is_quoted = self._count(is_quote[:-2] & is_quote[1:-1] & is_quote[2:]) > 0
        is_literal: NDArray[np.bool_] = self._kinds == TokenKind.LITERAL
        is_split = is_literal & ((self.breaks > 0) | is_quoted)
        operators = np.flatnonzero(self._kinds == TokenKind.OPERATOR).tolist()
        is_split[[at for at in operators if b" " in self._texts[at]]] = True
        return is_split

    def _words_of(self, texts: Sequence[int]) -> "tuple[Ids, Ids, Places]":
        """Return the words of texts, their lines from the first one, and how many each has."""
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


class _Words(NamedTuple):
    """The words of texts, mostly one each."""

    sizes: "Places"
    """How many words each text has."""
    words: "Ids"
    lines: "Ids"
    """How many lines after the first one of its text each word begins."""
    end_lines: "Ids"

    def arrays(self, places: "Places", lines: "Ids") -> TokenArrays:
        """Replace each text by its words."""
        import numpy as np

        sizes = self.sizes[places]
        begins = np.cumsum(self.sizes) - self.sizes
        at = np.repeat(begins[places] - np.cumsum(sizes) + sizes, sizes)
        at += np.arange(len(at))
        words, lines = self.words[at], np.repeat(lines, sizes)
        return TokenArrays(words, lines + self.lines[at], lines + self.end_lines[at], words[:0])


def _stream(tokens: Sequence[Tokens]) -> "tuple[Places, Ids]":
    """Return for each token the number of its text among those of all files, and its line.

    Each file has one more text, line and token, for its end.
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
