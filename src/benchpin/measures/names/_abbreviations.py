"""Words that two names share, where an abbreviation counts as the word that it abbreviates."""

from collections.abc import Iterable, Mapping, Sequence

_VOWELS = frozenset("aeiou")
_MIN_CHARS = 2


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
