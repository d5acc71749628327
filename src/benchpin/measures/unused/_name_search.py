"""Find the names that each code of a file uses, in its tokens and in its strings.

The loop over the tokens runs in the workers for every file: it is the larger half of what a first
search for unused code costs besides parsing.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from benchpin.facts.liveness import Definition, LivenessRules, TokenView

from ._file_uses import BARE, MEMBER, STRING, TEXT, UseKind

# Longer strings are texts, even without spaces.
_MAX_NAME_CHARS = 200
# How many tokens a function may begin after the name that it is assigned to.
_FARTHEST_NAME = 60
# What a definition may be called: a token like this may use it, whatever kind of token it is.
_NAME = re.compile(rb"[#@$]{0,2}[A-Za-z_\x80-\xff][\w$\x80-\xff]*[?!=]?")
_WORD = re.compile(r"[^\W\d]\w*")
_SPACE = re.compile(r"\s")
# Names that are no English words: `snake_case`, `_private`, `camelCase`.
_LOOKS_LIKE_CODE = re.compile(r"\b(?:[A-Za-z](?=\w*_\w)|_(?=\w)|[a-z]++(?=[A-Z]))\w*+")
_FORMATTED = re.compile(r"\{([^\W\d]\w*)[:}]")
_AFTER_MARK = re.compile(r"[.`]([^\W\d]\w*)")
# Words that look like code by the character before or after them.
_BEFORE_MARK = re.compile(r"\b([^\W\d]\w*)[(`]")
# What a token may be: neither a name nor a literal, or one of these.
_NAMED, _LITERAL = 1, 2

# The words that some code uses, by number, and how.
NamedUses = dict[int, UseKind]


class Words(dict[str, int]):
    """The number of each word of a file."""

    def __missing__(self, word: str) -> int:
        """Give the next number to a new word."""
        number = self[word] = len(self)
        return number


class NameSearch:
    """Finds the names that each code of a file uses."""

    def __init__(
        self,
        view: TokenView,
        definitions: Sequence[Definition],
        rules: LivenessRules,
        words: Words,
    ) -> None:
        self._view = view
        self._words = words
        self._definitions = definitions
        self._rules = rules
        texts = view.texts
        self._names = {
            at: words[text.decode(errors="replace")]
            for at, text in enumerate(texts)
            if _NAME.fullmatch(text)
        }
        literals = view.literals()
        self._literals = frozenset(it for it in literals if it not in self._names)
        # Half a name, as in `f"{x}size="`, and a whole one in Ruby: both are counted.
        self._mixed = frozenset(
            it
            for it in literals
            if it in self._names and not texts[it].replace(b"_", b"").isalnum()
        )
        # The vocabulary is small: what a token is, and makes of the next, is looked up by number.
        self._roles = bytearray(len(texts))
        for at in self._literals:
            self._roles[at] = _LITERAL
        for at in self._names:
            self._roles[at] = _NAMED
        marks, words_before = rules.member_marks, rules.definition_words
        self._kinds = bytes(
            MEMBER if it in marks else 0 if it in words_before else BARE for it in texts
        )
        self._in_literals: dict[int, list[tuple[int, UseKind]]] = {}
        self._skipped = _naming_positions(view, definitions) | rules.export_positions(view)

    def by_code(self) -> list[NamedUses]:
        """Return the names that each code uses, and how; code 0 is in no definition."""
        found: list[dict[int, UseKind]] = [{} for _ in range(len(self._definitions) + 1)]
        for start, end, code in _segments(self._definitions, len(self._view.stream)):
            self._search(start, end, found[code], is_outside=code == 0)
        return list(map(self._named, found))

    def _search(self, start: int, end: int, found: dict[int, UseKind], *, is_outside: bool) -> None:
        """Add the tokens of the vocabulary that name something between two positions."""
        view, stream, skipped = self._view, self._view.stream, self._skipped
        roles, kinds, get = self._roles, self._kinds, found.get
        # Most languages have one of these rules or none: two million tokens need not ask.
        is_declaration, is_taken = self._rules.is_declaration, self._rules.is_destructured
        kind = kinds[stream[start - 1]] if start else BARE
        for at, number in enumerate(stream[start:end], start):
            role = roles[number]
            if role == _NAMED:
                seen = get(number, 0)
                # What is known already is not looked at again: most names are used many times.
                is_known = (seen & kind or not kind) and (is_taken is None or seen & MEMBER)
                if is_known or at in skipped:
                    pass
                elif is_taken is not None and is_taken(view, at):
                    found[number] = seen | MEMBER
                elif kind and not (
                    is_declaration is not None and is_declaration(view, at, is_outside)
                ):
                    found[number] = seen | kind
            elif role and number not in found and at not in skipped:
                found[number] = TEXT
            kind = kinds[number]

    def _named(self, found: dict[int, UseKind]) -> NamedUses:
        """Return the names in some tokens."""
        names, mixed = self._names, self._mixed
        uses: NamedUses = {}
        for number, kind in found.items():
            word = names.get(number)
            if word is not None:
                uses[word] = uses.get(word, 0) | kind
            if word is None or number in mixed:
                for word, its_kind in self._in_literal(number):
                    uses[word] = uses.get(word, 0) | its_kind
        return uses

    def _in_literal(self, number: int) -> list[tuple[int, UseKind]]:
        """Return the names in a literal, found once for all code of the file."""
        known = self._in_literals.get(number)
        if known is not None:
            return known
        text = self._view.texts[number].decode(errors="replace")
        named = _named_in(text)
        if self._rules.formats_names:
            named += [(name, BARE) for name in set(_FORMATTED.findall(text))]
        found = self._in_literals[number] = [(self._words[it], kind) for it, kind in named]
        return found


@lru_cache(1 << 14)  # texts repeat few words, except for data
def _is_code_like(word: str) -> bool:
    return _LOOKS_LIKE_CODE.fullmatch(word) is not None


def _named_in(text: str) -> list[tuple[str, UseKind]]:
    """Return the names in a literal; in a text with spaces, only those that look like code."""
    if len(text) < 2:  # noqa: PLR2004 - one character is no name
        return []
    found = dict.fromkeys(_WORD.findall(text))
    if len(text) <= _MAX_NAME_CHARS and not _SPACE.search(text):
        return [(word, STRING) for word in found]
    marked = set(_AFTER_MARK.findall(text))
    if "(" in text or "`" in text:
        marked.update(_BEFORE_MARK.findall(text))
    return [(word, TEXT) for word in found if word in marked or _is_code_like(word)]


def _segments(definitions: Sequence[Definition], end: int) -> Iterator[tuple[int, int, int]]:
    """Yield parts of the tokens with the innermost code around each: first, end, code."""
    around: list[tuple[int, int]] = [(end, 0)]
    at = 0
    for code, definition in enumerate(definitions, 1):
        while around and around[-1][0] <= definition.first_token:
            last, inner = around.pop()
            if at < last:
                yield at, last, inner
                at = last
        if not around:
            around.append((end, 0))
        if at < definition.first_token:
            yield at, definition.first_token, around[-1][1]
            at = definition.first_token
        around.append((definition.last_token, code))
    while around:
        last, inner = around.pop()
        if at < last:
            yield at, last, inner
            at = last


def _naming_positions(view: TokenView, definitions: Sequence[Definition]) -> set[int]:
    """Find the positions that name a definition from outside it: `name = function () {}`."""
    positions: set[int] = set()
    for definition in definitions:
        name, first = definition.name.encode(), definition.first_token
        if definition.kind == "type":
            if view.text(first - 1) == b"typedef" and view.text(definition.last_token) == name:
                positions.add(definition.last_token)
        elif definition.name not in definition.signature:
            behind = range(first - 1, max(-1, first - _FARTHEST_NAME), -1)
            position = next((at for at in behind if view.text(at) == name), None)
            if position is not None:
                positions.add(position)
    return positions
