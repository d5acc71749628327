"""Find many phrases in a sentence in one pass, with a trie of words.

A phrase is words with blanks between them. `a|b` is either word, `(a)` is optional, `_` is any
word, `^` is the start of the sentence.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

ANY = "_"


class _Node:
    """A node of the trie: the next words, and the phrases that end here."""

    __slots__ = ("ends", "follow")

    def __init__(self) -> None:
        self.follow: dict[str, _Node] = {}
        self.ends: list[int] = []


class Phrases:
    """Phrases to search for all at once; the trie is built on first use."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns

    @cached_property
    def _starts(self) -> dict[str, _Node]:
        top = _Node()
        for number, pattern in enumerate(self._patterns):
            ends = [top]
            for element in pattern.split():
                ends = _lengthened(ends, element)
            for node in dict.fromkeys(ends):
                node.ends.append(number)
        return top.follow

    def find(self, words: Sequence[str]) -> list[tuple[int, int, int]]:
        """Return the phrases found: number, first word, end.

        Of overlapping phrases the longest is taken, then the leftmost.
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


def _lengthened(nodes: Sequence[_Node], element: str) -> list[_Node]:
    """Add one element of a phrase after some nodes; return the nodes where it may end."""
    is_optional = len(element) > 2 and element[0] == "(" and element[-1] == ")"  # noqa: PLR2004 # `()`
    words = (element[1:-1] if is_optional else element).split("|")
    longer = list(nodes) if is_optional else []
    for node in nodes:
        for word in words:
            if word not in node.follow:
                node.follow[word] = _Node()
            longer.append(node.follow[word])
    return longer
