"""The facts of a file: everything that the measures are computed from.

Facts are plain values that go through pipes and the cache. They come in sections, so that a report
that needs the functions does not load the tokens. `gc=False`: facts have no cycles, and there are
millions of them for the garbage collector to visit.
"""

import array
from typing import Literal, cast

import msgspec

FunctionKind = Literal["function", "method", "closure"]
# When a dependency exists; the strongest first.
#
# `runtime`: whenever the code is loaded. `lazy`: when a function is called that imports. `test`: in
# tests only. `type-only`: for a type checker or compiler only. `containment`: as a part, not a use,
# as by `mod name;` of Rust.
DependencyKind = Literal["runtime", "lazy", "test", "type-only", "containment"]

# The end of a text that is not whole. No signature ends so by itself.
CUT = "…"
_MAX_SHOWN_CHARS = 200


def cut(text: str, max_chars: int) -> str:
    """Return a text to show; one that is too long is cut, and marked as such."""
    return text if len(text) <= max_chars else f"{text[: max_chars - 1]}{CUT}"


class Fact(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Base of all facts: encoded as arrays, without field names."""


class Halstead(Fact, frozen=True, array_like=True, gc=False):
    """Counts of operators and operands: distinct ones, and all."""

    distinct_operators: int
    distinct_operands: int
    operators: int
    operands: int


class Function(Fact, frozen=True, array_like=True, gc=False):
    """A function, method or named closure."""

    name: str
    """Qualified by what contains it: `Parser.feed`, `outer.inner`."""
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
    """Its range in the token stream, the end excluded."""
    signature: str
    """As written, with every parameter; ends with `CUT` where a hostile file has too much of it."""
    is_public: bool
    is_documented: bool
    decorators: tuple[str, ...]

    def shown_signature(self) -> str:
        """Return the signature on one line, cut to what a row of a table has room for."""
        return cut(" ".join(self.signature.split()), _MAX_SHOWN_CHARS)


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
    """Its range in the token stream, the end excluded."""


class Outline(Fact, frozen=True, array_like=True, gc=False):
    """Section 1: the size of the file, its functions and types."""

    language: str
    lines: int
    code_lines: int
    comment_lines: int
    is_generated: bool
    error_line: int
    """The first line that does not parse; 0 if all do."""
    cyclomatic: int
    """Of the code outside any function."""
    cognitive: int
    halstead: Halstead
    functions: tuple[Function, ...]
    types: tuple[Type, ...]
    error: str = ""
    """What is wrong on the first line that does not parse: `Unexpected token '}'`."""


class Import(Fact, frozen=True, array_like=True, gc=False):
    """One import, as written."""

    module: str
    names: tuple[str, ...]
    line: int
    level: int = 0
    """Leading dots of a relative import; 0 for an absolute one."""
    aliases: tuple[str, ...] = ()
    """The local names of the imported names, or of the module; empty if they are the same."""
    kind: DependencyKind = "runtime"
    """As far as the file itself tells: that it is a test is known from its path."""
    uses: tuple[str, ...] = ()
    """The names that are used as `module.Name`, in languages whose imports do not name them."""

    @property
    def brings_all(self) -> bool:
        """Whether it brings names that it does not say; `import * as a` brings only `a`."""
        return "*" in (self.aliases or self.names)


class Links(Fact, frozen=True, array_like=True, gc=False):
    """Section 2: how the file is connected with others."""

    imports: tuple[Import, ...]
    exports: tuple[str, ...]
    """Names that the file exports explicitly, as with `__all__`."""
    calls: tuple[tuple[str, ...], ...]
    """Called names: of the code outside any function, then of each function."""
    references: dict[str, int]
    """How often each identifier occurs, in definitions too but not in imports."""
    mentions: tuple[str, ...]
    """Identifiers that occur in strings: `getattr(x, "name")`."""


class SourceComment(Fact, frozen=True, array_like=True, gc=False):
    """One comment, or several consecutive line comments."""

    text: str
    line: int
    end_line: int
    is_doc: bool
    is_trailing: bool = False
    """Whether there is code before it on its first line."""


class Comments(Fact, frozen=True, array_like=True, gc=False):
    comments: tuple[SourceComment, ...]


class Tokens(Fact, frozen=True, array_like=True, gc=False):
    """Section 4: the token stream, for finding duplicated code."""

    texts: tuple[bytes, ...]
    """The vocabulary of the file."""
    kinds: bytes
    """The `TokenKind` of each word of the vocabulary."""
    stream: bytes
    """Indices into the vocabulary, 32 bits each; comments and imports are left out."""
    begun: bytes
    """For each line, how many tokens of the stream start there, 32 bits each.

    Tokens of code that could not be parsed come last in the stream, and are not counted here.
    """

    def indices(self) -> "array.array[int]":
        return array.array("I", self.stream)


class TokenKind:
    """The kind of a word of the vocabulary."""

    OPERATOR = 0
    IDENTIFIER = 1
    LITERAL = 2


class Facts(Fact, frozen=True, array_like=True, gc=False):
    """All sections of one file."""

    outline: Outline
    links: Links
    comments: Comments
    tokens: Tokens


class FileFacts(msgspec.Struct, frozen=True, gc=False):
    """One file, and those of its sections that were asked for."""

    path: str
    language: str
    size_bytes: int
    sections: dict[str, Outline | Links | Comments | Tokens]
    key: bytes = b""
    """What it was made of: the same content in the same language has the same key."""

    @property
    def outline(self) -> Outline:
        """The functions and types of the file."""
        return cast("Outline", self.sections["outline"])

    @property
    def links(self) -> Links:
        """How the file hangs together with others."""
        return cast("Links", self.sections["links"])

    @property
    def comments(self) -> Comments:
        """What the authors wrote for one another."""
        return cast("Comments", self.sections["comments"])

    @property
    def tokens(self) -> Tokens:
        return cast("Tokens", self.sections["tokens"])
