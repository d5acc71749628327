"""Evaluate declared types: which type of the project they name, and what a container contains."""

from dataclasses import replace
from typing import Final

from benchpin.facts.code import Span

from ._code import Scope
from ._expressions import is_type_parameter
from ._lookup import NameLookup
from ._module import Module, Symbol
from ._name_resolution import NameResolver
from ._rust_paths import PATH_WORDS
from ._symbols import SymbolTable
from ._type_names import TypeName, read_type
from ._values import EXTERNAL, UNKNOWN, Meaning, Value, Wanted, code_of, module_value

# How deep expressions are followed, through variables and results.
MAX_STEPS: Final = 24
_OWN_TYPES = frozenset({"Self", "self", "this"})
_TYPE = Wanted(is_called=False)


class DeclaredTypes(NameLookup):
    """Evaluates declared types."""

    def __init__(self, symbols: SymbolTable, names: NameResolver) -> None:
        super().__init__(symbols, names)
        self._steps = 0
        self._aliases: dict[Symbol, Value | None] = {}
        self._bounds: dict[tuple[str, int], Value] = {}

    def declared(self, module: Module, span: Span, scope: Scope | None) -> Value:
        """Return the value of something with a declared type."""
        words = code_of(module).stream.words
        named = read_type(words[span[0] : span[1]])
        if named is None or self._steps >= MAX_STEPS:
            return UNKNOWN
        self._steps += 1
        try:
            return self._of_type(module, named, span[0], scope)
        finally:
            self._steps -= 1

    def _of_type(self, module: Module, named: TypeName, at: int, scope: Scope | None) -> Value:
        name = named.parts[-1]
        items = [self._of_type(module, it, at, scope) for it in named.arguments if it.parts]
        item = items[0] if len(items) == 1 or (items and name == "Result") else None
        if named.is_list:
            return Value(
                "external", item=self._of_type(module, replace(named, is_list=False), at, scope)
            )
        if items and name in module.navigation.wrappers:
            return items[0]
        if items and name in module.navigation.class_objects:
            return replace(items[0], kind="type") if items[0].kind == "instance" else UNKNOWN
        if named.parts[0] in _OWN_TYPES and len(named.parts) == 1:
            owner = self.enclosing_type(module, scope)
            return UNKNOWN if owner is None else Value("instance", owner)
        if len(named.parts) == 1 and scope is not None:
            bound = self._of_parameter(module, name, scope)
            if bound is not None:
                return bound
        meaning = self._named_type(module, named, at)
        if meaning.symbol is not None and meaning.symbol.is_type and meaning.is_certain:
            alias = self._alias(meaning.symbol) if item is None else None
            return Value("instance", meaning.symbol, item=item) if alias is None else alias
        if meaning.kind == "external" and not is_type_parameter(name):
            return Value("external", item=item)
        return UNKNOWN

    def _of_parameter(self, module: Module, name: str, scope: Scope | None) -> Value | None:
        """Return the value of a type parameter, which is that of its bound; None for a type."""
        while scope is not None:
            generics = code_of(module).generics(scope)
            if name in generics:
                return self._of_bound(module, generics[name], scope)
            scope = scope.outer
        return None

    def _of_bound(self, module: Module, bound: Span | None, scope: Scope) -> Value:
        """Return the value of a type parameter with a bound, which may name the parameter."""
        if bound is None:
            return UNKNOWN
        key = module.path, bound[0]
        if key not in self._bounds:
            self._bounds[key] = UNKNOWN  # ends cycles, which would grow with each argument
            found = self.declared(module, bound, scope)
            if found.kind == "instance":
                self._bounds[key] = replace(found, is_bound=True)
        return self._bounds[key]

    def _alias(self, symbol: Symbol) -> Value | None:
        """Return what `type Name = …` of Rust refers to; None for a type of its own."""
        if symbol not in self._aliases:
            self._aliases[symbol] = UNKNOWN  # ends cycles, which would grow with each argument
            self._aliases[symbol] = self._read_alias(symbol)
        return self._aliases[symbol]

    def _read_alias(self, symbol: Symbol) -> Value | None:
        module = self.symbols.modules[symbol.file]
        scope = code_of(module).scope_declaring(symbol.declared)
        if symbol.kind != "type" or not module.navigation.has_aliases or scope is None:
            return None
        first, last = scope.span
        words = code_of(module).stream.words
        equals = next((it for it in range(first, last) if words[it] == "="), -1)
        return None if equals < 0 else self.declared(module, (equals + 1, last - 1), scope)

    def _named_type(self, module: Module, named: TypeName, at: int) -> Meaning:
        """Return what the name of a type refers to."""
        meaning = self.lookup(module, named.parts[0], at, _TYPE)
        if named.parts[0] in PATH_WORDS and module.navigation.has_paths:
            meaning = self.path_word(module, named.parts[0], at)
        if len(named.parts) == 1:
            return meaning
        prefix, name = ".".join(named.parts[:-1]), named.parts[-1]
        if prefix in module.dotted:
            known = self.symbols.bound(module.bindings[prefix])
            held = Value("module", module=known) if isinstance(known, Module) else EXTERNAL
            return self.member(held, name)
        for part in named.parts[1:]:
            meaning = self.member(_holder(meaning), part, _TYPE)
        return meaning


def _holder(meaning: Meaning) -> Value:
    """Return what a part of the name of a type is: a module, or an outer type."""
    if meaning.kind == "module":
        return module_value(meaning)
    if meaning.symbol is not None and meaning.symbol.is_type:
        return Value("type", meaning.symbol)
    return EXTERNAL if meaning.kind == "external" else UNKNOWN
