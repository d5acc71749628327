"""Types that inherit from a type or implement it: by naming it, or by having its members."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from benchpin.code.names import Evaluator, Module, NameResolver, Symbol, SymbolTable
from benchpin.facts.code import navigation_of

from ._members import Certainty, MemberMatching, bases_written, last_part

How = Literal["declared", "inherited", "members"]

# Files that are searched for types with the members of an interface: more have them by chance.
_MAX_FILES = 600


@dataclass(frozen=True, slots=True)
class Heir:
    """A type that inherits from another or implements it."""

    symbol: Symbol | None
    """None for a type of the library, or for all types with some bound."""
    name: str
    file: str
    line: int
    how: How
    """`declared` where the code says it, `inherited` through another heir, `members` by these."""
    certainty: Certainty = "certain"
    is_by_reference: bool = False
    """Whether only a pointer to the type implements it."""


class Subtypes(MemberMatching):
    """Finds subtypes when they are asked for, and keeps them."""

    def __init__(self, symbols: SymbolTable, names: NameResolver, values: Evaluator) -> None:
        super().__init__(symbols, names, values)
        self._direct: dict[Symbol, list[Symbol]] = {}
        self._by_base: dict[str, dict[Symbol, list[Symbol]]] = {}
        self._using = cache(lambda name: frozenset(symbols.names.using(name)))
        self._order = {path: at for at, path in enumerate(symbols.modules)}
        self._heirs: dict[Symbol, list[Heir]] = {}
        self._may_stand_for = cache(self._find_unknown)
        self._standing: dict[Symbol, set[Symbol]] = {}
        self._interfaces: dict[str, list[Symbol]] = {}

    def direct(self, owner: Symbol) -> list[Symbol]:
        """Return the types that name a type as a base."""
        if owner not in self._direct:
            files = map(self._types_by_base, self._may_inherit(owner))
            found = (it for types in files for it in types.get(owner, ()))
            self._direct[owner] = list(dict.fromkeys(found))
        return self._direct[owner]

    def _types_by_base(self, module: Module) -> dict[Symbol, list[Symbol]]:
        """Return the types of a file by what they inherit from: read once for all that ask."""
        known = self._by_base.get(module.path)
        if known is None:
            known = self._by_base[module.path] = {}
            for name, bases in module.bases:
                own = module.symbols[name]
                for base in dict.fromkeys(self.names.bases_of(own)) if bases else ():
                    known.setdefault(base, []).append(own)
        return known

    def _may_inherit(self, owner: Symbol) -> list[Module]:
        """Return the files that may have a subtype, in order: they name the type, or an alias.

        In some languages, a whole file can be imported under any name and inherited from.
        """
        modules = self.symbols.modules
        family = modules.family(owner.file)
        if not navigation_of(family).has_named_bases:
            return [modules[path] for path in modules if modules.family(path) == family]
        names = {owner.name}
        waiting = [owner.name]
        while waiting:
            new = self.symbols.names.aliases(waiting.pop()) - names
            names |= new
            waiting += new
        paths = {path for name in names for path in self.symbols.names.using(name)}
        return [modules[path] for path in sorted(paths, key=self._order.__getitem__)]

    def heirs(self, owner: Symbol) -> list[Heir]:
        """Return all subtypes of a type, nearest first, each once."""
        if owner not in self._heirs:
            self._heirs[owner] = self._find_heirs(owner)
        return self._heirs[owner]

    def _find_heirs(self, owner: Symbol) -> list[Heir]:
        rules = self.rules(owner)
        if rules is not None and rules.is_exact and self.is_interface(owner):
            return list(self._by_members(owner))
        found: dict[object, Heir] = {}
        waiting: list[tuple[Symbol, How, Certainty]] = [(owner, "declared", "certain")]
        while waiting:
            here, how, certainty = waiting.pop(0)
            near = [_heir(it, how, certainty) for it in self.direct(here)]
            near += self._said(here, how, certainty)
            near += self._by_members(here) if self.is_interface(here) else ()
            for heir in near:
                key = heir.symbol or (heir.file, heir.line, heir.name)
                if key in found and not found[key].certainty != "certain" == heir.certainty:
                    continue
                found[key] = heir
                # Again if it is certain now: what inherits from it is, too.
                if heir.symbol not in {None, owner}:
                    waiting.append((heir.symbol, "inherited", heir.certainty))
        found.pop(owner, None)
        return list(found.values())

    def _said(self, owner: Symbol, how: How, certainty: Certainty) -> Iterator[Heir]:
        """Yield what the code says outside of types: an `impl` of Rust, an extension of Swift."""
        for module in self._naming(owner):
            for extended in module.facts.outline.types:
                if extended.kind == "extension" and owner.name in " ".join(extended.bases):
                    targets = (
                        self.names.base(module, extended.name, it).symbol for it in extended.bases
                    )
                    if owner in targets:
                        known = self.names.base(module, "", extended.name).symbol
                        name = extended.name if known is None else known.id
                        yield Heir(known, name, module.path, extended.line, how, certainty)
            implementing, word = module.navigation.implementing, module.navigation.implements_by
            if implementing is None or (word and module.path not in self._using(word)):
                continue
            code = module.code
            if code is None:
                continue
            for at in code.stream.positions(owner.name):
                span = implementing(code.stream, at)
                if span is None or self.values.meaning(module, at).symbol is not owner:
                    continue
                written = "".join(code.stream.words[slice(*span)])
                held = self.values.declared(module, span, code.scope_at(at)).symbol
                # A type parameter has no symbol of its own: it is any type with its bounds.
                is_open = held is None and len(written) <= 2  # noqa: PLR2004 - T, TS
                yield Heir(
                    held,
                    written if held is None else held.id,
                    module.path,
                    code.stream.line(at),
                    how,
                    "possible" if is_open else certainty,
                )

    def _naming(self, owner: Symbol) -> Iterable[Module]:
        modules = self.symbols.modules
        family = modules.family(owner.file)
        paths = self.symbols.names.using(owner.name)
        return (modules[it] for it in paths if modules.family(it) == family)

    def _by_members(self, interface: Symbol) -> Iterator[Heir]:
        """Yield the types that have the members of an interface."""
        wanted = self.required(interface)
        # Many classes of Python can be called or iterated over, and stand for no protocol by that.
        is_telling = not all(it.startswith("__") for it in wanted.members)
        is_telling = is_telling and not self._is_one_field(interface)
        for candidate in self._candidates(interface) if is_telling else ():
            if candidate is interface:
                continue
            fit = self.fit(candidate, interface)
            if fit is not None:
                is_plain = not self.is_interface(candidate)
                yield _heir(candidate, "members", fit.certainty, is_plain and fit.is_by_reference)

    def _is_one_field(self, interface: Symbol) -> bool:
        """Whether an interface requires one field only, such as `type`, which many have by chance.

        Where members are compared exactly, chance plays no part.
        """
        rules, wanted = self.rules(interface), self.required(interface).members
        if rules is None or rules.is_exact or len(wanted) != 1:
            return False
        [member] = wanted.values()
        if member is None or member.is_function:
            return False
        places = self.values.places(member)
        return not any(it.variable.is_method or it.variable.result for it in places)

    def _candidates(self, interface: Symbol) -> list[Symbol]:
        """Return the types that have some member of an interface, and those that inherit it.

        Where everything has to be in the project, those with the rarest member are enough.
        """
        wanted = self.required(interface).members
        using = self.symbols.names.using
        rarest = sorted(wanted, key=lambda it: (len(using(it)), it))
        rules = self.rules(interface)
        found: dict[Symbol, None] = {}
        for name in rarest if rules is not None and rules.is_exact else rarest[:1]:
            found.update(dict.fromkeys(self._having(interface, name)))
            found.update(dict.fromkeys(self._embedding(interface, name)))
        found.update(dict.fromkeys(self.direct(interface)))
        waiting = list(found)
        while waiting:
            new = [it for it in self.direct(waiting.pop()) if it not in found]
            found.update(dict.fromkeys(new))
            waiting += new
        return sorted(found, key=lambda it: (self._order[it.file], it.line))

    def _embedding(self, interface: Symbol, name: str) -> Iterator[Symbol]:
        """Yield the types that have a member from a base of the library that is known."""
        rules, modules = self.rules(interface), self.symbols.modules
        for base, members in () if rules is None else rules.outside.items():
            for path in self.symbols.names.using(last_part(base)) if name in members else ():
                for symbol in modules[path].symbols.values():
                    if base in bases_written(symbol):
                        yield symbol

    def _having(self, interface: Symbol, name: str) -> Iterator[Symbol]:
        """Yield the types that have a member of a name themselves."""
        modules, rules = self.symbols.modules, self.rules(interface)
        family = modules.family(interface.file)
        is_exact = rules is not None and rules.is_exact
        for method in self.symbols.named(family, name):
            if method.kind == "method" and method.is_function:
                owner = self.names.owner_of(modules[method.file], method.qualified)
                if owner is not None and owner.is_type:
                    yield owner
        for path in self.symbols.names.using(name)[:_MAX_FILES]:
            for symbol in modules[path].symbols.values() if modules.family(path) == family else ():
                # Only an interface of Go has methods that are not symbols of their own.
                may_have = symbol.is_type and (not is_exact or self.is_interface(symbol))
                if may_have and self.values.field(symbol, name) is not None:
                    yield symbol

    def stands_for(self, owner: Symbol, interface: Symbol) -> bool:
        """Whether what is used as an interface may be of a type, or of one that embeds it."""
        if owner is interface or not self.is_interface(interface):
            return False
        if interface not in self._standing:
            types = [it.symbol for it in self.heirs(interface) if it.symbol is not None]
            self._standing[interface] = {it for one in types for it in self.names.ancestors(one)}
        return owner in self._standing[interface] or self._may_stand_for(owner, interface)

    def _find_unknown(self, owner: Symbol, interface: Symbol) -> bool:
        """Whether a type may have the rest from a base of the library that is not known."""
        rules = self.rules(interface)
        if rules is None or not rules.is_exact or not self.names.has_outside_base(owner):
            return False
        return self.fit(owner, interface, is_loose=True) is not None

    def above(self, owner: Symbol) -> list[Heir]:
        """Return what a type inherits from or implements, nearest first."""
        found = {
            it: _heir(
                it, "declared" if it in self.names.bases_of(owner) else "inherited", "certain"
            )
            for it in self.names.ancestors(owner)
            if it is not owner
        }
        for interface in self._interfaces_of(owner):
            if interface not in found and interface is not owner:
                fit = self.fit(owner, interface)
                if fit is not None:
                    found[interface] = _heir(
                        interface, "members", fit.certainty, fit.is_by_reference
                    )
                elif any(it.symbol is owner for it in self._said(interface, "declared", "certain")):
                    found[interface] = _heir(interface, "declared", "certain")
        return list(found.values())

    def _interfaces_of(self, owner: Symbol) -> list[Symbol]:
        """Return the types of a language that others may implement without inheriting from them."""
        family = self.symbols.modules.family(owner.file)
        if family not in self._interfaces:
            modules = self.symbols.modules
            rules = navigation_of(family)
            near = (path for path in modules if modules.family(path) == family)
            is_told = rules.implementing is not None
            self._interfaces[family] = (
                [
                    it
                    for path in near
                    for it in modules[path].symbols.values()
                    if it.is_type and (self.is_interface(it) or (is_told and it.kind == "trait"))
                ]
                if rules.interfaces is not None or is_told
                else []
            )
        return self._interfaces[family]

    def overrides(self, method: Symbol) -> list[Symbol]:
        """Return the methods of subtypes that a call of a method may run instead."""
        owner = self.owner_of(method)
        found: dict[Symbol, None] = {}
        for heir in () if owner is None else self.heirs(owner):
            own = None if heir.symbol is None else self.own(heir.symbol, method.name, heir.how)
            if own is not None and own is not method and own.is_function:
                found[own] = None
        return list(found)

    def own(self, owner: Symbol, name: str, how: How) -> Symbol | None:
        """Return the member that a type has instead of an inherited one.

        What it has all members of, it may have inherited them for: from a type that it embeds.
        """
        known = self.symbols.member(owner, name) or self.values.field(owner, name)
        if known is None and how == "members":
            known = next(iter(self.values.members_of(owner, name)), None)
        return known


def _heir(
    symbol: Symbol,
    how: How,
    certainty: Certainty,
    is_by_reference: bool = False,  # noqa: FBT001, FBT002 - private
) -> Heir:
    return Heir(symbol, symbol.id, symbol.file, symbol.line, how, certainty, is_by_reference)
