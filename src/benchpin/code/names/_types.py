"""The types of values: read from declarations, evaluated, and inferred from what binds a variable.

A declared type is read from its tokens: `Foo | None`, `list[Foo]`, `Map<String, Foo>`, `*pkg.Foo`,
`"Foo"`. Evaluating it says which type of the project it names, and what a container contains.
"""

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from benchpin.facts import Function
from benchpin.facts.code import Span, Variable

from ._code import Scope
from ._expressions import (
    EXTERNAL,
    UNKNOWN,
    Meaning,
    Value,
    Wanted,
    code_of,
    is_type_parameter,
    module_value,
)
from ._lookup import NameLookup
from ._module import Module, Symbol
from ._name_resolution import NameResolver
from ._symbols import SymbolTable

_TOKEN = re.compile(r"\w+|[^\s\w]")
_STRING = re.compile(r"""^[a-zA-Z]{0,2}(['"])(.*)\1$""", re.DOTALL)
_PREFIXES = frozenset(
    {*("*", "&", "&&", "mut", "dyn", "impl", "const", "readonly", "final", "...", "unique", "ref")}
)
_NOTHING = frozenset({"None", "null", "undefined", "nil", "void", "never"})
_OPENS, _CLOSES = frozenset("[<({"), frozenset("]>)}")
_PATH = frozenset({".", "::"})
_MAX_TOKENS = 60


@dataclass(frozen=True, slots=True)
class TypeName:
    """One named type with its arguments."""

    parts: tuple[str, ...]
    arguments: "tuple[TypeName, ...]" = ()
    is_list: bool = False
    """Whether it is an array of the type, as in `Foo[]` and `[]Foo`."""


def read_type(words: Sequence[str]) -> TypeName | None:
    """Return the one type that a declaration names, or that with nothing; None for others."""
    if len(words) == 1 and (quoted := _STRING.match(words[0])):
        words = _TOKEN.findall(quoted[2])
    if not words or len(words) > _MAX_TOKENS:
        return None
    words = _split(words, "+")[0]  # `dyn Trait + Send`
    found = [it for it in map(_read_one, _split(words, "|")) if it is None or it.parts]
    return found[0] if len(found) == 1 else None


def _split(words: Sequence[str], mark: str) -> list[Sequence[str]]:
    parts: list[Sequence[str]] = []
    depth = start = 0
    for at, word in enumerate(words):
        if word in _OPENS:
            depth += 1
        elif word in _CLOSES:
            depth -= 1
        elif word == mark and not depth:
            parts.append(words[start:at])
            start = at + 1
    parts.append(words[start:])
    return parts


def _read_one(words: Sequence[str]) -> TypeName | None:
    """Read one alternative; one without parts is nothing, such as `None`."""
    words, is_list = _without_prefixes(words)
    if len(words) == 1 and words[0] in _NOTHING:
        return TypeName(())
    quoted = _STRING.match(words[0]) if len(words) == 1 else None
    if quoted is not None:
        return read_type(_TOKEN.findall(quoted[2]))
    if words[:1] == ["["] and words[-1] == "]":
        return _read_slice(words)
    end = 0
    while end < len(words) and (end % 2 == 0 or words[end] in _PATH):
        end += 1
    parts = tuple(words[0:end:2])
    if not end % 2 or not all(it.isidentifier() for it in parts):
        return None
    rest = list(words[end:])
    if rest[-2:] == ["[", "]"] and rest != ["[", "]", "[", "]"]:
        is_list, rest = True, rest[:-2]
    if rest and rest[-1] in {"?", "..."}:
        is_list = is_list or rest[-1] == "..."
        rest.pop()
    if not rest:
        return TypeName(parts, (), is_list)
    if rest[0] not in {"[", "<"} or rest[-1] not in {"]", ">"}:
        return None
    listed = (it for it in _split(rest[1:-1], ",") if it and it[0] != "'")
    given = tuple(read_type(it) for it in listed)
    return TypeName(parts, tuple(it or TypeName(("?",)) for it in given), is_list)


def _read_slice(words: Sequence[str]) -> TypeName | None:
    """Read `[T]` or `[T; 4]` of Rust."""
    inner = read_type(_split(words[1:-1], ";")[0])
    return None if inner is None or inner.is_list else replace(inner, is_list=True)


def _without_prefixes(words: Sequence[str]) -> tuple[Sequence[str], bool]:
    """Return a type without `*`, `&mut`, `[]` and the like, and whether it is a list."""
    at = 0
    is_list = False
    while at < len(words):
        if words[at] in _PREFIXES:
            at += 1
        elif words[at] == "?":
            at += 1 + (words[at + 1 : at + 2] in (["extends"], ["super"]))
        elif words[at].startswith("'"):  # a lifetime, in one token or two
            at += 1 + (words[at] == "'")
        elif list(words[at : at + 2]) == ["[", "]"]:
            is_list, at = True, at + 2
        else:
            break
    return words[at:], is_list


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
            alias = self.alias(meaning.symbol) if item is None else None
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
        equals = next((it for it in range(first, last) if words[it] == "="), -1)
        last -= words[last - 1] == ";"
        return None if equals < 0 else self.declared(module, (equals + 1, last), scope)

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
        if variable.is_item:
            return found.item or UNKNOWN
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
        return Value("type" if is_type else "instance", owner)

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
