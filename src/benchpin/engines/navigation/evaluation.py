"""Evaluate expressions, as far as the code says what they are.

A member is looked up in the type of its receiver. Types come from declarations (`x: Foo`), from
calls (`x = Foo()`, `x = make()` with a declared or plain result) and from fields that are assigned
so in the methods of a type. Everything else is unknown; nothing is guessed.
"""

from dataclasses import replace
from functools import cache
from typing import Final, Literal

from benchpin.engines.source.facts import Function
from benchpin.engines.source.variables import Span, Variable

from .code import Scope, generic_start
from .declared_types import MOST_STEPS, DeclaredTypes
from .expressions import cast_type, is_key, returned, wanted_at
from .module import Module, Symbol
from .name_resolution import NameResolver
from .symbols import SymbolTable
from .values import EXTERNAL, UNKNOWN, Meaning, Value, code_of

_MOST_BINDINGS: Final = 8
_PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property"})
_PLAIN_DECORATORS = _PROPERTIES | {
    *("staticmethod", "classmethod", "override", "typing.override", "abstractmethod"),
    *("abc.abstractmethod", "lru_cache", "functools.lru_cache", "cache", "functools.cache"),
    *("contextmanager", "contextlib.contextmanager", "Override", "Nullable", "NonNull"),
}
_PREFIXES = frozenset({"await", "new", "&", "*", "return", "try"})
_ITEM_GETTERS = frozenset(
    {
        *("get", "getFirst", "getLast", "next", "poll", "peek", "pop", "take", "element"),
        *("orElse", "orElseThrow", "orElseGet", "join", "cast", "newInstance"),
    }
)
"""Methods of the containers of Java that return what is in them."""
_UNWRAPPING = frozenset({"unwrap", "expect", "unwrap_or_default"})


