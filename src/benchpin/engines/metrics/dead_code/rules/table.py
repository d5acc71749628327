"""The table that describes one family of languages to the search for dead code.

A table says how names are declared, reached and called from outside. To add a family, write a
table in this folder and list it in `rules/__init__.py`.
"""

from array import array
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchpin.engines.metrics.dead_code.definitions import Definition
from benchpin.engines.metrics.dead_code.evidence import HIDDEN, POSSIBLE, VISIBLE, Evidence
from benchpin.engines.source.facts import TokenKind
from benchpin.engines.source.index import FileFacts

if TYPE_CHECKING:
    from benchpin.engines.metrics.dead_code.project import Project

Rule = Callable[[Definition, "Project"], Evidence | None]
"""Says why a definition may be in use although nothing in the workspace uses it."""


@dataclass(frozen=True, slots=True)
class TokenView:
    """The tokens of a file, by place."""

    file: int
    facts: FileFacts
    texts: tuple[bytes, ...]
    kinds: bytes
    stream: "array[int]"

    @classmethod
    def of(cls, file: FileFacts, number: int) -> "TokenView":
        """Return the tokens of a file, which has that place among all files."""
        tokens = file.tokens
        return cls(number, file, tokens.texts, tokens.kinds, tokens.indices())

    def text(self, at: int) -> bytes:
        """Return a token; nothing before the first and after the last."""
        return self.texts[self.stream[at]] if 0 <= at < len(self.stream) else b""

    def literals(self) -> list[int]:
        """Return the numbers of the words that are literals."""
        literal = TokenKind.LITERAL
        return [number for number, kind in enumerate(self.kinds) if kind == literal]

    def places_of(self, *texts: bytes) -> list[int]:
        """Return where any of some words stands."""
        return self.places([number for number, text in enumerate(self.texts) if text in texts])

    def places(self, numbers: Collection[int]) -> list[int]:
        """Return where any of some words stands, given by their numbers in the vocabulary."""
        import numpy as np

        if not numbers:
            return []
        is_wanted = np.zeros(len(self.texts), np.bool_)
        is_wanted[list(numbers)] = True
        found: list[int] = is_wanted[np.frombuffer(self.stream, np.uint32)].nonzero()[0].tolist()
        return found


def no_places(_view: TokenView) -> set[int]:
    """Find no tokens."""
    return set()


def no_spans(_view: TokenView) -> list[tuple[int, int]]:
    """Find no stretches of tokens."""
    return []


def never_taken(_view: TokenView, _at: int) -> bool:
    """Take no name for one that comes out of an object."""
    return False


def never_declared(_view: TokenView, _at: int, _is_outside: bool) -> bool:  # noqa: FBT001 - a table
    """Take every name for a use."""
    return False


def braces_from(view: TokenView, at: int) -> tuple[int, int]:
    """Return the stretch from a place to the brace that closes the first one after it."""
    depth = 0
    for end in range(at, len(view.stream)):
        text = view.text(end)
        depth += (text == b"{") - (text == b"}")
        if depth == 0 and text in {b"}", b";"}:
            return at, end
    return at, len(view.stream)


def no_name(_name: str) -> bool:
    """Take no name for a special one."""
    return False


def part_of(*labels: str) -> Rule:
    """Make a rule of types whose members say what others have."""

    def rule(definition: Definition, project: "Project") -> Evidence | None:
        owner = project.owner(definition)
        if owner is not None and owner.label in labels:
            return Evidence(POSSIBLE, f"it is part of the {owner.label} {owner.name}")
        return None

    return rule


def by_visibility(definition: Definition, _project: "Project") -> Evidence:
    """Trust what the language says about who may use a definition."""
    if definition.is_public:
        return Evidence(VISIBLE, "it is public: code outside the workspace could use it")
    return Evidence(HIDDEN, "")


@dataclass(frozen=True, slots=True)
class Rules:
    """What is particular about a family of languages."""

    languages: frozenset[str]
    definition_words: frozenset[bytes] = frozenset()
    """Words after which a name is declared, not used."""
    member_marks: frozenset[bytes] = frozenset({b".", b"?.", b"->", b"::", b"&.", b"?->", b"!!."})
    has_modules: bool = False
    """Whether a bare name comes from its own file or from an import."""
    has_bare_members: bool = True
    """Whether a method can be called without naming an object."""
    hands_on_imports: bool = False
    """Whether an import of a name that is also exported only hands it on."""
    is_local: Callable[[Definition, "Project"], bool] = lambda _definition, _project: False
    """Whether only its own file can use something."""
    reflective: frozenset[bytes] = frozenset()
    """Words that look up a name which is put together when the program runs."""
    own_lookups: tuple[tuple[bytes, ...], ...] = ()
    """How an object looks up a member of its own by a name that comes next: `getattr(self,`."""
    is_declared: Callable[[TokenView, int, bool], bool] = never_declared
    """Whether a name is merely declared at a place; told whether that is outside any definition."""
    is_taken_out: Callable[[TokenView, int], bool] = never_taken
    """Whether a name is taken out of an object: `const { name } = object`."""
    publishing: Callable[[TokenView], set[int]] = no_places
    """Places that publish a name and do not use it, such as `export { name }`."""
    fulfilling: Callable[[TokenView], list[tuple[int, int]]] = no_spans
    """Stretches in which methods fulfil a contract, such as `impl Trait for Type`."""
    is_special: Callable[[str], bool] = no_name
    """Whether the language itself calls methods of that name."""
    entries: frozenset[str] = frozenset()
    """Functions at which programs start."""
    passive_decorators: frozenset[str] = frozenset()
    """Decorators that hand the function to nobody; by the last part of their name."""
    harmless_bases: Callable[[str], frozenset[str] | None] = lambda _name: None
    """What a base outside the workspace calls; None when that is not known."""
    subclass_hooks: tuple[str, ...] = ()
    """Methods by which a class learns of its subclasses."""
    contract_words: frozenset[str] = frozenset()
    """Words in a signature that say that something else declares the method."""
    exposure: Callable[[Definition, "Project"], Evidence] = by_visibility
    """How likely it is that code outside the workspace uses something."""
    rules: tuple[Rule, ...] = ()
