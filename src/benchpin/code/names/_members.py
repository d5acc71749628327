"""Find the members of types: methods, fields and inner types, own and inherited ones."""

from functools import cache
from typing import NamedTuple

from benchpin.facts import Function
from benchpin.facts.code import Header, Span, Variable

from ._code import Code, Scope
from ._expressions import ANY_USE, Wanted, count_arguments
from ._module import ANONYMOUS, Module, Symbol
from ._name_resolution import NameResolver
from ._symbols import SymbolTable


class FieldPlace(NamedTuple):
    """One place that declares or assigns a field."""

    scope: Scope
    variable: Variable


# The fields of a type by name, each with the places that bind it.
Fields = dict[str, tuple[Symbol, list[FieldPlace]]]
# The types of parameters as written.
Signature = tuple[str, ...]


class MemberLookup:
    """Looks up the members of types; remembers the fields of types."""

    def __init__(self, symbols: SymbolTable, names: NameResolver) -> None:
        self.symbols = symbols
        self.names = names
        self.field = cache(self._find_field)
        self.fields = cache(self._read_fields)
        self._signatures = cache(self._read_signatures)
        self._anonymous: dict[Scope, Symbol] = {}

    def members_of(
        self, owner: Symbol, name: str, wanted: Wanted = ANY_USE, *, is_parent: bool = False
    ) -> tuple[Symbol, ...]:
        """Return what a member may be, the likeliest first.

        There is more than one only if a type and a base of it both have a method that accepts the
        arguments, and it is not the same method.
        """
        found: list[Symbol] = []
        for ancestor in self.names.ancestors(owner)[is_parent:]:
            known = self._own_member(ancestor, name, wanted)
            if known is None:
                continue
            if wanted.arguments is None:
                return (known,)
            if not any(self._is_overridden(known, other, wanted.arguments) for other in found):
                found.append(known)
        return tuple(found)

    def _own_member(self, owner: Symbol, name: str, wanted: Wanted) -> Symbol | None:
        """Return a member of a type itself, if it can be used like that."""
        method = self.symbols.member(owner, name)
        if wanted.is_called is None:
            return method or self.field(owner, name)
        is_constructor = method is not None and not method.is_type and name == owner.name
        if method is not None and (is_constructor or method.is_function != wanted.is_called):
            is_value = method.kind == "closure" and not wanted.is_called
            method = method if is_value else None
        found = method or self.field(owner, name)
        return found if found is not None and self._is_used_so(found, wanted) else None

    def _is_used_so(self, member: Symbol, wanted: Wanted) -> bool:
        if member.kind == "field":
            places = self.places(member)
            if not wanted.is_called:
                return not all(it.variable.is_method for it in places)
            if not any(it.variable.is_method or it.variable.result for it in places):
                return False
        if wanted.arguments is None or member.is_type:
            return True
        signatures = self._signatures(member)
        return not signatures or any(_accepts(it, wanted.arguments) for it in signatures)

    def _is_overridden(self, by: Symbol, method: Symbol, arguments: int) -> bool:
        """Whether two methods of related types are one: they accept the same arguments."""
        first, second = self._signatures(method), self._signatures(by)
        is_marked = method.declared is not None and "Override" in method.declared.decorators
        shared = {it for it in first if _accepts(it, arguments)} & set(second)
        return is_marked or bool(shared) or not first or not second

    def places(self, field: Symbol) -> list[FieldPlace]:
        """Return the places that bind a field, or declare a method without a body."""
        owner = self.symbols.modules[field.file].symbols.get(field.owner)
        is_inside = owner is not None and owner.is_type
        known = self.fields(owner).get(field.name) if owner is not None and is_inside else None
        return [] if known is None else known[1]

    def headers(self, method: Symbol) -> list[Header]:
        """Return the headers of a method, one for each overload in its file."""
        module = self.symbols.modules[method.file]
        code = module.code
        if code is None or code.reader is None:
            return []
        scopes = code.scopes_named.get(method.name, []) if method.is_function else []
        headers = [code.header(it) for it in scopes if it.declared.name == method.qualified]
        stream = code.stream
        for _, variable in self.places(method):
            if variable.is_method and variable.result is not None:
                start, end = variable.result[0], stream.closing(variable.at + 1, len(stream)) + 1
                headers.append(code.reader.header(stream, start, end))
        return headers

    def overloads(self, method: Symbol, arguments: int) -> list[Header]:
        signatures = self._signatures(method)
        both = zip(self.headers(method), signatures, strict=True)
        return [header for header, signature in both if _accepts(signature, arguments)]

    def overloads_of(self, method: Symbol) -> list[Span]:
        """Return where the functions of one name are, if arguments choose among several."""
        code = self.symbols.modules[method.file].code
        if code is None or code.reader is None or not code.reader.bare_members:
            return []
        named = (it for it in code.scopes_named.get(method.name, []) if it.is_function)
        found = [it.span for it in named if it.declared.name == method.qualified]
        return found if len(found) > 1 else []

    def overloads_at(self, method: Symbol, module: Module, at: int) -> list[Span]:
        """Return where those overloads are that a name may run: all, if the call does not say."""
        spans, code = self.overloads_of(method), module.code
        is_call = code is not None and code.stream.words[at + 1 : at + 2] == ["("]
        if code is None or code.reader is None or not (is_call and code.reader.bare_members):
            return spans
        count = count_arguments(code, at + 1)
        fitting = [] if count is None else self.overloads(method, count)
        chosen = [it for it in spans if any(one.body in range(*it) for one in fitting)]
        return chosen or spans

    def _read_signatures(self, method: Symbol) -> list[Signature]:
        code = self.symbols.modules[method.file].code
        if code is None:
            return []
        words = code.stream.words
        return [
            tuple(
                "" if it.annotation is None else " ".join(words[slice(*it.annotation)])
                for it in header.parameters
            )
            for header in self.headers(method)
        ]

    def type_of_scope(self, module: Module, scope: Scope) -> Symbol | None:
        """Return the symbol of a type; each type without a name has one of its own."""
        qualified = scope.declared.name
        if ANONYMOUS not in qualified:
            return module.symbols.get(qualified)
        if scope not in self._anonymous:
            declared = scope.declared
            self._anonymous[scope] = Symbol(
                module.path,
                qualified,
                "class",
                declared.line,
                declared.end_line,
                True,
                False,
                declared,
            )
        return self._anonymous[scope]

    def enclosing_type(self, module: Module, scope: Scope | None) -> Symbol | None:
        """Return the type that a scope is in; methods may be outside of their type."""
        while scope is not None:
            if not scope.is_function:
                return self.type_of_scope(module, scope)
            is_method = isinstance(scope.declared, Function) and scope.declared.kind == "method"
            if is_method and ANONYMOUS not in scope.declared.name:
                return self.names.owner_of(module, scope.declared.name)
            scope = scope.outer
        return None

    def _find_field(self, owner: Symbol, name: str) -> Symbol | None:
        """Return a field of a type itself, not of its bases."""
        references = self.symbols.modules[owner.file].facts.links.references
        if name not in references and not name.isdigit():  # `.0` of Rust is no identifier
            return None
        found = self.fields(owner).get(name)
        return None if found is None else found[0]

    def _read_fields(self, owner: Symbol) -> Fields:
        module = self.symbols.modules[owner.file]
        code = module.code
        scope = None if code is None else code.scope_declaring(owner.declared)
        if code is None or scope is None or code.reader is None:
            return {}
        places = [FieldPlace(scope, it) for bound in code.fields(scope).values() for it in bound]
        for inner in scope.inner:
            if inner.is_function:
                places += [
                    FieldPlace(inner, it)
                    for bound in code.variables(inner).values()
                    for it in bound
                    if it.receiver in code.reader.receivers
                ]
        return _fields(owner, code, places)

    def fields_of(self, owner: Symbol) -> list[Symbol]:
        return [it for it, _ in self.fields(owner).values()]


def _fields(owner: Symbol, code: Code, places: list[FieldPlace]) -> Fields:
    fields: Fields = {}
    for place in places:
        name = place.variable.name
        if name not in fields:
            qualified, line = f"{owner.qualified}.{name}", code.stream.line(place.variable.at)
            is_public = not name.startswith("_")
            fields[name] = (
                Symbol(owner.file, qualified, "field", line, line, False, is_public),
                [],
            )
        fields[name][1].append(place)
    return fields


def _accepts(signature: Signature, arguments: int) -> bool:
    is_open = bool(signature) and signature[-1].endswith("...")
    return len(signature) == arguments or (is_open and arguments >= len(signature) - 1)
