"""What one walk over a file finds out: everything that any measure is made of.

Facts are plain values that go through a pipe and a cache. They come in sections, so that a report
that needs the functions does not load the tokens.
"""

import array
from typing import Literal

import msgspec

FunctionKind = Literal["function", "method", "closure"]


class Fact(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Base of all facts: compact on the wire, typed when read back."""


class Halstead(Fact, frozen=True, array_like=True, gc=False):
    """Operators and operands: distinct, and in all."""

    distinct_operators: int
    distinct_operands: int
    operators: int
    operands: int


class Function(Fact, frozen=True, array_like=True, gc=False):
    """A function, method or named closure."""

    name: str
    """Qualified by what it stands in: `Parser.feed`, `outer.inner`."""
    kind: FunctionKind
    line: int
    end_line: int
    cyclomatic: int
    cognitive: int
    nesting: int
    parameters: int
    code_lines: int
    first_token: int
    last_token: int
    """Its part of the token stream, the last one excluded."""
    signature: str
    is_public: bool
    is_documented: bool
    decorators: tuple[str, ...]


class Type(Fact, frozen=True, array_like=True, gc=False):
    """A class, struct, interface, trait or enum."""

    name: str
    kind: str
    line: int
    end_line: int
    bases: tuple[str, ...]
    is_public: bool
    is_documented: bool
    decorators: tuple[str, ...] = ()
    first_token: int = 0
    last_token: int = 0
    """Its part of the token stream, the last one excluded."""


class Outline(Fact, frozen=True, array_like=True, gc=False):
    """Section 1: how big the file is, and its functions."""

    language: str
    lines: int
    code_lines: int
    comment_lines: int
    is_generated: bool
    error_line: int
    """The first line that does not parse; 0 when all do."""
    cyclomatic: int
    """Of the code outside any function."""
    cognitive: int
    halstead: Halstead
    functions: tuple[Function, ...]
    types: tuple[Type, ...]


class Import(Fact, frozen=True, array_like=True, gc=False):
    """One import, as written."""

    module: str
    names: tuple[str, ...]
    line: int
    level: int = 0
    """Leading dots of a relative import; 0 for an absolute one."""
    aliases: tuple[str, ...] = ()
    """What the names are called here, or the module if there are none; empty when as written."""


class Links(Fact, frozen=True, array_like=True, gc=False):
    """Section 2: how the file hangs together with others."""

    imports: tuple[Import, ...]
    exports: tuple[str, ...]
    """Names that the file offers explicitly, such as `__all__`."""
    calls: tuple[tuple[str, ...], ...]
    """What is called: first by the code outside any function, then by each of the functions."""
    references: dict[str, int]
    """Every identifier and how often it occurs, definitions included, imports not."""
    mentions: tuple[str, ...]
    """Identifiers that occur in strings: `getattr(x, "name")`."""


class Comment(Fact, frozen=True, array_like=True, gc=False):
    """One comment, or several line comments that follow one another."""

    text: str
    line: int
    end_line: int
    is_doc: bool
    is_trailing: bool = False
    """Whether code stands before it on its first line."""


class Comments(Fact, frozen=True, array_like=True, gc=False):
    """Section 3: what the authors wrote for one another."""

    comments: tuple[Comment, ...]


class Tokens(Fact, frozen=True, array_like=True, gc=False):
    """Section 4: the token stream, for finding code that stands twice."""

    texts: tuple[bytes, ...]
    """The vocabulary of the file."""
    kinds: bytes
    """For each word of the vocabulary, one of `TokenKind`."""
    stream: bytes
    """Indices into the vocabulary, 32 bits each; comments and imports are left out."""
    begun: bytes
    """For each line, how many words of the stream begin there, 32 bits each.

    Words of code that could not be parsed stand at the end of the stream, and are not among them.
    """

    def indices(self) -> "array.array[int]":
        """Return the stream as numbers."""
        return array.array("I", self.stream)


class TokenKind:
    """What a word of the vocabulary is."""

    OPERATOR = 0
    IDENTIFIER = 1
    LITERAL = 2


class Facts(Fact, frozen=True, array_like=True, gc=False):
    """All sections of one file."""

    outline: Outline
    links: Links
    comments: Comments
    tokens: Tokens
