"""How similar names are: what their words mean, which they share, how they are spelled and sound.

The score is a mean of meaning, spelling and shared words, lowered where two words are opposed, as
in `minWidth` and `maxWidth`, which are similar in all three and never mean the same.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ._words import split_identifier, word_vectors

_VOWELS = frozenset("aeiou")
_MIN_CHARS = 2


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

# The rest is shared by spelling and words in equal parts; chosen by pairs whose identifiers were
# held out, see docs/metrics.md.
MEANING_WEIGHT = 0.4
# How much of the score is lost at a contrast of 1: more makes it follow how alike people call
# names, less how related.
CONTRAST_WEIGHT = 0.25
# The lowest score of names that sound alike, in a phonetic search.
SOUNDS_ALIKE = 0.8
# How many names are summed at once: their vectors take some megabytes.
_AT_ONCE = 10_000
# Enough for the distinct names of a big project.
_MAX_KNOWN = 1 << 17


@dataclass(frozen=True, slots=True)
class Similarity:
    """How similar two names are, and why."""

    score: float
    """From 0 to 1."""
    meaning: float | None
    """From 0 to 1; None if no word of one of them is known."""
    spelling: float
    """From 0 to 1: one less the share of letters to change; 1 for the same words in any style."""
    words: float
    """From 0 to 1: the share of words that both have; an abbreviation counts as its word."""
    contrast: float
    """From 0 to 1: how often one file has names that differ in just these opposed words."""
    opposed_words: tuple[str, str] | None
    sounds_alike: bool
    shared_words: tuple[str, ...]


class NameIndex:
    """Names, prepared for comparison with any other."""

    def __init__(self, names: Sequence[str]) -> None:
        import numpy as np

        self.names = tuple(names)
        split = [split_identifier(name) for name in self.names]
        self._joined_words = ["_".join(words) for words in split]
        self._word_table = WordTable(word for words in split for word in words)
        self._word_counts: Ints = np.array([len(words) for words in split], dtype=np.int64)
        numbers = self._word_table.places
        self._words: Ints = np.array([numbers[it] for words in split for it in words], np.int64)
        table = word_vectors()
        places = [table.places_of(name) or [table.zero_row] for name in self.names]
        counts = np.array([len(it) for it in places], dtype=np.int64)
        self._starts: Ints = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        self._places: Ints = np.array([place for it in places for place in it], dtype=np.int64)
        self._used, self._use = np.unique(self._places, return_inverse=True)
        self._lengths = self._measure_lengths(counts)

    def _measure_lengths(self, counts: "Ints") -> "Floats":
        import numpy as np

        vectors = word_vectors().vectors
        lengths = [np.zeros(0, dtype=np.float32)]
        for first in range(0, len(counts), _AT_ONCE):
            part = counts[first : first + _AT_ONCE]
            start = self._starts[first]
            rows = vectors[self._places[start : start + part.sum()]]
            sums = np.add.reduceat(rows, np.cumsum(part) - part, axis=0)
            lengths.append(np.linalg.norm(sums, axis=1))
        return np.concatenate(lengths)

    def meanings(self, query: str) -> "Floats":
        """Return the similarity of meaning to each name; NaN where it is unknown."""
        import numpy as np

        table = word_vectors()
        meaning = table.meaning_of([query])
        near = table.vectors[self._used] @ meaning
        if not self.names or not meaning.any():
            return np.full(len(self.names), np.nan, dtype=np.float32)
        sums = np.add.reduceat(near[self._use], self._starts)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.clip(sums / self._lengths, 0, 1), dtype=np.float32)

    def spellings(self, query: str) -> "Floats":
        """Return the similarity of spelling to each name; 1 for the same words in another style."""
        import numpy as np
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist

        found = cdist([query], self.names, scorer=Levenshtein.normalized_similarity)[0]
        words = "_".join(split_identifier(query))
        is_same = np.array([bool(it) and it == words for it in self._joined_words], dtype=bool)
        return np.where(is_same, 1, found).astype(np.float32)

    def shared_words(self, query: str) -> "Floats":
        """Return the share of words that the query and each name have in common.

        Where one of them has no words, such as `_`, it is the similarity of spelling.
        """
        import numpy as np

        asked = split_identifier(query)
        if not asked:
            return self.spellings(query)
        owners = np.repeat(np.arange(len(self.names)), self._word_counts)
        is_asked = np.zeros(len(self._word_table), dtype=bool)
        found = np.zeros(len(self.names), dtype=np.int64)
        for word in asked:
            is_same = np.zeros(len(self._word_table), dtype=bool)
            is_same[self._word_table.same_as(word)] = True
            is_asked |= is_same
            found += np.bincount(owners[is_same[self._words]], minlength=len(self.names)) > 0
        theirs = np.bincount(owners[is_asked[self._words]], minlength=len(self.names))
        shares = 2 * np.minimum(found, theirs) / (len(asked) + self._word_counts)
        has_words = self._word_counts > 0
        if not has_words.all():
            shares = np.where(has_words, shares, self.spellings(query))
        return np.asarray(shares, dtype=np.float32)

    def contrasts(self, query: str) -> "Floats":
        """Return the highest contrast between a word of the query and one of each name."""
        import numpy as np

        table = word_vectors()
        asked = set(table.places_of(query))
        highest = np.zeros(len(self.names), dtype=np.float32)
        for place in sorted(asked & table.opposed.keys()) if self.names else ():
            against = np.zeros(len(table.vectors), dtype=np.float32)
            for other, contrast in table.opposed[place].items():
                against[other] = 0 if other in asked else contrast
            found = np.maximum.reduceat(against[self._places], self._starts)
            is_shared = np.logical_or.reduceat(self._places == place, self._starts)
            highest = np.maximum(highest, np.where(is_shared, 0, found))
        return highest

    def scores(self, query: str, *, phonetic: bool) -> "Floats":
        """Return the similarity of each name to a query; without its meaning if that is unknown."""
        import numpy as np

        meanings = self.meanings(query)
        forms = (self.spellings(query) + self.shared_words(query)) / 2
        mixed = MEANING_WEIGHT * meanings + (1 - MEANING_WEIGHT) * forms
        alike = np.where(np.isnan(meanings), forms, mixed)
        scores = alike * (1 - CONTRAST_WEIGHT * self.contrasts(query))
        if phonetic:
            sound = sound_of(query)
            is_heard = np.array([sound_of(name) == sound for name in self.names], dtype=bool)
            scores = np.where(is_heard, np.maximum(scores, SOUNDS_ALIKE), scores)
        return np.asarray(scores, dtype=np.float32)


def compare_names(first: str, second: str, *, phonetic: bool = False) -> Similarity:
    index = NameIndex([second])
    meaning = float(index.meanings(first)[0])
    others = split_identifier(second)
    return Similarity(
        score=float(index.scores(first, phonetic=phonetic)[0]),
        meaning=None if math.isnan(meaning) else meaning,
        spelling=float(index.spellings(first)[0]),
        words=float(index.shared_words(first)[0]),
        contrast=float(index.contrasts(first)[0]),
        opposed_words=_opposed_words(first, second),
        sounds_alike=sound_of(first) == sound_of(second),
        shared_words=tuple(word for word in split_identifier(first) if word in others),
    )


def _opposed_words(first: str, second: str) -> tuple[str, str] | None:
    """Return the words of two names with the highest contrast, if any."""
    table = word_vectors()
    ours, theirs = (dict.fromkeys(table.places_of(name)) for name in (first, second))
    pairs = [
        (table.opposed[one][two], table.words[one], table.words[two])
        for one in ours
        for two in theirs
        if one not in theirs and two not in ours and two in table.opposed.get(one, ())
    ]
    return max(pairs)[1:] if pairs else None


@lru_cache(_MAX_KNOWN)
def sound_of(name: str) -> str:
    """Return the sounds of the words of a name, by Metaphone; numbers are kept as they are."""
    return " ".join(_sound_of_word(word) for word in split_identifier(name))


@lru_cache(_MAX_KNOWN)
def _sound_of_word(word: str) -> str:
    from jellyfish import metaphone

    return metaphone(word) or word


# Words that two names share, where an abbreviation counts as the word that it abbreviates.


def is_abbreviation(short: str, word: str) -> bool:
    """Whether one word abbreviates another: its beginning, or its letters without vowels.

    `col` and `clmn` both abbreviate `column`; `min` does not abbreviate `margin`.
    """
    if not _MIN_CHARS <= len(short) < len(word) or short[0] != word[0]:
        return False
    if word.startswith(short):
        return True
    letters = iter(word)
    return _VOWELS.isdisjoint(short[1:]) and all(letter in letters for letter in short)


class WordTable:
    """Distinct words by their first letter, to look up those that are the same as another one."""

    def __init__(self, words: Iterable[str]) -> None:
        self._places: dict[str, int] = {}
        self._by_letter: dict[str, list[tuple[str, int]]] = {}
        for word in words:
            if word not in self._places:
                place = self._places[word] = len(self._places)
                self._by_letter.setdefault(word[0], []).append((word, place))

    def __len__(self) -> int:
        """Return how many distinct words there are."""
        return len(self._places)

    @property
    def places(self) -> Mapping[str, int]:
        """The number of each word."""
        return self._places

    def same_as(self, word: str) -> Sequence[int]:
        """Return the numbers of the word, of its abbreviations and of what it abbreviates."""
        return [
            place
            for other, place in self._by_letter.get(word[0], ())
            if other == word or is_abbreviation(other, word) or is_abbreviation(word, other)
        ]
