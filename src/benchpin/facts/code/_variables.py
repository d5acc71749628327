"""Names that code binds to values: parameters, variables and fields, with what their types follow.

The `variables` module of a language reads them from tokens. Nothing is stored for them: the tokens
of a file are enough, and most files are never asked.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Literal, Protocol

from benchpin.facts import TokenKind, Tokens, languages

OPENING = frozenset({"(", "[", "{", "${"})  # the last is that of a template of JavaScript
CLOSING = frozenset(")]}")
_MARKS = frozenset({*OPENING, *CLOSING, ",", ";", ":"})
# How far to look for the other bracket of a pair: a longer one is a table of data.
_MAX_INSIDE_TOKENS = 5_000


class TokenStream:
    """The tokens of a file in order; comments and imports are not among them."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._stream = tokens.indices()

    @cached_property
    def words(self) -> list[str]:
        texts = [it.decode(errors="replace") for it in self._tokens.texts]
        for number, kind in enumerate(self._tokens.kinds):
            # The text of a template may be nothing but a mark: `${a})`.
            if kind == TokenKind.LITERAL and texts[number] in _MARKS:
                texts[number] = f"`{texts[number]}`"
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
        return self._tokens.kinds[self._stream[at]] == TokenKind.IDENTIFIER

    def is_literal(self, at: int) -> bool:
        return self._tokens.kinds[self._stream[at]] == TokenKind.LITERAL

    def line(self, at: int) -> int:
        """Return the line of a token; the last one for code that could not be parsed."""
        return min(bisect_right(self._ends, at) + 1, len(self._ends))

    def on_line(self, line: int) -> tuple[int, int]:
        """Return where the tokens that start in a line begin and end; both the same for none."""
        if not 0 < line <= len(self._ends):
            return 0, 0
        return self._ends[line - 2] if line > 1 else 0, self._ends[line - 1]

    def literals_with(self, name: bytes) -> list[int]:
        """Return the positions of the literals that contain some bytes."""
        kinds = self._tokens.kinds
        wanted = [
            number
            for number, text in enumerate(self._tokens.texts)
            if name in text and kinds[number] == TokenKind.LITERAL
        ]
        return sorted(at for number in wanted for at in self._positions_of(number))

    def words_with(self, name: bytes) -> list[int]:
        """Return the positions of the tokens that contain some bytes and are no literals."""
        kinds = self._tokens.kinds
        texts = enumerate(self._tokens.texts)
        wanted = [it for it, text in texts if name in text and kinds[it] != TokenKind.LITERAL]
        return sorted(at for number in wanted for at in self._positions_of(number))

    def __len__(self) -> int:
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


# Tokens of one expression or type that are read: a longer one says nothing about a type.
MAX_READ_TOKENS = 400
# Positions of tokens, the end excluded.
Span = tuple[int, int]
# Ranges to leave out: the end of each by its start.
Skipped = Mapping[int, int]
# Type parameters, each with the type that bounds it, if there is one.
Generics = dict[str, Span | None]


def split_at_commas(stream: TokenStream, first: int, last: int) -> Iterator[Span]:
    """Split a list at its commas outside of all brackets, angle brackets among them."""
    words, depth, start = stream.words, 0, first
    for at in range(first, last):
        word = words[at]
        if word in OPENING or word == "<":
            depth += 1
        elif word in CLOSING or word == ">":
            depth -= 1
        elif word == "," and not depth:
            yield start, at
            start = at + 1
    if start < last:
        yield start, last


def after_angles(stream: TokenStream, at: int, last: int) -> int:
    """Return the position after the type arguments that start at a position."""
    words, depth = stream.words, 0
    for here in range(at, min(last, at + MAX_READ_TOKENS)):
        depth += (words[here] == "<") - (words[here] == ">")
        if not depth:
            return here + 1
    return last


