"""Answer who implements or overrides something, and what it implements or overrides itself."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from benchpin.code.names import ANONYMOUS, CONSTRUCTORS, Module, Symbol
from benchpin.facts import Type
from benchpin.workspace.walking import is_test_path

from ._members import Certainty
from ._subtypes import Heir, How, Subtypes

_HOW_ORDER: tuple[How, ...] = ("declared", "inherited", "members")


@dataclass(frozen=True, slots=True)
class Implementation:
    """A type that implements another or inherits from it, or a method that overrides one."""

    id: str
    """The path, `::` and the qualified name; as written for a type of the library."""
    kind: str
    file: str
    line: int
    how: How
    """`declared`: the code says it. `inherited`: through another. `members`: it has all of them."""
    certainty: Certainty
    is_by_reference: bool
    """Whether only a pointer to the type implements it."""
    is_test: bool
    text: str = ""
    """The line of code."""
    defines: tuple[str, ...] = ()
    """The methods of what it implements that a type has itself; the others it inherits."""


@dataclass(frozen=True, slots=True)
class Relatives:
    """Both directions, production code first."""

    below: list[Implementation]
    above: list[Implementation]
    requires: list[str]
    """The names of the members that an interface requires."""


def implementations_of(types: Subtypes, symbol: Symbol, member: str = "") -> Relatives:
    """Return what implements a type or overrides a method, and what that implements itself.

    `member` is the name of a method without a body, where such methods are no symbols.
    """
    if symbol.is_type and not member:
        required = types.required(symbol).members if types.is_interface(symbol) else {}
        return Relatives(
            _ordered(_of_type(it) for it in types.heirs(symbol)),
            _ordered(_of_type(it) for it in types.above(symbol)),
            sorted(required),
        )
    owner = symbol if member else types.owner_of(symbol)
    if owner is None:
        return Relatives([], [], [])
    name = member or symbol.name
    below, above = (
        [it for heir in heirs if (it := _of_member(types, name, heir)) and it.id != symbol.id]
        for heirs in (types.heirs(owner), types.above(owner))
    )
    return Relatives(_ordered(below), _ordered(above), [])


def _of_type(heir: Heir) -> Implementation:
    kind = "type" if heir.symbol is None else heir.symbol.kind
    return _implementation(heir, heir.name, kind, heir.file, heir.line)


def _of_member(types: Subtypes, name: str, heir: Heir) -> Implementation | None:
    """Return the member of a type that a call may run; None if it inherits it."""
    owner = heir.symbol
    if owner is None:
        return _implementation(heir, f"{heir.name}.{name}", "method", heir.file, heir.line)
    own = types.own(owner, name, heir.how)
    if own is not None:
        places = types.values.places(own)
        is_method = any(it.variable.is_method or it.variable.result for it in places)
        kind = "method" if is_method or (places and types.is_interface(owner)) else own.kind
        return _implementation(heir, own.id, kind, own.file, own.line)
    line = _bodiless(types.symbols.modules[owner.file], owner, name)
    if not line:
        return None
    return _implementation(heir, f"{owner.id}.{name}", "method", owner.file, line)


def _implementation(heir: Heir, name: str, kind: str, file: str, line: int) -> Implementation:
    is_test = is_test_path(file)
    by_reference = heir.is_by_reference
    return Implementation(name, kind, file, line, heir.how, heir.certainty, by_reference, is_test)


def _bodiless(module: Module, owner: Symbol, name: str) -> int:
    """Return the line of a method without a body, in languages where it is no symbol; 0 for none.

    That is a name before a parenthesis, directly between the braces of the type. Methods of types
    without a name are no symbols either.
    """
    code, declared = module.code, owner.declared
    if ANONYMOUS in owner.qualified:
        qualified = f"{owner.qualified}.{name}"
        return next((it.line for it in module.facts.outline.functions if it.name == qualified), 0)
    if code is None or code.reader is not None or not isinstance(declared, Type):
        return 0
    words = code.stream.words
    body = next(
        (it for it in range(declared.first_token, declared.last_token) if words[it] == "{"), -1
    )
    for at in code.stream.positions(name):
        is_inside = body < at < declared.last_token and words[at + 1 : at + 2] == ["("]
        if body >= 0 and is_inside and code.stream.enclosing(at) == body:
            return code.stream.line(at)
    return 0


def declares(types: Subtypes, owner: Symbol, name: str) -> bool:
    """Whether a type has a method without a body that is no symbol."""
    return bool(_bodiless(types.symbols.modules[owner.file], owner, name))


def methods_of(types: Subtypes, base: Symbol) -> list[str]:
    """Return the names of the methods that a type has or requires, constructors left out."""
    found: dict[str, None] = {}
    for here in types.names.ancestors(base):
        members = types.symbols.modules[here.file].members.get(here.qualified, {})
        found.update((name, None) for name, it in members.items() if it.is_function)
        for constructor in (*CONSTRUCTORS, here.name):
            found.pop(constructor, None)
    required = types.required(base).members if types.is_interface(base) else {}
    return [*found, *(it for it in required if it not in found)]


def defined_by(types: Subtypes, heir: Symbol, methods: Iterable[str]) -> tuple[str, ...]:
    """Return those methods that a type does not inherit."""
    return tuple(it for it in methods if types.own(heir, it, "declared") is not None)


def inheriting(types: Subtypes, owner: Symbol, name: str) -> dict[Symbol, list[Symbol]]:
    """Return the types that inherit a method, by the type that they have it from."""
    found: dict[Symbol, list[Symbol]] = {}
    for heir in types.heirs(owner):
        below = heir.symbol
        if below is None or heir.how == "members" or types.own(below, name, heir.how) is not None:
            continue
        above = types.names.ancestors(below)
        source = (it for it in above if types.own(it, name, "declared") is not None)
        found.setdefault(next(source, owner), []).append(below)
    return found


def _ordered(found: Iterable[Implementation]) -> list[Implementation]:
    """Return each once: production first, the certain ones first, those that say it first."""
    best: dict[tuple[str, int], Implementation] = {}
    for one in sorted(found, key=_order):
        best.setdefault((one.id, one.line), one)
    return list(best.values())


def _order(found: Implementation) -> tuple[object, ...]:
    is_sure = found.certainty == "certain"
    how = _HOW_ORDER.index(found.how)
    return (found.is_test, not is_sure, how, found.file, found.line, found.id)


# Blocks of Rust: what a type has of a trait is in there, and only there.
_ENDS = frozenset({";", "{", "}"})
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
# Attributes of Rust that add no member to an `impl`.
_HARMLESS = frozenset(
    {
        *("async_trait", "cfg", "cfg_attr", "allow", "expect", "warn", "deny", "doc", "inline"),
        *("automatically_derived", "rustfmt", "deprecated", "must_use"),
    }
)


class TraitBlock(NamedTuple):
    """The body of an `impl Trait for Type`, which has all that the trait gets from the type."""

    words: Sequence[str]
    is_made: bool
    """Whether a macro may add to it."""

    def gives(self, name: str) -> bool:
        """Whether it has a method."""
        return any(it == name and self.words[at - 1] == "fn" for at, it in enumerate(self.words))


def blocks_of(types: Subtypes, own: Symbol, interface: Symbol) -> Iterator[TraitBlock]:
    """Yield where the code says how a type implements an interface, outside of both."""
    for path in types.symbols.names.using(interface.name):
        module = types.symbols.modules[path]
        code, implementing = module.code, module.navigation.implementing
        if code is None or implementing is None or module.facts.outline.error_line:
            continue
        words = code.stream.words
        for at in code.stream.positions(interface.name):
            span = implementing(code.stream, at)
            if span is None or types.values.meaning(module, at).symbol is not interface:
                continue
            held = types.values.declared(module, span, code.scope_at(at)).symbol
            if held is own and "{" in words[span[1] :]:
                opened = words.index("{", span[1])
                body = words[opened : code.stream.closing(opened, len(words))]
                yield TraitBlock(body, _is_made(words, at) or _calls_macro(body))


def _calls_macro(body: Sequence[str]) -> bool:
    """Whether a macro stands for members of a block: `methods!(a, b);`."""
    depth = 0
    for at, word in enumerate(body):
        depth += (word in _OPENING) - (word in _CLOSING)
        if word == "!" and depth == 1 and body[at - 1].isidentifier():
            return True
    return False


def _is_made(words: Sequence[str], at: int) -> bool:
    """Whether an attribute may add members to the block whose head has a position."""
    while words[at] != "impl":
        at -= 1
    first = at
    while first > 0 and words[first - 1] not in _ENDS:
        first -= 1
    starts = (it for it in range(first, at - 2) if words[it : it + 2] == ["#", "["])
    return not {words[it + 2] for it in starts} <= _HARMLESS


def is_ambient(types: Subtypes, owner: Symbol) -> bool:
    """Whether a class only says which members there are: `declare class`."""
    code, declared = types.symbols.modules[owner.file].code, owner.declared
    if code is None or not isinstance(declared, Type) or owner.kind != "class":
        return False
    return "declare" in code.stream.words[max(0, declared.first_token - 1) :][:3]


def extends(types: Subtypes, owner: Symbol) -> bool:
    """Whether a class inherits from another, and does not only implement it."""
    code, declared = types.symbols.modules[owner.file].code, owner.declared
    if code is None or not isinstance(declared, Type):
        return True
    words = iter(code.stream.words[declared.first_token : declared.last_token])
    return "extends" in takewhile("{".__ne__, words)
