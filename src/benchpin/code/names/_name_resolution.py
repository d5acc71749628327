"""Resolve a name in the code to a symbol of the project, with a confidence.

Rules and their confidence; the first that applies decides:

1.0  defined in an enclosing scope or in the file; imported by name; a member of the enclosing
     class; a member of a class or module that is named
0.9  inherited; exported by a file that is included or imported as a whole, or is in the same
     package; the only symbol with this qualified name in an enclosing namespace; the default export
     of a file that exports one thing
0.8  the only symbol of this name, in a language whose files share one namespace
0.6  a method of an unknown receiver: the only one of this name in the project, in the same file or
     in an imported one, with a name of several words (many types have a `clear` or `parse`)

A name that no symbol of the project has, or that is imported from elsewhere, is external, and so is
a member of an unknown capitalised name. Everything else is unresolved: counted, not guessed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal

from benchpin.facts import Type, languages

from ._module import Module, Symbol
from ._symbols import SymbolTable, last_name

Outcome = Literal["resolved", "external", "outside", "unresolved"]

CERTAIN: Final = 1.0
INHERITED: Final = 0.9
SHARED: Final = 0.8
ONLY_ONE: Final = 0.6

_SELF = frozenset({"self", "this", "cls", "$this", "Self", "static", "@self"})
_SUPER = frozenset({"super", "super()", "base", "parent"})
_RECEIVERS = _SELF | _SUPER
CONSTRUCTORS = ("__init__", "constructor", "__construct", "initialize", "init", "<init>")
_SEPARATOR = re.compile(r"(?<!\s)\s*+(?:\?->|->|::|\?\.|!\.|!!\.|&\.|\.)\s*+|\\")
_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_NAME = re.compile(r"[$@]?[A-Za-z_]\w*[?!]?")
_SEVERAL_WORDS = re.compile(r"[a-z0-9][A-Z]|\w_\w")
# Bases that add no members of their own.
_NO_BASES = frozenset({"object", "ABC", "abc.ABC", "Protocol", "Generic"})
# A limit for inheritance that is cyclic or resolved wrongly.
_MAX_BASES = 32


@dataclass(frozen=True, slots=True)
class NameTarget:
    """The symbol that a name refers to, or why there is none."""

    outcome: Outcome
    symbol: Symbol | None = None
    confidence: float = 0.0


_EXTERNAL = NameTarget("external")
_UNRESOLVED = NameTarget("unresolved")


@lru_cache(maxsize=65_536)
def split_name(text: str) -> tuple[str, ...]:
    """Split a name as written into its parts: `a->b`, `A::b`, `x?.y`, `List<T>.of`."""
    text = text.removeprefix("new ").replace("super()", "super")
    before = None
    while before != text:
        before, text = text, _ARGUMENTS.sub("", text)
    return tuple(_SEPARATOR.split(text.strip("\\ \n")))


class NameResolver:
    def __init__(self, symbols: SymbolTable) -> None:
        self._symbols = symbols
        self._bases: dict[Symbol, list[Symbol]] = {}
        self._outside: dict[Symbol, list[str]] = {}
        self._depth = 0
        """How deep `bases_of` calls itself: `class A(B.Inner)` needs the bases of `B`."""
        self.member = cache(self._find_member)

    def callee(self, module: Module, owner: str, text: str) -> NameTarget:
        """Resolve a callee; `owner` is the qualified name of the calling function."""
        target = self._resolve(module, owner, split_name(text))
        symbol = target.symbol
        if symbol is None or not symbol.is_type:
            return target
        for name in (*CONSTRUCTORS, symbol.name):
            made_by, confidence = self.member(symbol, name)
            if made_by is not None and not made_by.is_type:
                return NameTarget("resolved", made_by, min(confidence, target.confidence))
        return target

    def base(self, module: Module, owner: str, text: str) -> NameTarget:
        """Resolve a base of a type; `owner` is the qualified name of that type."""
        parts = split_name(text.partition("(")[0])
        outer = owner.rpartition(".")[0]
        # The body of a type sees the types that it declares itself.
        beside = module.symbols.get(f"{outer}.{parts[0]}") if outer and len(parts) == 1 else None
        if beside is not None and beside.is_type and beside.qualified != owner:
            return NameTarget("resolved", beside, CERTAIN)
        target = self._resolve(module, outer, parts, is_type=True)
        is_own = target.symbol is not None and target.symbol is module.symbols.get(owner)
        if target.symbol is not None and not is_own:
            return target
        if self._sees_members(module):
            above = self._in_package(module, parts) or self._inherited(module, outer, parts)
            if above is not None:
                return NameTarget("resolved", above, CERTAIN)
        if not is_own:
            return target
        # `from base import Client` and then `class Client(Client)`: the base is the import.
        binding = module.bindings.get(parts[0])
        bound = self._symbols.bound(binding) if binding is not None else None
        return NameTarget("resolved", bound, CERTAIN) if isinstance(bound, Symbol) else _EXTERNAL

    def _in_package(self, module: Module, parts: tuple[str, ...]) -> Symbol | None:
        """Return a type that is written with its package: `class Client extends org.base.Client`.

        The path of a package is that of its folder.
        """
        folder = f"/{'/'.join(parts[:-1])}"
        named = self._symbols.named(module.family, parts[-1]) if len(parts) > 1 else ()
        found = [
            it for it in named if it.is_type and f"/{it.file}".rpartition("/")[0].endswith(folder)
        ]
        return found[0] if len(found) == 1 else None

    def _inherited(self, module: Module, outer: str, parts: tuple[str, ...]) -> Symbol | None:
        """Return a type that an enclosing type inherits with the members of its base."""
        if not outer or len(parts) > 1:
            return None
        known, _ = self._own(module, outer, parts[0], is_super=True)
        return known if known is not None and known.is_type else None

    def _resolve(
        self, module: Module, owner: str, parts: tuple[str, ...], *, is_type: bool = False
    ) -> NameTarget:
        head, last = parts[0], parts[-1]
        if not _NAME.fullmatch(last):
            return _UNRESOLVED
        known: Symbol | None = None
        confidence = CERTAIN
        # Modules and packages are called `base`, too, which is a receiver in C# alone.
        is_receiver = head in _RECEIVERS and head not in module.bindings
        if len(parts) == 1:
            known, confidence = self._plain(module, owner, head, is_type=is_type)
        elif not is_receiver:
            known, confidence = self._dotted(module, owner, parts)
        elif len(parts) == 2:  # noqa: PLR2004 - a receiver and a name
            known, confidence = self._own(module, owner, last, is_super=head in _SUPER)
        if known is not None and (known.is_type or not is_type):
            return NameTarget("resolved", known, confidence)
        return self._resolve_by_name(module, parts, is_type=is_type)

    def _plain(
        self, module: Module, owner: str, name: str, *, is_type: bool
    ) -> tuple[Symbol | None, float]:
        """Look up a bare name, innermost scope first."""
        for scope in outwards(owner):
            inner = module.symbols.get(f"{scope}.{name}" if scope else name)
            outer = module.symbols.get(scope)
            is_hidden = outer is not None and outer.is_type and not self._sees_members(module)
            if inner is not None and not is_hidden and (inner.is_type or not is_type):
                return inner, CERTAIN
        if self._sees_members(module) and not is_type:
            known, confidence = self._own(module, owner, name, is_super=False)
            if known is not None:
                return known, confidence
        found, confidence = self.visible(module, owner, name)
        if isinstance(found, Module):
            found = self._symbols.exported(found.path, "default")
        return (found if isinstance(found, Symbol) else None), confidence

    def visible(
        self, module: Module, owner: str, name: str
    ) -> tuple[Symbol | Module | None, float]:
        """Look up a name that no enclosing function or type has: at the top, then imports."""
        if name in module.top:
            return module.top[name], CERTAIN
        binding = module.bindings.get(name)
        if binding is not None:
            sure = INHERITED if binding.name in {"", "default"} else CERTAIN
            return self._symbols.bound(binding), sure
        variable = module.variable(name)
        if variable is not None:
            return variable, CERTAIN
        known = self._in_namespace(module, owner, name) or self._visible(module, name)
        return known, INHERITED

    def leads_through(
        self, module: Module, at: int, symbol: Symbol
    ) -> Literal["certain", "possible"] | None:
        """Say whether an import names members of a type: `use crate::Kind::*`."""
        files, qualified = module.leads_through(at)
        for owner in outwards(qualified):
            if owner.rpartition(".")[2] != symbol.name:
                continue
            known = {self._symbols.exported(path, owner) for path in files}
            if not files:
                known = {self.visible(module, "", owner)[0]}
            if symbol in known:
                return "certain"
            if known == {None} and symbol.file in files:
                return "possible"
        return None

    def _in_namespace(self, module: Module, owner: str, name: str) -> Symbol | None:
        """Look in the enclosing namespaces, in all files."""
        if module.name_scope != "project":
            return None
        scopes = (f"{scope}.{name}" for scope in outwards(owner) if scope)
        found = (self._symbols.qualified(module.family, it) for it in scopes)
        return next((it for it in found if it is not None), None)

    def _visible(self, module: Module, name: str) -> Symbol | Module | None:
        """Look in files imported as a whole and in the same package; None if it is ambiguous."""
        if module.name_scope == "project":
            files = self._symbols.included(module)
            named = self._symbols.named(module.family, name)
            near = [it for it in named if it.file in files and it.kind != "method"]
            return near[0] if len(near) == 1 else None
        offers = [self._symbols.exported(path, name) for path in module.whole_files]
        offers += self._symbols.beside(module, name)
        known = {it for it in offers if it is not None}
        return known.pop() if len(known) == 1 else None

    def _own(
        self, module: Module, owner: str, name: str, *, is_super: bool
    ) -> tuple[Symbol | None, float]:
        for scope in outwards(owner):
            symbol = module.symbols.get(scope) or self._declared_elsewhere(module, scope)
            if symbol is not None and symbol.is_type:
                return self.member(symbol, name, is_super=is_super)
            beside = module.symbols.get(f"{scope}.{name}") if scope else None
            if symbol is None and beside is not None and beside.kind == "method":
                return beside, CERTAIN
        return None, CERTAIN

    def owner_of(self, module: Module, method: str) -> Symbol | None:
        """Return the type of a method, by the qualified name of the method."""
        owner = method.rpartition(".")[0]
        return module.symbols.get(owner) or self._declared_elsewhere(module, owner)

    def _declared_elsewhere(self, module: Module, scope: str) -> Symbol | None:
        """Return the type of methods that are written in another file than the type."""
        if not scope or scope in module.symbols:
            return None
        named = self._symbols.named(module.family, last_name(scope))
        types = [it for it in named if it.is_type and self._symbols.is_owner(it, module)]
        return types[0] if len(types) == 1 else None

    def _dotted(
        self, module: Module, owner: str, parts: tuple[str, ...]
    ) -> tuple[Symbol | None, float]:
        """Resolve a path that starts with a module, a type or an imported name."""
        for length in range(len(parts) - 1, 0, -1):
            binding = module.bindings.get(".".join(parts[:length]))
            if binding is None:
                continue
            if not binding.name and len(binding.files) > 1:
                place, rest = self._symbols.member_of(binding, parts[length]), parts[length + 1 :]
            else:
                place, rest = self._symbols.bound(binding), parts[length:]
            if place is not None:
                return self._follow(place, rest)
        written_out = self._in_namespace(module, owner, ".".join(parts))
        if written_out is not None:
            return written_out, INHERITED
        start, confidence = self._plain(module, owner, parts[0], is_type=True)
        if start is None:
            return None, confidence
        known, sure = self._follow(start, parts[1:])
        return known, min(confidence, sure)

    def _follow(self, place: Symbol | Module, rest: tuple[str, ...]) -> tuple[Symbol | None, float]:
        confidence = CERTAIN
        here: Symbol | Module | None = place
        for name in rest:
            if isinstance(here, Module):
                inside = self._symbols.exported(here.path, name)
                here = inside or self._symbols.submodule(here, name)
            elif here is not None and here.is_type:
                known, sure = self.member(here, name)
                is_made = known is None and name == "new"
                here, confidence = (here if is_made else known), min(confidence, sure)
            else:
                return None, confidence
        return (here, confidence) if isinstance(here, Symbol) else (None, confidence)

    def _find_member(
        self, owner: Symbol, name: str, *, is_super: bool = False
    ) -> tuple[Symbol | None, float]:
        """Look up a member in a type and its bases, nearest first."""
        pending, seen = [owner], {owner}
        while pending and len(seen) < _MAX_BASES:
            here = pending.pop(0)
            known = self._symbols.member(here, name)
            if known is not None and not (is_super and here is owner):
                return known, CERTAIN if here is owner else INHERITED
            bases = [it for it in self.bases_of(here) if it not in seen]
            seen.update(bases)
            pending += bases
        return None, CERTAIN

    def ancestors(self, owner: Symbol) -> list[Symbol]:
        """Return a type and the types of the project that it inherits from, nearest first."""
        found = [owner]
        for here in found:
            if len(found) >= _MAX_BASES:
                break
            found += [it for it in self.bases_of(here) if it not in found]
        return found

    def has_outside_base(self, owner: Symbol) -> bool:
        """Whether a type inherits from something that is not in the project."""
        return any(True for _ in self.outside_bases(owner))

    def outside_bases(self, owner: Symbol) -> Iterator[str]:
        """Yield what a type and its bases inherit from that is not in the project."""
        for ancestor in self.ancestors(owner):
            self.bases_of(ancestor)
            yield from self._outside.get(ancestor, ())

    def bases_of(self, owner: Symbol) -> list[Symbol]:
        """Return those bases of a type that are in the project."""
        if owner not in self._bases:
            if self._depth == _MAX_BASES:
                return []
            self._depth += 1
            self._bases[owner] = []  # ends cycles of inheritance
            module = self._symbols.modules[owner.file]
            targets = [self.base(module, owner.qualified, text) for text in _base_texts(owner)]
            self._bases[owner] = [it.symbol for it in targets if it.symbol is not None]
            self._outside[owner] = [
                text
                for text, it in zip(_base_texts(owner), targets, strict=True)
                if it.symbol is None and text not in _NO_BASES
            ]
            self._depth -= 1
        return self._bases[owner]

    def _resolve_by_name(
        self, module: Module, parts: tuple[str, ...], *, is_type: bool
    ) -> NameTarget:
        """Resolve a name that no scope and no import explains."""
        head, last, count = parts[0], parts[-1], self._symbols.count_named
        paths = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        binding = next(filter(None, map(module.bindings.get, paths)), None)
        if binding is not None and binding.is_external:
            return _EXTERNAL
        if len(parts) > 1 and head[:1].isupper() and not count(module.family, head):
            return _EXTERNAL
        known = count(module.family, last, is_type=is_type)
        if not known:
            return _EXTERNAL
        if known > 1 or binding is not None or head in _RECEIVERS:
            return _UNRESOLVED
        named = self._symbols.named(module.family, last)
        only = next(it for it in named if it.is_type or not is_type)
        is_plain = len(parts) == 1
        if is_plain and module.name_scope == "project" and only.kind != "method":
            return NameTarget("resolved", only, SHARED)
        is_near = only.file == module.path or only.file in module.imported_files
        if not is_plain and only.kind == "method" and is_near and _SEVERAL_WORDS.search(last):
            return NameTarget("resolved", only, ONLY_ONE)
        return _UNRESOLVED

    @staticmethod
    def _sees_members(module: Module) -> bool:
        return languages.table_of(module.language).has_bare_members


def _base_texts(owner: Symbol) -> tuple[str, ...]:
    return owner.declared.bases if isinstance(owner.declared, Type) else ()


def outwards(qualified: str) -> Iterator[str]:
    """Yield a qualified name and its enclosing ones, last the empty one of the file."""
    while qualified:
        yield qualified
        qualified = qualified.rpartition(".")[0]
    yield ""