class Evaluator(DeclaredTypes):
    """Evaluates names and expressions of a project; remembers what it found."""

    def __init__(self, symbols: SymbolTable, names: NameResolver) -> None:
        super().__init__(symbols, names)
        self._results: dict[tuple[Symbol, int | None], Value] = {}
        self._pending: set[object] = set()
        self._field_value = cache(self._infer_field)
        self._variable_value = cache(self._infer_variable)

    def meaning(self, module: Module, at: int) -> Meaning:
        """Return what the name at a position stands for."""
        code = code_of(module)
        words = code.stream.words
        if code.reader is None:
            return self.unread(module, words, at)
        if is_key(code, at):
            return Meaning("key")
        wanted = wanted_at(code, at)
        if code.mark_before(at) < 0:
            return self.lookup(module, words[at], at, wanted)
        return self.member(self._before_member(module, at)[0], words[at], wanted)

    def value(self, meaning: Meaning) -> Value:
        """Return the value of what a name stands for."""
        symbol = meaning.symbol
        if meaning.kind == "module":
            return Value("module", module=meaning.module, package=meaning.package)
        if meaning.kind == "local" and meaning.module is not None:
            return self._infer(meaning.module, meaning.scope, meaning.variables)
        if symbol is None:
            return EXTERNAL if meaning.kind == "external" else UNKNOWN
        if symbol.is_type:
            return Value("type", symbol)
        if symbol.is_function:
            is_property = not _PROPERTIES.isdisjoint(_decorators(symbol))
            return (
                self.result(symbol, meaning.receiver) if is_property else Value("function", symbol)
            )
        return self._field_value(symbol) if symbol.owner else self._variable_value(symbol)

    def ending(self, module: Module, at: int) -> tuple[Value, int]:
        """Return the value of the expression that ends at a token, and where it starts."""
        if at < 0 or self._steps >= MOST_STEPS:
            return UNKNOWN, at
        self._steps += 1
        try:
            return self._ending(module, at)
        finally:
            self._steps -= 1

    def _ending(self, module: Module, at: int) -> tuple[Value, int]:
        code = code_of(module)
        stream, reader, word = code.stream, code.reader, code.stream.words[at]
        if reader is None:
            return UNKNOWN, at
        if word == ")":
            return self._called_or_enclosed(module, at)
        if word in {"]", "}"}:
            return self._before_bracket(module, at)
        if word in {"!", "?"}:
            found, start = self.ending(module, at - 1)
            return (found.item or found if word == "?" else found), start
        is_own = word in reader.receivers or word in reader.parents
        if not is_own and not stream.is_name(at):
            return (EXTERNAL if stream.is_literal(at) else UNKNOWN), at
        wanted = wanted_at(code, at)
        if code.mark_before(at) >= 0:
            receiver, start = self._before_member(module, at)
            if is_own and receiver.kind == "type":  # `Outer.this` of Java
                return replace(
                    receiver, kind="parent" if word in reader.parents else "instance"
                ), start
            return self.value(self.member(receiver, word, wanted)), start
        if is_own and (not stream.is_name(at) or word in reader.parents):
            owner = self.enclosing_type(module, code.scope_at(at))
            kind: Literal["parent", "instance"] = "parent" if word in reader.parents else "instance"
            return (UNKNOWN if owner is None else Value(kind, owner)), at
        return self.value(self.lookup(module, word, at, wanted)), at

    def _before_bracket(self, module: Module, at: int) -> tuple[Value, int]:
        """Return the value of `x[…]` or `T{…}`, which ends at a position."""
        stream = code_of(module).stream
        base, start = self.ending(module, stream.opening(at) - 1)
        is_new = start >= 0 and stream.words[start] == "new"
        if stream.words[at] == "}":  # `T{…}` of Go and Rust, `new T() {…}` of Java
            made = replace(base, kind="instance") if base.kind == "type" else UNKNOWN
            return (base if is_new and base.kind == "instance" else made), start
        if module.language == "java" and base.kind == "type":  # `new T[n]`
            return Value("external", item=replace(base, kind="instance")), start
        return (base if base.kind == "type" else base.item or UNKNOWN), start

    def _before_member(self, module: Module, at: int) -> tuple[Value, int]:
        """Return the value of what comes before `.name`, and where it starts."""
        bound = self._dotted_import(module, at)
        return (
            bound if bound is not None else self.ending(module, code_of(module).mark_before(at) - 1)
        )

    def _dotted_import(self, module: Module, at: int) -> tuple[Value, int] | None:
        """Return the module that `import a.b` binds to the dotted name before a member."""
        if not module.dotted:
            return None
        words = code_of(module).stream.words
        start, name = at - 2, words[at - 2]
        while start >= 2 and words[start - 1] == ".":  # noqa: PLR2004 - a name and a dot
            start -= 2
            name = f"{words[start]}.{name}"
        if name not in module.dotted:
            return None
        binding = module.bindings[name]
        known = self.symbols.bound(binding)
        if isinstance(known, Module):
            return Value("module", module=known), start
        return (EXTERNAL if binding.is_external else UNKNOWN), start

    def _called_or_enclosed(self, module: Module, at: int) -> tuple[Value, int]:
        code = code_of(module)
        stream, words = code.stream, code.stream.words
        opened = stream.opening(at)
        if opened < 0:
            return UNKNOWN, at
        before = opened - 1
        if before >= 0 and words[before] == ">":
            before = generic_start(words, before) - 1
        is_call = before >= 0 and (stream.is_name(before) or words[before] in {")", "]"})
        if not is_call:
            cast = cast_type(words, opened, at)
            if cast is not None:
                return self.declared(module, cast, code.scope_at(at)), opened
            inner, start = self.ending(module, at - 1)
            is_whole = start == opened + 1 or (start == opened + 2 and words[start - 1] == "await")
            return (inner if is_whole else UNKNOWN), opened
        if code.reader is not None and words[before] in code.reader.parents:
            owner = self.enclosing_type(module, code.scope_at(at))
            return (UNKNOWN if owner is None else Value("parent", owner)), before
        if words[before] in _UNWRAPPING and words[before - 1] in code.reader.members:  # type: ignore[union-attr]  # a reader is there when expressions are read
            held, start = self.ending(module, before - 2)
            return held.item or UNKNOWN, start
        callee, start = self._callee(module, before)
        if start > 0 and words[start - 1] == "new":
            start -= 1
        return callee, start

    def _callee(self, module: Module, at: int) -> tuple[Value, int]:
        """Return the result of calling what ends at a token."""
        code = code_of(module)
        words, reader = code.stream.words, code.reader
        if reader is None or not code.stream.is_name(at):
            callee, start = self.ending(module, at)
            return self._called(callee, words[at]), start
        wanted = wanted_at(code, at)
        receiver, start = None, at
        if code.mark_before(at) >= 0:
            receiver, start = self._before_member(module, at)
            is_getter = module.language == "java" and words[at] in _ITEM_GETTERS
            held = receiver.item if is_getter else None
            if held is not None and receiver.kind == "external":
                return held, start
            meaning = self.member(receiver, words[at], wanted)
        else:
            meaning = self.lookup(module, words[at], at, wanted)
        if meaning.symbol is not None and meaning.symbol.is_function:
            return self.result(meaning.symbol, receiver, wanted.arguments), start
        if meaning.symbol is not None and meaning.symbol.kind == "field":
            declared = self._declared_result(meaning.symbol)
            if declared is not None:
                return declared, start
        return self._called(self.value(meaning), words[at]), start

    def _declared_result(self, field: Symbol) -> Value | None:
        """Return what a method without a body returns; None for a field."""
        module = self.symbols.modules[field.file]
        found = [
            self.declared(module, variable.result, scope)
            for scope, variable in self.places(field)
            if variable.result is not None
        ]
        return self._agreed(list(found)) if found else None

    def _called(self, callee: Value, name: str) -> Value:
        if callee.kind == "type":
            return replace(callee, kind="instance")
        if callee.kind == "function" and callee.symbol is not None:
            return self.result(callee.symbol, None)
        # By convention a capitalised name is a class; other functions may return anything.
        if callee.kind == "external" and (name[:1].isupper() or name in _BUILTIN_TYPES):
            return EXTERNAL
        return UNKNOWN

    def result(self, symbol: Symbol, receiver: Value | None, arguments: int | None = None) -> Value:
        """Return what a function returns when it is called on a receiver."""
        reader = code_of(self.symbols.modules[symbol.file]).reader
        is_plain = reader is not None and not reader.replaces_functions
        if not symbol.is_function or not (
            is_plain or _PLAIN_DECORATORS.issuperset(_decorators(symbol))
        ):
            return UNKNOWN
        key = symbol, arguments
        if key not in self._results:
            if symbol in self._pending:
                return UNKNOWN
            self._pending.add(symbol)
            self._results[key] = self._find_result(symbol, arguments)
            self._pending.discard(symbol)
        found = self._results[key]
        if reader is not None and reader.bare_members:
            return found  # Java says exactly what a method returns
        is_own = found.symbol is not None and found.symbol is self._owner(symbol)
        if is_own and receiver is not None and receiver.kind in {"instance", "type"}:
            # A method that returns its own type, called on a subtype, usually returns that.
            return (
                found if receiver.symbol is found.symbol else replace(found, symbol=receiver.symbol)
            )
        return found

    def _owner(self, symbol: Symbol) -> Symbol | None:
        return self.symbols.modules[symbol.file].symbols.get(symbol.owner)

    def _find_result(self, symbol: Symbol, arguments: int | None) -> Value:
        module = self.symbols.modules[symbol.file]
        if arguments is not None:
            fitting = self.overloads(symbol, arguments)
            scope = code_of(module).scope_of.get(symbol.qualified)
            return self._agreed(
                [
                    UNKNOWN if it.result is None else self.declared(module, it.result, scope)
                    for it in fitting
                ]
            )
        code = module.code
        scope = None if code is None else code.scope_of.get(symbol.qualified)
        if code is None or scope is None:
            return UNKNOWN
        header = code.header(scope)
        if header.result is not None:
            return self.declared(module, header.result, scope)
        if module.language != "python":
            return UNKNOWN
        spans = returned(code, scope, header.body)
        return self._agreed([self._span(module, it) for it in spans])

    def _span(self, module: Module, span: Span) -> Value:
        """Return the value of a whole expression; unknown if it is not one chain of members."""
        start, end = span
        words = code_of(module).stream.words
        if start < 0:
            return self.ending(module, end - 1)[0]
        while start < end - 1 and words[start] in _PREFIXES:
            start += 1
        while end > start and words[end - 1] in {";", ","}:
            end -= 1
        if end <= start:
            return UNKNOWN
        found, first = self.ending(module, end - 1)
        return found if first + (words[first] == "new") == start else UNKNOWN

    def _infer(self, module: Module, scope: Scope | None, places: tuple[Variable, ...]) -> Value:
        """Return the value of a variable that is bound at some places."""
        if len(places) > _MOST_BINDINGS:
            return UNKNOWN
        key = places[0]
        if key in self._pending:
            return UNKNOWN
        self._pending.add(key)
        annotated = next((it.annotation for it in places if it.annotation is not None), None)
        if annotated is not None:
            found = self.declared(module, annotated, scope)
        else:
            found = self._agreed([self._bound(module, scope, it) for it in places])
        self._pending.discard(key)
        return found

    @staticmethod
    def _agreed(values: "list[Value | None]") -> Value:
        """Return the one value that all places agree on; None stands for nothing."""
        known = {it for it in values if it is not None}
        return known.pop() if len(known) == 1 else UNKNOWN

    def _bound(self, module: Module, scope: Scope | None, variable: Variable) -> Value | None:
        code = code_of(module)
        if variable.value is None:
            return self._receiver(module, scope, variable)
        start, end = variable.value
        if end - start == 1 and code.stream.words[start] in {"None", "null", "undefined", "nil"}:
            return None
        found = self._span(module, variable.value)
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
        if scope is None or not isinstance(scope.declared, Function) or module.language != "python":
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
            return self._infer(module, annotated[0], (annotated[1],))
        if len(places) > _MOST_BINDINGS or field in self._pending:
            return UNKNOWN
        self._pending.add(field)
        found = self._agreed([self._bound_field(module, *it) for it in places])
        self._pending.discard(field)
        return found

    def _bound_field(self, module: Module, scope: Scope, variable: Variable) -> Value | None:
        return UNKNOWN if variable.value is None else self._bound(module, scope, variable)

    def _infer_variable(self, symbol: Symbol) -> Value:
        module = self.symbols.modules[symbol.file]
        places = code_of(module).variables(None).get(symbol.name, [])
        return self._infer(module, None, tuple(places)) if places else UNKNOWN


def _decorators(symbol: Symbol) -> tuple[str, ...]:
    return () if symbol.declared is None else symbol.declared.decorators


_BUILTIN_TYPES = frozenset(
    {
        *("str", "bytes", "int", "float", "bool", "list", "dict", "set", "tuple", "frozenset"),
        *("open", "range", "sorted", "repr", "len", "sum", "bytearray", "object", "complex"),
    }
)
