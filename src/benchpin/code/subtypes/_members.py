"""What an interface requires, and whether a type has it, as far as the code says.

Go compares whole signatures; other languages are compared by names and numbers of parameters, as
their types may differ and still fit.
"""

from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from benchpin.code.names import Evaluator, Module, NameResolver, Symbol, SymbolTable
from benchpin.facts import Function, Type
from benchpin.facts.code import Interfaces, TokenStream, split_at_commas

Certainty = Literal["certain", "possible"]
# What a type that is not known is written as in a signature: it may be any.
ANY_TYPE = "?"
_OF_CLASSES = frozenset(
    {"__init__", "__new__", "__init_subclass__", "__subclasshook__", "__class_getitem__"}
)
_QUOTES = frozenset({"'", '"', "`"})
_RECEIVERS = frozenset({"self", "cls", "this"})


@dataclass(slots=True)
class Required:
    """The members that an interface requires."""

    members: dict[str, Symbol | None] = field(default_factory=dict)
    """By name; None for one of the library."""
    is_open: bool = False
    """Whether it extends something that is not known, and so requires more."""


@dataclass(frozen=True, slots=True)
class MemberFit:
    """A type has what an interface requires."""

    certainty: Certainty
    is_by_reference: bool = False
    """Whether only a pointer to the type has all of it."""


@dataclass(frozen=True, slots=True)
class _Arity:
    required: int
    most: int | None
    """None for any number."""


