"""The tokens of one file: their texts, lines and brackets."""

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from benchpin.facts import TokenKind, Tokens

OPENING = frozenset({"(", "[", "{", "${"})  # the last is that of a template of JavaScript
CLOSING = frozenset(")]}")
# How far to look for the other bracket of a pair: a longer one is a table of data.
_MAX_INSIDE_TOKENS = 5_000


class TokenStream:
    """The tokens of a file in order; comments and imports are not among them."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._stream = tokens.indices()

    @cached_property
    def words(self) -> list[str]:
        """The text of each token."""
        texts = [it.decode(errors="replace") for it in self._tokens.texts]
        return list(map(texts.__getitem__, self._stream))

    @cached_property
    def _names(self) -> dict[bytes, int]:
        kinds = self._tokens.kinds
        return {
            text: number
            for number, text in enumerate(self._tokens.texts)
            if kinds[number] == TokenKind.IDENTIFIER
        }

    @cached_property
    def _ends(self) -> list[int]:
        """How many tokens there are up to the end of each line."""
        begun = memoryview(self._tokens.begun).cast("I")
        return list(accumulate(begun))

    @cached_property
    def line_starts(self) -> frozenset[int]:
        """The positions of the tokens that are the first of their line."""
        return frozenset((0, *self._ends))

    def positions(self, name: str) -> list[int]:
        """Return where an identifier occurs."""
        number = self._names.get(name.encode())
        return [] if number is None else self._positions_of(number)

    def _positions_of(self, number: int) -> list[int]:
        found: list[int] = []
        index, at, last = self._stream.index, 0, len(self._stream)
        try:
            while at < last:
                at = index(number, at) + 1
                found.append(at - 1)
        except ValueError:
            pass
        return found

    def is_name(self, at: int) -> bool:
        """Whether a token is an identifier."""
        return self._tokens.kinds[self._stream[at]] == TokenKind.IDENTIFIER

    def is_literal(self, at: int) -> bool:
        """Whether a token is a literal."""
        return self._tokens.kinds[self._stream[at]] == TokenKind.LITERAL

    def line(self, at: int) -> int:
        """Return the line of a token; the last one for code that could not be parsed."""
        return min(bisect_right(self._ends, at) + 1, len(self._ends))

    def literals_with(self, name: bytes) -> list[int]:
        """Return the positions of the literals that contain some bytes."""
        kinds = self._tokens.kinds
        wanted = [
            number
            for number, text in enumerate(self._tokens.texts)
            if name in text and kinds[number] == TokenKind.LITERAL
        ]
        return sorted(at for number in wanted for at in self._positions_of(number))

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self._stream)

    def closing(self, at: int, last: int) -> int:
        """Return the position of the bracket that closes the one at a position, or `last`."""
        words, depth = self.words, 0
        for here in range(at, min(last, at + _MAX_INSIDE_TOKENS)):
            word = words[here]
            if word in OPENING:
                depth += 1
            elif word in CLOSING:
                depth -= 1
                if not depth:
                    return here
        return last

    def enclosing(self, at: int, near: int = _MAX_INSIDE_TOKENS) -> int:
        """Return the position of the bracket that a token is directly inside of, or -1."""
        words, depth = self.words, 0
        for here in range(at - 1, max(-1, at - near), -1):
            word = words[here]
            if word in CLOSING:
                depth += 1
            elif word in OPENING:
                if not depth:
                    return here
                depth -= 1
        return -1

    def opening(self, at: int) -> int:
        """Return the position of the bracket that opens the one at a position, or -1."""
        words, depth = self.words, 0
        for here in range(at, max(-1, at - _MAX_INSIDE_TOKENS), -1):
            word = words[here]
            if word in CLOSING:
                depth += 1
            elif word in OPENING:
                depth -= 1
                if not depth:
                    return here
        return -1
