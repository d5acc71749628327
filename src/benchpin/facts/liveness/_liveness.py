"""What the `liveness` module of a language is written with: reasons to believe that code is used.

A language describes in one table, `LivenessRules`, how names are declared and reached, and what
outside the workspace may call them.
"""

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, Protocol, TypeVar

import msgspec

from benchpin.facts import FileFacts, TokenKind, languages

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
    """Names that files of a family of languages have in common for its rules."""

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
    """All files of a workspace, as the rules see them.

    A rule is asked in the worker that parses a file, which knows only this file. If it wants more,
    it is asked again later; then `files` and `views` are loaded from the cache, which takes time.
    So a rule either looks at its file, or at other files and at what `names_in` keeps of its own.
    """

    @property
    def files(self) -> Sequence[FileFacts]:
        """The files."""

    @property
    def is_test(self) -> Sequence[bool]:
        """For each file, whether it holds tests."""

    @property
    def views(self) -> Sequence[TokenView]:
        """The tokens of each file."""

    @property
    def outside(self) -> NamesOutsideCode:
        """The names in files that are not source code."""

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

    def names_in(self, file: int, names: SharedNames, /) -> Collection[str]:
        """Return what one file adds to some names."""

    def heritage(self, type_id: int, /) -> str:
        """Return what `LivenessRules.heritage` said of a type."""

    def implements(self, definition: Definition, /) -> bool:
        """Whether a definition is in one of the `LivenessRules.contract_spans`."""

    def once_in_file(self, file: int, compute: Callable[[TokenView], T], /) -> T:
        """Return what a function computes from the tokens of a file, computed only once."""


# How sure it is that something is in use, from 0 to 1; 1 minus the score is the confidence that it
# is dead. Each is at least the share that was found to be in use in samples of real projects; see
# bench/how_sure.md. Only those up to VISIBLE are reported by default.
# Running code uses it, or a tool finds it by its name.
SURE = 1.0
# A configuration or template contains its name.
CONFIGURED = 0.98
# It is passed to something that may call it.
REGISTERED = 0.97
# A string consists of its name.
MENTIONED = 0.95
# Code outside the workspace may well use it.
POSSIBLE = 0.9
# Only tests use it.
TESTED = 0.4
# A text or a convention hints at a use.
HINTED = 0.3
# Any code could use it, but nothing in the workspace does.
VISIBLE = 0.2
# Only a few places could use it, and none of them does.
HIDDEN = 0.05


class Reason(msgspec.Struct, frozen=True, gc=False):
    """How sure it is that something is used, and why."""

    score: float
    why: str


NO_REASON = Reason(0.0, "")

# Returns why a definition may be in use although nothing in the workspace uses it.
Rule = Callable[[Definition, ProgramView], Reason | None]


def no_positions(_view: TokenView) -> set[int]:
    return set()


def no_spans(_view: TokenView) -> list[tuple[int, int]]:
    return []


def no_name(_name: str) -> bool:
    """Treat no name as special."""
    return False


def by_visibility(definition: Definition, _program: ProgramView) -> Reason:
    """Trust what the language says about who may use a definition."""
    if definition.is_public:
        return Reason(VISIBLE, "it is public: code outside the workspace could use it")
    return Reason(HIDDEN, "")


def part_of(*labels: str) -> Rule:
    """Make a rule for members of types that declare what others implement, such as interfaces."""

    def rule(definition: Definition, program: ProgramView) -> Reason | None:
        owner = program.owner(definition)
        if owner is not None and owner.label in labels:
            return Reason(POSSIBLE, f"it is part of the {owner.label} {owner.name}")
        return None

    return rule


def braces_from(view: TokenView, at: int) -> tuple[int, int]:
    """Return the range from a position to the brace that closes the first one after it."""
    depth = 0
    for end in range(at, len(view.stream)):
        text = view.text(end)
        depth += (text == b"{") - (text == b"}")
        if depth == 0 and text in {b"}", b";"}:
            return at, end
    return at, len(view.stream)


@dataclass(frozen=True, slots=True, eq=False)
class LivenessRules:
    """What keeps the code of a family of languages alive; families are compared by identity."""

    definition_words: frozenset[bytes] = frozenset()
    """Words after which a name is declared, not used."""
    member_marks: frozenset[bytes] = frozenset({b".", b"?.", b"->", b"::", b"&.", b"?->", b"!!."})
    """Tokens before the name of a member."""
    has_modules: bool = False
    """Whether a bare name comes from its own file or from an import."""
    has_bare_members: bool = True
    """Whether a method can be called without naming an object."""
    exports_imports: bool = False
    """Whether importing a name that is also exported only passes it on, and does not use it."""
    package_file: str = ""
    """File name whose imports are what the package offers, such as `__init__.py`."""
    is_local: Callable[[Definition, ProgramView], bool] | None = None
    """Whether only its own file can use something; None: there is no such thing."""
    reflection_words: frozenset[bytes] = frozenset()
    """Tokens of code that composes names while it runs: `getattr`, `##`."""
    formats_names: bool = False
    """Whether strings use the names in their braces: `"{name}"`, without a prefix."""
    self_lookups: tuple[tuple[bytes, ...], ...] = ()
    """Tokens before a variable that names a member of the object itself: `getattr(self,`."""
    is_declaration: Callable[[TokenView, int, bool], bool] | None = None
    """Whether a position only declares a name; the flag says whether it is in no definition."""
    is_destructured: Callable[[TokenView, int], bool] | None = None
    """Whether a name is taken out of an object: `const { name } = object`."""
    export_positions: Callable[[TokenView], set[int]] = no_positions
    """Positions that export a name without using it, such as `export { name }`."""
    contract_spans: Callable[[TokenView], list[tuple[int, int]]] = no_spans
    """Ranges in which methods implement a contract, such as `impl Trait for Type`."""
    is_special: Callable[[str], bool] = no_name
    """Whether the language itself calls methods of that name."""
    entry_points: frozenset[str] = frozenset()
    """Functions at which programs start."""
    passive_decorators: frozenset[str] = frozenset()
    """Decorators that do not register the function anywhere; the last part of their name."""
    methods_called_by: Callable[[str], frozenset[str] | None] = lambda _base: None
    """Methods that a base class outside the workspace may call; None when that is not known."""
    subclass_hooks: tuple[str, ...] = ()
    """Methods through which a class learns of its subclasses."""
    contract_words: frozenset[str] = frozenset()
    """Words in a signature that say that something else declares the method."""
    heritage: Callable[[Definition, TokenView], str] = lambda _type, _view: ""
    """What the rules read of a type, in its own file, to judge the types that inherit from it."""
    shared: tuple[SharedNames, ...] = ()
    """What the rules read of other files, besides definitions, uses and heritage."""
    exposure: Callable[[Definition, ProgramView], Reason] = by_visibility
    """How likely it is that code outside the workspace uses something."""
    rules: tuple[Rule, ...] = ()


@cache
def rules_of(family: str) -> LivenessRules:
    """Return the rules of a family of languages; default rules for an unknown one."""
    module = languages.family_module(family, "liveness")
    rules = LivenessRules() if module is None else module.RULES
    if not isinstance(rules, LivenessRules):
        message = f"{family} has no liveness rules"
        raise TypeError(message)
    return rules
