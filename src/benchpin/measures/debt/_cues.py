"""Cues: phrases that indicate debt, how strongly and why, and how they are found in a sentence.

A phrase is words with blanks between them. `a|b` is either word, `(a)` is optional, `_` is any
word, `^` is the start of the sentence. The strength of each phrase of `lexicon.json` was chosen by
hand, the weight of a strength was learned.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib.resources import files

import msgspec

ANY = "_"
# Phrases that only look like cues.
_INNOCENT = """
<todo>|<hack> list|lists|item|items|app|apps|entry|entries|panel|view|pane|tab
<todo> el|lo|la|los|las|esto|este|esta|que|bien
temporary file|files|variable|variables|table|tables|directory|dir|folder|name|storage|object
temporary list|copy|buffer|array|data|value|location|store
bug|issue <number>|<name>
broken pipe|link|links|line|lines|into|down|up|by
bug report|reports|fix|fixes|tracker|database|id|number
kind|sort of
this|that|which is why
reason|reasons|explains|know|see|explain|understand why
"""


class Strength(StrEnum):
    """How strongly a cue indicates debt."""

    TAG = "tag"
    BARE = "bare"
    STRONG = "strong"
    CLEAR = "clear"
    FAINT = "faint"
    NONE = "none"
    """Keeps other cues from matching its words: a broken pipe is not broken code."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that indicates debt, or is known not to."""

    phrase: str
    strength: Strength
    reason: str
    can_be_denied: bool
    """Whether `not` or `avoid` before it negates it."""


class _Meaning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases of the lexicon with the same meaning, by strength."""

    reason: str
    strong: tuple[str, ...] = ()
    clear: tuple[str, ...] = ()
    faint: tuple[str, ...] = ()
    can_be_denied: bool = False


def _cues() -> Iterator[Cue]:
    tags = "<todo>|<fixme>|<xxx>|<hack>"
    yield Cue(tags, Strength.TAG, "a tag for work left over", can_be_denied=False)
    yield Cue("<bare>", Strength.BARE, "nothing is said after the tag", can_be_denied=False)
    lexicon = files(__package__).joinpath("lexicon.json").read_bytes()
    for meaning in msgspec.json.decode(lexicon, type=tuple[_Meaning, ...]):
        for strength, phrases in (
            (Strength.STRONG, meaning.strong),
            (Strength.CLEAR, meaning.clear),
            (Strength.FAINT, meaning.faint),
        ):
            for phrase in phrases:
                yield Cue(phrase, strength, meaning.reason, meaning.can_be_denied)
    for phrase in _INNOCENT.strip().splitlines():
        yield Cue(phrase, Strength.NONE, "", can_be_denied=False)


CUES = tuple(_cues())


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