class MemberMatching:
    """Compares the members of types with those that interfaces require."""

    def __init__(self, symbols: SymbolTable, names: NameResolver, values: Evaluator) -> None:
        self.symbols = symbols
        self.names = names
        self.values = values
        self.required = cache(self._find_required)
        self._signature = cache(self._read_signature)
        self.arity = cache(self._read_arity)

    def rules(self, symbol: Symbol) -> Interfaces | None:
        return self.symbols.modules[symbol.file].navigation.interfaces

    def is_interface(self, symbol: Symbol) -> bool:
        """Whether types implement it by their members."""
        rules = self.rules(symbol)
        if rules is None or not symbol.is_type:
            return False
        return symbol.kind in rules.kinds or any(
            last_part(it) in rules.marks for it in bases_written(symbol)
        )

    def _find_required(self, interface: Symbol) -> Required:
        rules = self.rules(interface)
        found = Required()
        if rules is None:
            return found
        for here in reversed(self.names.ancestors(interface)):
            if self.is_interface(here):
                found.members.update((it.name, it) for it in self.own_members(here))
        for base in self.names.outside_bases(interface):
            known = rules.outside.get(base.partition("[")[0])
            found.is_open |= known is None and last_part(base) not in rules.marks
            found.members.update((name, None) for name in known or ())
        return found

    def own_members(self, interface: Symbol) -> list[Symbol]:
        """Return the methods and fields that an interface declares itself, optional ones left out.

        The types that an interface of Go embeds look like fields that are their own type.
        """
        module = self.symbols.modules[interface.file]
        code = module.code
        found = list(module.members.get(interface.qualified, {}).values())
        words = [] if code is None else code.stream.words
        for member in self.values.fields_of(interface) if code is not None else ():
            scope, variable = self.values.places(member)[0]
            is_embedded = variable.at in range(*(variable.annotation or (0, 0)))
            is_optional = words[variable.at + 1 : variable.at + 2] == ["?"]
            if not (is_embedded or is_optional or scope.is_function):
                found.append(member)
        return [it for it in found if not it.is_type and _is_required(it)]

    def fit(
        self, candidate: Symbol, interface: Symbol, *, is_loose: bool = False
    ) -> MemberFit | None:
        """Say whether a type has what an interface requires; None if it has not.

        Loosely, it may also have most of it from a base that is not known.
        """
        rules, wanted = self.rules(interface), self.required(interface)
        if rules is None or not wanted.members:
            return None
        certainty: Certainty = "certain" if rules.is_exact and not wanted.is_open else "possible"
        is_by_reference, guessed = False, 0
        for name, member in wanted.members.items():
            own = self._member(candidate, name)
            if own is None:
                inherited = self._outside_member(rules, candidate, name)
                if inherited is None:
                    return None
                guessed += not inherited
                continue
            if self._is_plain_field(own, rules):
                return None
            same = member is None or own is member or self.is_same(own, member, rules)
            if not same:
                return None
            if same == "possible":
                certainty = "possible"
            if isinstance(own.declared, Function) and not is_by_reference:
                is_pointer = rules.is_by_reference(own.declared.signature)
                is_by_reference = is_pointer and not self._by_pointer(candidate, own, rules)
        # Any type with an unknown base may have anything: what it has itself has to be more.
        if 2 * guessed >= len(wanted.members) and not is_loose:
            return None
        return MemberFit("possible" if guessed else certainty, is_by_reference)

    def _by_pointer(self, candidate: Symbol, method: Symbol, rules: Interfaces) -> bool:
        """Whether a type embeds a pointer to the one that has a method."""
        code = self.symbols.modules[candidate.file].code
        owner = self.owner_of(method)
        if code is None or owner is None or owner is candidate or not rules.pointer:
            return False
        for base in self.names.bases_of(candidate):
            if owner in self.names.ancestors(base):
                embedded = self.values.field(candidate, base.name)
                places = [] if embedded is None else self.values.places(embedded)
                start = (places[0].variable.annotation or (0, 0))[0] if places else 0
                is_pointer = start > 0 and code.stream.words[start - 1] == rules.pointer
                return is_pointer or self._by_pointer(base, method, rules)
        return False

    def owner_of(self, symbol: Symbol) -> Symbol | None:
        """Return the type of a method or field; None for what is in none."""
        module = self.symbols.modules[symbol.file]
        owner = module.symbols.get(symbol.owner)
        if owner is None and symbol.kind == "method":
            owner = self.names.owner_of(module, symbol.qualified)
        return owner if owner is not None and owner.is_type else None

    def _member(self, candidate: Symbol, name: str) -> Symbol | None:
        known = self.values.members_of(candidate, name)
        return known[0] if known else None

    def _outside_member(self, rules: Interfaces, candidate: Symbol, name: str) -> bool | None:
        """Whether a base outside of the project has a member: None for no, False for maybe."""
        found = None
        for base in self.names.outside_bases(candidate):
            known = rules.outside.get(base.partition("[")[0])
            if known is None and last_part(base) not in rules.marks and not rules.is_hidden(name):
                found = False
            elif known is not None and name in known:
                return True
        return found

    def _is_plain_field(self, member: Symbol, rules: Interfaces) -> bool:
        """Whether a member is a field of a struct of Go, which is no method."""
        owner = self.symbols.modules[member.file].symbols.get(member.owner)
        is_declared = owner is not None and self.is_interface(owner)
        return rules.is_exact and member.kind == "field" and not is_declared

    def is_same(self, own: Symbol, member: Symbol, rules: Interfaces) -> Certainty | bool:
        """Whether a member can stand for the one of the interface."""
        if rules.signature is None:
            if self._results_differ(own, member, rules):
                return False
            mine, theirs = self.arity(own), self.arity(member)
            if mine is None or theirs is None:
                return True
            is_enough = theirs.most is None or mine.required <= theirs.most
            is_room = mine.most is None or (theirs.most is not None and mine.most >= theirs.most)
            return is_enough and (is_room or rules.may_ignore_arguments)
        mine_written, theirs_written = self._signature(own), self._signature(member)
        if mine_written is None or theirs_written is None:
            return "possible"
        if len(mine_written) != len(theirs_written):
            return False
        pairs = list(zip(mine_written, theirs_written, strict=True))
        if any(ANY_TYPE in pair for pair in pairs):
            fits = all(a == b or ANY_TYPE in {a, b} for a, b in pairs)
            return "possible" if fits else False
        return mine_written == theirs_written

    def _results_differ(self, own: Symbol, member: Symbol, rules: Interfaces) -> bool:
        """Whether a result, or the type of a field, is a plain one where another is wanted."""
        mine, theirs = self.result(own), self.result(member)
        if theirs is not None and theirs[1][0][:1] in _QUOTES:  # `kind: "disc"`
            return mine is not None and theirs[1][0] not in mine[1]
        if mine is None or theirs is None or len(mine[1]) > 1 or mine[1][0] not in rules.plain:
            return False
        module, words = theirs
        if len(words) > 1 or words == mine[1]:
            return False
        if words[0] in rules.plain:
            return True
        place = self.place(member)
        wanted = None if place is None else self.values.quoted(module, tuple(words), place[2])
        named = None if wanted is None else wanted.symbol
        return named is not None and named.kind in {"class", "interface", "enum"}

    def result(self, member: Symbol) -> tuple[Module, list[str]] | None:
        """Return the declared type of a result or field, and the file that it is in."""
        module = self.symbols.modules[member.file]
        code = module.code
        if code is None:
            return None
        if member.kind == "field":
            places = self.values.places(member)
            span = (places[0].variable.result or places[0].variable.annotation) if places else None
        else:
            scope = code.scope_declaring(member.declared)
            span = None if scope is None else code.header(scope).result
        return None if span is None else (module, code.stream.words[slice(*span)])

    def place(self, member: Symbol) -> tuple[Module, TokenStream, int] | None:
        """Return where the name of a method is in the tokens of its file."""
        module = self.symbols.modules[member.file]
        code = module.code
        if code is None:
            return None
        if member.kind == "field":
            places = self.values.places(member)
            return (module, code.stream, places[0].variable.at) if places else None
        scope = code.scope_declaring(member.declared)
        if scope is None:
            return None
        at = code.named_at(scope, code.stream.positions(member.name))
        return (module, code.stream, at) if at >= 0 else None

    def _read_signature(self, member: Symbol) -> tuple[str, ...] | None:
        place, rules = self.place(member), self.rules(member)
        if place is None or rules is None or rules.signature is None:
            return None
        module, stream, at = place

        def resolve(parts: tuple[str, ...], here: int) -> str:
            return self._type_name(module, parts, here)

        return rules.signature(stream, at + 1, resolve)

    def _type_name(self, module: Module, parts: tuple[str, ...], at: int) -> str:
        """Return one name for a type, whatever the code calls it."""
        meaning = self.values.quoted(module, parts, at)
        found = meaning.symbol
        if found is not None:
            alias = self.values.alias(found)
            found = alias.symbol if alias is not None and alias.symbol is not None else found
            home = self.symbols.modules[found.file]
            return f"{home.package or home.path}::{found.qualified}"
        if len(parts) == 1:
            return ANY_TYPE
        for position, (imported, _) in enumerate(module.imports):
            if any(alias == parts[0] for alias, _ in module.bindings_of(position)):
                return f"{imported.module}::{'.'.join(parts[1:])}"
        return ANY_TYPE

    def _read_arity(self, member: Symbol) -> _Arity | None:
        """Return how many arguments a method takes; None for a field."""
        place = self.place(member)
        if place is None:
            return None
        _, stream, at = place
        words = stream.words
        if words[at + 1 : at + 2] != ["("]:
            return None
        required, most, is_open = 0, 0, False
        for start, end in split_at_commas(stream, at + 2, stream.closing(at + 1, len(stream))):
            # `self`, `this: T` or `&mut self`
            if start == at + 2 and not _RECEIVERS.isdisjoint({words[start], words[end - 1]}):
                continue
            if words[start] in {"*", "**", "..."}:
                is_open = True
                continue
            most += words[start] != "/"
            is_optional = "=" in words[start:end] or words[start + 1 : start + 2] == ["?"]
            required += not is_optional and words[start] != "/"
        return _Arity(required, None if is_open else most)


def _is_required(member: Symbol) -> bool:
    """Whether a member of a protocol of Python is one, and not there for the class itself."""
    is_special = member.name.startswith("__") and member.name.endswith("__")
    return not is_special or (member.is_function and member.name not in _OF_CLASSES)


def bases_written(symbol: Symbol) -> tuple[str, ...]:
    return symbol.declared.bases if isinstance(symbol.declared, Type) else ()


def last_part(base: str) -> str:
    return base.partition("[")[0].rpartition(".")[2]
