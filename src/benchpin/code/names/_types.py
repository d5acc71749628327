"""The types of values: read from declarations, evaluated, and inferred from what binds a variable.

A declared type is read from its tokens: `Foo | None`, `list[Foo]`, `Map<String, Foo>`, `*pkg.Foo`,
`"Foo"`. Evaluating it says which type of the project it names, and what a container contains.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from benchpin.facts import Function
from benchpin.facts.code import Span, Variable

from ._code import Scope, closing_angle
from ._expressions import (
    EXTERNAL,
    UNKNOWN,
    Meaning,
    Value,
    Wanted,
    code_of,
    is_type_parameter,
    module_value,
    returned,
)
from ._lookup import NameLookup
from ._module import Module, Symbol
from ._name_resolution import NameResolver
from ._symbols import SymbolTable
from ._type_names import TypeName, read_type

# How deep expressions are followed, through variables and results.
MAX_STEPS: Final = 24
_OWN_TYPES = frozenset({"Self", "self", "this"})
_TYPE = Wanted(is_called=False)
_MAX_BINDINGS: Final = 8


class TypeInference(NameLookup):
    """Evaluates declared types, and infers those of variables and fields from what binds them."""

    def __init__(self, symbols: SymbolTable, names: NameResolver) -> None:
        super().__init__(symbols, names)
        self._steps = 0
        self._aliases: dict[Symbol, Value | None] = {}
        self._definitions: dict[Symbol, Value] = {}
        self._bounds: dict[tuple[str, int], Value] = {}
        self.pending: set[object] = set()
        """What is being inferred, to end cycles."""
        self.field_value = cache(self._infer_field)
        self.variable_value = cache(self._infer_variable)

    def declared(self, module: Module, span: Span, scope: Scope | None) -> Value:
        words = code_of(module).stream.words
        named = read_type(words[span[0] : span[1]])
        if named is None or self._steps >= MAX_STEPS:
            return UNKNOWN
        self._steps += 1
        try:
            found = self._of_type(module, named, span[0], scope)
        finally:
            self._steps -= 1
        rules = module.navigation.interfaces
        # A pointer to a type of the library is no interface, so that nothing else is behind it.
        is_pointer = rules is not None and words[span[0]] == rules.pointer
        return replace(found, is_closed=True) if is_pointer and found.kind == "external" else found

    def _of_type(self, module: Module, named: TypeName, at: int, scope: Scope | None) -> Value:
        name = named.parts[-1]
        items = [self._of_type(module, it, at, scope) for it in named.arguments if it.parts]
        item = items[0] if len(items) == 1 or (items and name == "Result") else None
        if len(items) == 2 and name in module.navigation.mappings and not named.is_list:  # noqa: PLR2004 - keys and values
            return Value("external", item=items[1], key=items[0])
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
            alias = self.alias(meaning.symbol) if item is None else None
            return Value("instance", meaning.symbol, item=item) if alias is None else alias
        if meaning.kind == "external" and not (len(named.parts) == 1 and is_type_parameter(name)):
            return Value("external", item=item, is_closed=_is_closed(module, named.parts))
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

    def alias(self, symbol: Symbol) -> Value | None:
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
        opened = next((it for it in range(first, last) if words[it] in {"<", "="}), first)
        # `type Name<T = ()> = …` has a default before it.
        first = closing_angle(words, opened) if words[opened] == "<" else first
        equals = next((it for it in range(max(first, 0), last) if words[it] == "="), -1)
        last -= words[last - 1] == ";"
        return None if equals < 0 else self.declared(module, (equals + 1, last), scope)

    def contents(self, value: Value) -> Value:
        """Return a container, also for a type that is defined as one: `type Names []Name` of Go."""
        symbol = value.symbol
        if value.item is not None or symbol is None or symbol.kind != "type":
            return value
        if symbol not in self._definitions:
            self._definitions[symbol] = UNKNOWN
            module = self.symbols.modules[symbol.file]
            scope = code_of(module).scope_declaring(symbol.declared)
            if scope is not None and module.navigation.keyed_types:
                first, last = scope.span
                words = code_of(module).stream.words
                named = next((it for it in range(first, last) if words[it] == symbol.name), last)
                self._definitions[symbol] = self.declared(module, (named + 1, last), scope)
        return self._definitions[symbol]

    def has_keys(self, symbol: Symbol) -> bool:
        """Whether a literal of a type has keys that are expressions: `type M map[K]V` of Go."""
        module = self.symbols.modules[symbol.file]
        scope = code_of(module).scope_declaring(symbol.declared)
        if scope is None or symbol.kind != "type":
            return False
        words = code_of(module).stream.words[slice(*scope.span)]
        after = words[words.index(symbol.name) + 1 :] if symbol.name in words else []
        return bool(after) and after[0] in module.navigation.keyed_types

    def quoted(self, module: Module, parts: tuple[str, ...], at: int) -> Meaning:
        """Return what the name of a type in the literal at a position refers to."""
        return self._named_type(module, TypeName(parts), at)

    def _named_type(self, module: Module, named: TypeName, at: int) -> Meaning:
        meaning = self.lookup(module, named.parts[0], at, _TYPE)
        if named.parts[0] in module.navigation.path_words:
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

    def returned_by(self, module: Module, scope: Scope) -> list[Span]:
        """Return the expressions that a function returns."""
        code = code_of(module)
        return returned(code, scope, code.header(scope).body)

    @abstractmethod
    def span(self, module: Module, span: Span) -> Value:
        """Return the value of a whole expression."""

    @abstractmethod
    def result(self, symbol: Symbol, receiver: Value | None) -> Value:
        """Return what a function returns when it is called on a receiver."""

    def infer(self, module: Module, scope: Scope | None, places: tuple[Variable, ...]) -> Value:
        if len(places) > _MAX_BINDINGS:
            return UNKNOWN
        key = places[0]
        if key in self.pending:
            return UNKNOWN
        self.pending.add(key)
        annotated = next((it.annotation for it in places if it.annotation is not None), None)
        if annotated is not None:
            found = self.declared(module, annotated, scope)
        else:
            found = agreed([self._bound(module, scope, it) for it in places])
        self.pending.discard(key)
        return found

    def _bound(self, module: Module, scope: Scope | None, variable: Variable) -> Value | None:
        code = code_of(module)
        if variable.value is None:
            return self._receiver(module, scope, variable)
        start, end = variable.value
        if end - start == 1 and code.stream.words[start] in {"None", "null", "undefined", "nil"}:
            return None
        found = self.span(module, variable.value)
        if variable.is_key:
            return self.contents(found).key or UNKNOWN
        if variable.is_item:
            held = self.contents(found)
            is_key = held.key is not None and module.navigation.iterates_keys
            return (held.key if is_key else held.item) or UNKNOWN
        if not variable.is_entered:
            return found
        if found.kind == "type":  # `except Error as error`
            return replace(found, kind="instance")
        entering = self.member(found, "__enter__") if found.kind == "instance" else None
        if entering is not None and entering.symbol is not None:
            return self.result(entering.symbol, found)
        return found.item or UNKNOWN

    def _receiver(self, module: Module, scope: Scope | None, variable: Variable) -> Value:
        """Return the value of the first parameter of a method."""
        code = code_of(module)
        if not module.navigation.has_receiver_parameter:
            return UNKNOWN
        if scope is None or not isinstance(scope.declared, Function):
            return UNKNOWN
        parameters = code.header(scope).parameters
        is_first = bool(parameters) and parameters[0] is variable
        owner = self.names.owner_of(module, scope.declared.name)
        decorators = scope.declared.decorators
        if not is_first or owner is None or scope.declared.kind != "method":
            return UNKNOWN
        if "staticmethod" in decorators:
            return UNKNOWN
        last = scope.declared.name.rpartition(".")[2]
        is_type = "classmethod" in decorators or last in {"__new__", "__init_subclass__"}
        return Value("type" if is_type else "instance", owner, may_be_heir=is_type)

    def _infer_field(self, field: Symbol) -> Value:
        module = self.symbols.modules[field.file]
        owner = module.symbols[field.owner]
        places = self.fields(owner)[field.name][1]
        annotated = next((it for it in places if it[1].annotation is not None), None)
        if annotated is not None:
            return self.infer(module, annotated[0], (annotated[1],))
        if len(places) > _MAX_BINDINGS or field in self.pending:
            return UNKNOWN
        self.pending.add(field)
        found = agreed([self._bound_field(module, *it) for it in places])
        self.pending.discard(field)
        return found

    def _bound_field(self, module: Module, scope: Scope, variable: Variable) -> Value | None:
        return UNKNOWN if variable.value is None else self._bound(module, scope, variable)

    def _infer_variable(self, symbol: Symbol) -> Value:
        module = self.symbols.modules[symbol.file]
        places = code_of(module).variables(None).get(symbol.name, [])
        return self.infer(module, None, tuple(places)) if places else UNKNOWN


def _is_closed(module: Module, parts: tuple[str, ...]) -> bool:
    """Whether a type of the library is known to be no interface."""
    rules = module.navigation.interfaces
    if rules is None or len(parts) != 2 or ".".join(parts) in rules.outside:  # noqa: PLR2004 - a package and a type
        return False
    return module.is_closed_package(parts[0])


def agreed(values: Sequence[Value | None]) -> Value:
    """Return the one value that all places agree on; None if there is none."""
    known = {it for it in values if it is not None}
    return known.pop() if len(known) == 1 else UNKNOWN


def _holder(meaning: Meaning) -> Value:
    """Return what a part of the name of a type is: a module, or an outer type."""
    if meaning.kind == "module":
        return module_value(meaning)
    if meaning.symbol is not None and meaning.symbol.is_type:
        return Value("type", meaning.symbol)
    return EXTERNAL if meaning.kind == "external" else UNKNOWN