@dataclass(slots=True, eq=False)
class Variable:
    """A name and one place that binds it."""

    name: str
    at: int
    """The position of the name."""
    annotation: Span | None = None
    """The declared type."""
    value: Span | None = None
    """The expression that it is bound to."""
    is_item: bool = False
    """Whether it is bound to the items of that expression, as in a loop."""
    is_key: bool = False
    """Whether it is bound to the keys of that expression."""
    is_entered: bool = False
    """Whether it is bound to what a `with` returns for that expression."""
    result: Span | None = None
    """The declared type of what it returns, for a method without a body."""
    receiver: str = ""
    """What it is a member of: `self` for `self.name = …`."""
    is_method: bool = False
    """Whether it is a method without a body."""
    visible: Span | None = None
    """Where it is visible, in languages with blocks; in its whole function for None."""


@dataclass(frozen=True, slots=True)
class Key:
    """What a name is that a language does not evaluate where it is written, or may not.

    `argument`: its name. `label`: that of a statement, or the name of a package. `field`: one of
    the type before the braces. `element`: one of the annotation before the parentheses. `member`:
    one of an object whose type is not written. `unsure`: a field, or an expression if the type
    turns out to be a collection.
    """

    kind: Literal["argument", "label", "field", "element", "member", "unsure"]
    type_end: int = -1
    """The last token of the type that it is a member of, if that is written."""


@dataclass(slots=True)
class Header:
    """What comes before the body of a function."""

    parameters: list[Variable] = field(default_factory=list)
    result: Span | None = None
    """The declared type of the result."""
    body: int = 0
    """Where the body starts."""
    generics: Generics = field(default_factory=dict)


class VariableReader(Protocol):
    """Base of the constant `VARIABLES` in the `variables` module of a language."""

    members: frozenset[str]
    """What is between an object and its member."""
    receivers: frozenset[str]
    """Names of the object that a method belongs to."""
    parents: frozenset[str]
    """Names of the same object, seen as what it inherits from."""
    body_sees_members: bool
    """Whether the body of a type, outside of its methods, sees its members by their bare names."""
    bare_members: bool
    """Whether members of the enclosing type are visible without a receiver."""
    splits_methods: bool = False
    """Whether a type may have a field and a method of one name: `x.size` and `x.size()`."""
    replaces_functions: bool = False
    """Whether a decorator may return something else than the function it decorates."""

    def binds(self, stream: TokenStream, first: int) -> bool:
        """Whether the function that starts at a token can be called by its bare name."""

    def header(self, stream: TokenStream, first: int, last: int) -> Header:
        """Read what comes before the body of a function."""

    def bound(self, stream: TokenStream, span: Span, skipped: Skipped) -> list[Variable]:
        """Read the variables of a body, without those of the functions and types inside."""

    def fields(self, stream: TokenStream, span: Span, skipped: Skipped) -> list[Variable]:
        """Read the fields that a type declares, outside of its methods."""

    def key(self, stream: TokenStream, at: int) -> Key | None:
        """Return what a name before a colon or an equals sign names; None if it is evaluated."""

    def shorthand(self, stream: TokenStream, at: int) -> Key | None:  # noqa: ARG002 - most languages have none
        """Return the member that a name names together with a variable, as `T { name }` does."""
        return None

    def exports(self, stream: TokenStream, at: int) -> bool:  # noqa: ARG002 - most languages have no such literals
        """Whether a literal is the name of something that the file exports."""
        return False

    def quoted_types(self, stream: TokenStream, at: int) -> list[tuple[tuple[str, ...], int]]:  # noqa: ARG002 - most languages have none
        """Return the types that a literal in an annotation names, and where each name ends."""
        return []

    def generics(self, stream: TokenStream, first: int, last: int) -> Generics:  # noqa: ARG002 - most readers need none
        """Read the type parameters of a type, if they can be distinguished from types."""
        return {}


def reader_of(language: str) -> VariableReader | None:
    """Return the reader of a language; None where only names are compared."""
    module = languages.family_module(language, "variables")
    if module is None:
        return None
    reader: VariableReader = module.VARIABLES
    return reader
