"""What the liveness rules of a language may ask about the program that they judge.

`metrics/dead_code` implements `ProgramView` over the facts of a whole workspace.
"""

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

import msgspec

from benchpin.facts import FileFacts, TokenKind

T = TypeVar("T")

DefinitionKind = Literal["function", "method", "type"]


# gc=False: there are a hundred thousand of them, and they form no cycles.
class Definition(msgspec.Struct, frozen=True, gc=False):
    """A function, method or type: something that could be dead."""

    id: int
    file: int
    """Index of its file in `ProgramView.files`."""
    path: str
    qualified: str
    name: str
    """The last part of the qualified name."""
    kind: DefinitionKind
    label: str
    """What people call it: function, method, class, struct."""
    line: int
    end_line: int
    first_token: int
    last_token: int
    owner: int | None
    """The definition that encloses it."""
    is_public: bool
    signature: str
    decorators: tuple[str, ...]
    bases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TokenView:
    """The tokens of a file, by position."""

    file: int
    facts: FileFacts
    texts: tuple[bytes, ...]
    """The vocabulary: each distinct token once."""
    kinds: bytes
    stream: "array[int]"
    """For each position, the index of its token in the vocabulary."""

    @classmethod
    def of(cls, file: FileFacts, number: int) -> "TokenView":
        """Return the tokens of a file, given its index among all files."""
        tokens = file.tokens
        return cls(number, file, tokens.texts, tokens.kinds, tokens.indices())

    def text(self, at: int) -> bytes:
        """Return the token at a position; empty before the first and after the last."""
        return self.texts[self.stream[at]] if 0 <= at < len(self.stream) else b""

    def literals(self) -> list[int]:
        """Return the vocabulary indices of literals."""
        literal = TokenKind.LITERAL
        return [number for number, kind in enumerate(self.kinds) if kind == literal]

    def positions_of(self, *texts: bytes) -> list[int]:
        """Return the positions of some tokens, given by their text."""
        return self.positions([number for number, text in enumerate(self.texts) if text in texts])

    def positions(self, numbers: Collection[int]) -> list[int]:
        """Return the positions of some tokens, given by their vocabulary indices."""
        if not numbers:
            return []
        wanted = frozenset(numbers)
        return [at for at, number in enumerate(self.stream) if number in wanted]


# Some names, each with what is known of it.
SharedByName = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NamesOutsideCode:
    """Names of definitions that occur in files which are not source code."""

    configured: frozenset[str] = frozenset()
    """In configurations, templates and build files."""
    documented: frozenset[str] = frozenset()
    """In documentation, where they look like code; change logs do not count."""
    documented_modules: frozenset[str] = frozenset()
    """Modules all of whose public names the documentation lists, such as `package.module`."""
    entry_files: frozenset[str] = frozenset()
    """Files that a `package.json` names as entry points, without their extensions.

    `folder/*` means every file in the folder.
    """


class ForeignUse(msgspec.Struct, frozen=True, gc=False):
    """A definition that code in another language uses."""

    path: str
    line: int
    name: str
    """As the other language writes it."""


def _union(by_path: Mapping[str, Collection[str]], _outside: NamesOutsideCode) -> SharedByName:
    return dict.fromkeys((name for names in by_path.values() for name in names), ())


@dataclass(frozen=True, slots=True, eq=False)
class SharedNames:
    """Names that files of a family of languages have in common for its rules.

    A rule may look up the name of the definition that it judges, that of its owner, the path of
    its file with or without the extension, a part of this path, or a folder above it; else it
    would not be known what a changed file concerns.
    """

    of_file: Callable[[TokenView], Collection[str]]
    """What one file adds."""
    combine: Callable[[Mapping[str, Collection[str]], NamesOutsideCode], SharedByName] = _union
    """Return the names, given what each file adds, by path in the order of the files."""
    is_defined: bool = False
    """Whether only names of definitions matter."""


class TypeHierarchy(Protocol):
    """Which types inherit from which; types are given by the id of their definition."""

    def ancestors(self, type_id: int, /) -> frozenset[int]:
        """Return all that a type inherits from, itself included."""

    def foreign_bases(self, type_id: int, /) -> tuple[str, ...]:
        """Return the bases outside the workspace, of a type and of its ancestors."""

    def foreign_relatives(self, type_id: int, /) -> tuple[str, ...]:
        """Return the bases outside the workspace, of a type and of its descendants."""


class ProgramView(Protocol):
    """All files of a workspace, as the rules see them."""

    files: Sequence[FileFacts]
    """Of others than that of the definition that is judged, only what `LivenessRules.heritage`
    tells may be read: a file is loaded for its own definitions when something else changed."""
    is_test: list[bool]
    """For each file, whether it holds tests."""
    views: Sequence[TokenView]
    """The tokens of each file."""
    outside: NamesOutsideCode

    @property
    def definitions(self) -> Mapping[int, Definition]:
        """The definitions, by id."""

    def methods_of(self, type_id: int, /) -> Mapping[str, int]:
        """Return the methods of a type, by name."""

    @property
    def inheritance(self) -> TypeHierarchy:
        """Which types inherit from which."""

    def owner(self, definition: Definition, /) -> Definition | None:
        """Return the definition that encloses another; for a method, its type."""

    def shared(self, names: SharedNames, /) -> SharedByName:
        """Return what all files of the languages of a rule have in common."""

    def once_in_file(self, file: int, compute: Callable[[TokenView], T], /) -> T:
        """Return what a function computes from the tokens of a file, computed only once."""
