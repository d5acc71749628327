"""Look up names as the language does it: variables, members, names of the file, imports."""

from functools import cache
from typing import NamedTuple

from benchpin.engines.source.facts import Function
from benchpin.engines.source.variables import Variable

from .code import Code, Scope
from .module import Binding, Module, Symbol
from .name_resolution import INHERITED, NameResolver, outwards
from .symbols import SymbolTable
from .values import MEMBER_MARKS, UNKNOWN, Meaning, Value, code_of


class FieldPlace(NamedTuple):
    """One place that declares or assigns a field."""

    scope: Scope
    variable: Variable


Fields = dict[str, tuple[Symbol, list[FieldPlace]]]
"""The fields of a type by name, each with the places that bind it."""


class NameLookup:
    """Looks up names and members; remembers the fields of types."""

    def __init__(self, symbols: SymbolTable, names: NameResolver) -> None:
        self.symbols = symbols
        self.names = names
        self.field = cache(self._find_field)
        self.fields = cache(self._read_fields)

    def unread(self, module: Module, words: list[str], at: int) -> Meaning:
        """Return what a name stands for in a language whose variables are not read."""
        if at and words[at - 1] in MEMBER_MARKS:
            return Meaning("unknown", receiver=UNKNOWN)
        scope = code_of(module).scope_at(at)
        owner = "" if scope is None else scope.declared.name
        target = self.names.callee(module, owner, words[at])
        known = target.symbol
        if known is None:
            return Meaning("unknown")
        is_call = at + 1 < len(words) and words[at + 1] == "("
        is_own = known.file == module.path and known.kind != "method"
        is_only = len(self.symbols.named(module.family, known.name)) == 1
        return Meaning("symbol", known, is_certain=is_call and is_own and is_only)

    def lookup(self, module: Module, name: str, at: int) -> Meaning:
        """Return what a bare name stands for at a position."""
        code = code_of(module)
        scope = inner = code.scope_at(at)
        while scope is not None:
            qualified = scope.declared.name
            if scope.is_function:
                nested = module.symbols.get(f"{qualified}.{name}")
                places = code.variables(scope).get(name)
                if nested is not None and self._binds(code, nested):
                    is_certain = not _bound_elsewhere(code, nested, places)
                    return Meaning("symbol", nested, is_certain=is_certain)
                if places and _is_visible(code, scope, places, at):
                    return Meaning("local", module=module, variables=tuple(places), scope=scope)
            elif code.reader is not None and (
                code.reader.bare_members or (scope is inner and code.reader.body_sees_members)
            ):
                owner = module.symbols.get(qualified)
                known = None if owner is None else self._member_of(owner, name)
                if known is not None:
                    return Meaning("symbol", known)
            scope = scope.outer
        around = "" if inner is None else inner.declared.name
        beside = self._in_namespace(module, around, name)
        return self._visible(module, around, name) if beside is None else Meaning("symbol", beside)

    @staticmethod
    def _in_namespace(module: Module, owner: str, name: str) -> Symbol | None:
        """Return what a namespace of the file, around a function or type, has under a name."""
        if "." not in owner or module.name_scope == "project":
            return None
        namespaces = [it for it in outwards(owner) if it and it not in module.symbols]
        found = (module.symbols.get(f"{it}.{name}") for it in namespaces)
        return next((it for it in found if it is not None and it.kind != "method"), None)

    @staticmethod
    def _binds(code: Code, nested: Symbol) -> bool:
        """Whether an inner function or type can be used by its bare name."""
        if nested.is_type or code.reader is None:
            return nested.kind != "method"
        first = code.scope_of[nested.qualified].declared.first_token
        return nested.kind != "method" and code.reader.binds(code.stream, first)

    def _visible(self, module: Module, owner: str, name: str) -> Meaning:
        known, confidence = self.names.visible(module, owner, name)
        binding = module.bindings.get(name)
        is_certain = confidence >= INHERITED and name not in module.contested
        if isinstance(known, Module):
            return Meaning("module", module=known, is_certain=is_certain)
        if known is not None:
            # `try: from a import f`, `except ImportError: from b import f` or `def f(): …`
            is_shared = name in module.contested or (binding is not None and name in module.top)
            others = self._imported(module, name) if is_shared else ()
            is_certain = is_certain and not is_shared
            return Meaning("symbol", known, is_certain=is_certain, others=others)
        if binding is not None and not binding.name and len(binding.files) > 1:
            return Meaning("module", package=binding, is_certain=is_certain)
        if binding is not None:
            return Meaning("external" if binding.is_external else "unknown")
        beside = tuple(self.symbols.beside(module, name))
        if beside:  # files for several platforms
            return Meaning("symbol", beside[0], is_certain=False, others=beside)
        package = self.symbols.modules.get(module.packages.get(name, ""))
        if package is not None:
            return Meaning("module", module=package)
        return Meaning("unknown" if module.has_open_imports else "external")

    def _imported(self, module: Module, name: str) -> tuple[Symbol, ...]:
        """Return the symbols that imports bind to a name."""
        bound = map(self.symbols.bound, module.all_bindings.get(name, ()))
        return tuple(it for it in bound if isinstance(it, Symbol))

    def member(self, receiver: Value, name: str) -> Meaning:
        """Return what a member of a value stands for."""
        if receiver.module is not None:
            return self._exported(receiver, receiver.module, name)
        if receiver.package is not None:
            return self._in_package(receiver, receiver.package, name)
        if receiver.kind == "external":
            return Meaning("external", receiver=receiver)
        if receiver.symbol is None or receiver.kind == "function":
            return Meaning("unknown", receiver=receiver)
        known = self._member_of(receiver.symbol, name, is_parent=receiver.kind == "parent")
        if known is None:
            return Meaning("unknown", receiver=receiver)
        return Meaning("symbol", known, receiver=receiver)

    def _in_package(self, receiver: Value, package: Binding, name: str) -> Meaning:
        """Return what the files of a package have under a name; one for each platform, maybe."""
        offers = [self.symbols.exported(path, name) for path in package.files]
        known = tuple(dict.fromkeys(it for it in offers if isinstance(it, Symbol)))
        if not known:
            return Meaning("unknown", receiver=receiver)
        is_certain = len(known) == 1
        return Meaning("symbol", known[0], is_certain=is_certain, receiver=receiver, others=known)

    def _exported(self, receiver: Value, module: Module, name: str) -> Meaning:
        known = self.symbols.exported(module.path, name)
        if isinstance(known, Symbol):
            is_certain = name not in module.contested
            return Meaning("symbol", known, is_certain=is_certain, receiver=receiver)
        if known is None:
            known = self.symbols.submodule(module, name)
        if known is None:
            return Meaning("unknown", receiver=receiver)
        return Meaning("module", module=known, receiver=receiver)

    def _member_of(self, owner: Symbol, name: str, *, is_parent: bool = False) -> Symbol | None:
        for it in self.names.ancestors(owner)[is_parent:]:
            known = self.symbols.member(it, name) or self.field(it, name)
            if known is not None:
                return known
        return None

    def enclosing_type(self, module: Module, scope: Scope | None) -> Symbol | None:
        """Return the type that a scope is in; methods may be outside of their type."""
        while scope is not None:
            if not scope.is_function:
                return module.symbols.get(scope.declared.name)
            if isinstance(scope.declared, Function) and scope.declared.kind == "method":
                return self.names.owner_of(module, scope.declared.name)
            scope = scope.outer
        return None

    def _find_field(self, owner: Symbol, name: str) -> Symbol | None:
        """Return a field of a type itself, not of its bases."""
        if name not in self.symbols.modules[owner.file].facts.links.references:
            return None
        found = self.fields(owner).get(name)
        return None if found is None else found[0]

    def _read_fields(self, owner: Symbol) -> Fields:
        module = self.symbols.modules[owner.file]
        code = module.code
        scope = None if code is None else code.scope_of.get(owner.qualified)
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
        fields: Fields = {}
        for place in places:
            name = place[1].name
            if name not in fields:
                qualified, line = f"{owner.qualified}.{name}", code.stream.line(place[1].at)
                is_public = not name.startswith("_")
                fields[name] = (
                    Symbol(owner.file, qualified, "field", line, line, False, is_public),
                    [],
                )
            fields[name][1].append(place)
        return fields

    def fields_of(self, owner: Symbol) -> list[Symbol]:
        """Return the fields of a type itself."""
        return [it for it, _ in self.fields(owner).values()]


def _bound_elsewhere(code: Code, nested: Symbol, places: list[Variable] | None) -> bool:
    """Whether a variable of the name of an inner function is bound to something else."""
    first, last = code.scope_of[nested.qualified].span
    return any(it.value is None or not first <= it.value[0] < last for it in places or ())


def _is_visible(code: Code, scope: Scope, places: list[Variable], at: int) -> bool:
    """Whether a variable is visible: types and defaults of parameters are read outside of it."""
    return at >= code.header(scope).body or any(it.at == at for it in places)
