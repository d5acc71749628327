"""Names that code binds to values: parameters, variables and fields, with what their types follow.

The `variables` module of a language reads them from tokens. Nothing is stored for them: the tokens
of a file are enough, and most files are never asked.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from benchpin.facts import languages

from ._token_stream import CLOSING, OPENING, TokenStream

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
