"""Find phrases in a sentence, word by word, in time proportional to its length.

A phrase is written as words with blanks between them. `a|b` takes either word, `(a)` may be left
out, `_` is any one word, `^` is the start of the sentence.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product

ANY = "_"


class _Node:
    """What may follow the words so far, and the phrases that end here."""

    __slots__ = ("ends", "follow")

    def __init__(self) -> None:
        self.follow: dict[str, _Node] = {}
        self.ends: list[int] = []


class Phrases:
    """A list of phrases, to be looked for all at once; made ready when they are first needed."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns

    @cached_property
    def _starts(self) -> dict[str, _Node]:
        starts: dict[str, _Node] = {}
        for number, pattern in enumerate(self._patterns):
            for first, *rest in _spell_out(pattern):
                node = starts.setdefault(first, _Node())
                for word in rest:
                    node = node.follow.setdefault(word, _Node())
                if number not in node.ends:
                    node.ends.append(number)
        return starts

    def find(self, words: Sequence[str]) -> list[tuple[int, int, int]]:
        """Return the phrases that stand there, and from which word up to which.

        Where two overlap the longer one is taken, then the one more to the left.
        """
        starts = self._starts
        found = [
            (start - end, start, phrase)
            for start, word in enumerate(words)
            if word in starts
            for phrase, end in _follow(starts[word], words, start)
        ]
        if len(found) > 1:
            found.sort()
        taken: set[int] = set()
        chosen: list[tuple[int, int, int]] = []
        for minus_length, start, phrase in found:
            places = range(start, start - minus_length)
            if taken.isdisjoint(places):
                taken.update(places)
                chosen.append((phrase, start, start - minus_length))
        return chosen


def _follow(first: _Node, words: Sequence[str], start: int) -> Iterator[tuple[int, int]]:
    pending = [(first, start + 1)]
    while pending:
        node, at = pending.pop()
        for phrase in node.ends:
            yield phrase, at
        if node.follow and at < len(words):
            for key in (words[at], ANY):
                after = node.follow.get(key)
                if after is not None:
                    pending.append((after, at + 1))


def _spell_out(pattern: str) -> Iterator[tuple[str, ...]]:
    choices: list[tuple[str, ...]] = []
    for element in pattern.split():
        is_optional = len(element) > 2 and element[0] == "(" and element[-1] == ")"  # noqa: PLR2004 # `()`
        words = tuple((element[1:-1] if is_optional else element).split("|"))
        choices.append((*words, "") if is_optional else words)
    for words in product(*choices):
        yield tuple(word for word in words if word)
