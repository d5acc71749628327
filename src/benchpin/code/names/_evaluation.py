"""Evaluate expressions, as far as the code says what they are.

A member is looked up in the type of its receiver. Types come from declarations (`x: Foo`), calls
(`x = Foo()`, `x = make()` with a known result) and fields that methods assign; nothing is guessed.
"""

from dataclasses import replace
from typing import Literal

from benchpin.facts.code import Key, Span, VariableReader

from ._code import Code, generic_start
from ._expressions import (
    ANY_USE,
    BUILTIN_TYPES,
    EXTERNAL,
    IMPORTED,
    UNKNOWN,
    Meaning,
    Value,
    Wanted,
    cast_type,
    code_of,
    decorators_of,
    is_argument_of_attribute,
    made_before,
    module_value,
    named_by_macro,
    nameless_struct,
    of_container,
    returned,
    switch_subject,
    wanted_at,
)
from ._module import PROPERTIES, Module, Symbol
from ._name_resolution import NameResolver
from ._symbols import SymbolTable
from ._types import MAX_STEPS, TypeInference, agreed

_PLAIN_DECORATORS = PROPERTIES | {
    *("staticmethod", "classmethod", "override", "typing.override", "abstractmethod"),
    *("abc.abstractmethod", "lru_cache", "functools.lru_cache", "cache", "functools.cache"),
    *("contextmanager", "contextlib.contextmanager", "Override", "Nullable", "NonNull"),
}
_PREFIXES = frozenset({"await", "new", "&", "*", "mut", "return", "try"})


class Evaluator(TypeInference):
    """Evaluates names and expressions of a project; remembers what it found."""

    def __init__(self, symbols: SymbolTable, names: NameResolver) -> None:
        super().__init__(symbols, names)
        self._results: dict[tuple[Symbol, int | None], Value] = {}

    def meaning(self, module: Module, at: int) -> Meaning:
        code = code_of(module)
        words = code.stream.words
        if code.reader is None:
            return self.unread(module, words, at)
        field = self._declared_field(module, code, at)
        if field is not None:
            return Meaning("symbol", field)
        key = code.reader.key(code.stream, at)
        if key is not None:
            return self._key(module, key, at)
        wanted = wanted_at(code, at)
        if code.mark_before(at) < 0:
            chosen = switch_subject(code, at)
            if chosen is not None:
                return self._case(module, chosen, at)
            found = self.lookup(module, words[at], at, wanted)
            if module.navigation.has_paths and is_argument_of_attribute(code, at):
                found = replace(found, is_certain=False)
            if found.kind == "external":
                found = named_by_macro(module, code, at) or found
            key = code.reader.shorthand(code.stream, at) if found.kind == "local" else None
            if key is None:
                return found
            named = self._key(module, key, at)
            others = () if named.symbol is None else (named.symbol,)
            return replace(found, others=others, receiver=named.receiver)
        return self.member(self._before_member(module, at)[0], words[at], wanted)

    def _declared_field(self, module: Module, code: Code, at: int) -> Symbol | None:
        """Return the field, or method without a body, whose declaration names it at a position."""
        scope, name = code.scope_at(at), code.stream.words[at]
        if scope is None or scope.is_function or code.reader is None:
            return None
        places = [it for it in code.fields(scope).get(name, ()) if it.at == at]
        owner = self.type_of_scope(module, scope) if places else None
        if owner is None or at in range(*(places[0].annotation or (0, 0))):  # an embedded type
            return None
        is_one = places[0].is_method or not code.reader.splits_methods
        known = self.symbols.member(owner, name) if is_one else None
        return known or self.field(owner, name)

    def _key(self, module: Module, key: Key, at: int) -> Meaning:
        """Return the member that a key names, if the code says of which type."""
        name = code_of(module).stream.words[at]
        if key.kind == "member":
            return Meaning("unknown", receiver=UNKNOWN)
        if key.kind == "label":
            return Meaning("external")
        made = self.ending(module, key.type_end)[0]
        if made.kind == "type":
            wanted = ANY_USE if key.kind == "element" else Wanted(is_called=False)
            found = self.member(made, name, wanted)
            if found.symbol is not None:
                return found
            if made.symbol is not None and self.has_keys(made.symbol):
                return self.lookup(module, name, at)
        is_struct = made.symbol is not None and made.symbol.kind == "struct"
        if key.kind != "unsure" or is_struct:
            return Meaning("key")
        found = self.lookup(module, name, at)
        is_known = found.symbol is not None or found.kind in {"local", "external"}
        return Meaning("key", found.symbol, is_certain=is_known and found.symbol is None)

    def _case(self, module: Module, subject: int, at: int) -> Meaning:
        """Return what a name after `case` refers to: a constant of the enum chosen from."""
        name = code_of(module).stream.words[at]
        value = self.ending(module, subject)[0]
        if value.symbol is not None and value.symbol.kind == "enum":
            return self.member(value, name)
        return replace(self.lookup(module, name, at), is_certain=False)

    def value(self, meaning: Meaning) -> Value:
        symbol = meaning.symbol
        if meaning.kind == "module":
            return module_value(meaning)
        if meaning.kind == "local" and meaning.module is not None:
            return self.infer(meaning.module, meaning.scope, meaning.variables)
        if symbol is None and meaning.kind == "external":
            return EXTERNAL if meaning.package is None else IMPORTED
        if symbol is None:
            return UNKNOWN
        if symbol.is_type:
            return Value("type", symbol)
        if symbol.is_function:
            is_property = symbol.is_property
            return (
                self.result(symbol, meaning.receiver) if is_property else Value("function", symbol)
            )
        found = self.field_value(symbol) if symbol.owner else self.variable_value(symbol)
        # A subtype, or a variable of a generic type, says more about a type parameter than that.
        return UNKNOWN if found.is_bound and meaning.receiver is not None else found

    def ending(self, module: Module, at: int) -> tuple[Value, int]:
        """Return the value of the expression that ends at a token, and where it starts."""
        if at < 0 or self._steps >= MAX_STEPS:
            return UNKNOWN, at
        self._steps += 1
        try:
            return self._ending(module, at)
        finally:
            self._steps -= 1

    def _ending(self, module: Module, at: int) -> tuple[Value, int]:
        code = code_of(module)
        reader, word = code.reader, code.stream.words[at]
        if reader is None:
            return UNKNOWN, at
        if word == ")":
            return self._called_or_enclosed(module, at)
        if word in {"]", "}"}:
            return self._before_bracket(module, at)
        if module.navigation.has_paths:
            own = self._path_ending(module, at)
            if own is not None:
                return own
        if word in {"!", "?"}:
            found, start = self.ending(module, at - 1)
            return (found.item or found if word == "?" else found), start
        return self._name_or_literal(module, code, reader, at)

    def _name_or_literal(
        self, module: Module, code: Code, reader: VariableReader, at: int
    ) -> tuple[Value, int]:
        """Return the value of the name, with what it is a member of, or literal at a token."""
        stream, word = code.stream, code.stream.words[at]
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
            found = self.member(receiver, word, wanted)
            return self.value(self.in_path(module, receiver.module, at, found)), start
        if is_own and (not stream.is_name(at) or word in reader.parents):
            owner = self.enclosing_type(module, code.scope_at(at))
            kind: Literal["parent", "instance"] = "parent" if word in reader.parents else "instance"
            return (UNKNOWN if owner is None else Value(kind, owner)), at
        found = self.lookup(module, word, at, wanted)
        return self.value(self.in_path(module, module, at, found)), at

    def _path_ending(self, module: Module, at: int) -> tuple[Value, int] | None:
        """Return the value of what only Rust has: paths of modules, `.await`, `.0`, `Type::<T>`."""
        code = code_of(module)
        words, mark = code.stream.words, code.mark_before(at)
        word = words[at]
        path_words = module.navigation.path_words
        if word in path_words and mark < 0 and words[at + 1 : at + 2] == ["::"]:
            return self.value(self.path_word(module, word, at)), at
        if path_words.get(word) == "parent" and mark >= 0:
            outer, start = self.ending(module, mark - 1)
            return self.value(self.parent_module(outer)), start
        if word == "await" and mark >= 0:
            return self.ending(module, mark - 1)
        if word == ">" and words[at + 1 : at + 2] == ["::"]:
            start = generic_start(words, at)
            if words[start - 1] == "::":
                return self.ending(module, start - 2)
            return UNKNOWN, start
        if word.isdigit() and mark >= 0 and words[mark] == ".":
            receiver, start = self.ending(module, mark - 1)
            return self.value(self.member(receiver, word)), start
        return None

    def _before_bracket(self, module: Module, at: int) -> tuple[Value, int]:
        """Return the value of `x[…]` or `T{…}`, which ends at a position."""
        stream = code_of(module).stream
        opened = stream.opening(at)
        if (nameless := nameless_struct(stream, opened)) is not None:
            return nameless
        base, start = self.ending(module, opened - 1)
        if stream.words[at] == "}":  # `T{…}` of Go and Rust, `new T() {…}` of Java
            return made_before(module, base, start, opened), start
        if module.navigation.has_new_arrays and base.kind == "type":  # `new T[n]`
            return Value("external", item=replace(base, kind="instance")), start
        return (base if base.kind == "type" else self.contents(base).item or UNKNOWN), start

    def _before_member(self, module: Module, at: int) -> tuple[Value, int]:
        """Return the value of what comes before `.name`, and where it starts.

        That is a module where `import a.b` binds the dotted name before a member.
        """
        words = code_of(module).stream.words
        start, name = at - 2, words[at - 2]
        while start >= 2 and words[start - 1] == ".":  # noqa: PLR2004 - a name and a dot
            start -= 2
            name = f"{words[start]}.{name}"
        if name not in module.dotted:
            return self.ending(module, code_of(module).mark_before(at) - 1)
        binding = module.bindings[name]
        known = self.symbols.bound(binding)
        if isinstance(known, Module):
            return Value("module", module=known), start
        return (IMPORTED if binding.is_external else UNKNOWN), start

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
        callee, start = self._callee(module, before)
        if start > 0 and words[start - 1] == "new":
            start -= 1
        return callee, start

    def _callee(self, module: Module, at: int) -> tuple[Value, int]:
        """Return the result of calling what ends at a token."""
        code = code_of(module)
        words, reader = code.stream.words, code.reader
        if reader is None or not code.stream.is_name(at):
            return self._nameless_callee(module, code, at)
        wanted = wanted_at(code, at)
        receiver, start = None, at
        if code.mark_before(at) >= 0:
            receiver, start = self._before_member(module, at)
            held = of_container(module.navigation, receiver, words[at])
            if held is None and receiver is IMPORTED and module.is_closed_package(words[start]):
                held = IMPORTED
            if held is not None:
                return held, start
            meaning = self.member(receiver, words[at], wanted)
            if meaning.symbol is None and words[at] in module.navigation.copying:
                return receiver, start
        else:
            meaning = self.lookup(module, words[at], at, wanted)
        if meaning.symbol is not None and meaning.symbol.is_function:
            return self.result(meaning.symbol, receiver, wanted.arguments), start
        if meaning.symbol is not None and meaning.symbol.kind == "field":
            declared = self._declared_result(meaning.symbol)
            if declared is not None:
                return declared, start
        return self._called(self.value(meaning), words[at]), start

    def _nameless_callee(self, module: Module, code: Code, at: int) -> tuple[Value, int]:
        """Return the result of calling `New[T]` of Go, or what another expression returns."""
        if code.stream.words[at] == "]":
            made, start = self.ending(module, code.stream.opening(at) - 1)
            if made.kind == "function" and made.symbol is not None:
                return self.result(made.symbol, None), start
        callee, start = self.ending(module, at)
        return self._called(callee, code.stream.words[at]), start

    def _declared_result(self, field: Symbol) -> Value | None:
        """Return what a method without a body returns; None for a field."""
        module = self.symbols.modules[field.file]
        found = [
            self.declared(module, variable.result, scope)
            for scope, variable in self.places(field)
            if variable.result is not None
        ]
        result = agreed(list(found))
        return None if not found else UNKNOWN if result.is_bound else result

    def _called(self, callee: Value, name: str) -> Value:
        if callee.kind == "type":
            return replace(callee, kind="instance", may_be_heir=False)
        if callee.kind == "function" and callee.symbol is not None:
            return self.result(callee.symbol, None)
        # By convention a capitalised name is a class; other functions may return anything.
        if callee.kind == "external" and (name[:1].isupper() or name in BUILTIN_TYPES):
            return EXTERNAL
        return UNKNOWN

    def may_be_replaced(self, symbol: Symbol) -> bool:
        """Whether a decorator may return something else than the function."""
        reader = code_of(self.symbols.modules[symbol.file]).reader
        is_plain = reader and not reader.replaces_functions
        return not (is_plain or _PLAIN_DECORATORS.issuperset(decorators_of(symbol)))

    def result(self, symbol: Symbol, receiver: Value | None, arguments: int | None = None) -> Value:
        """Return what a function returns when it is called on a receiver."""
        reader = code_of(self.symbols.modules[symbol.file]).reader
        if not symbol.is_function or self.may_be_replaced(symbol):
            return UNKNOWN
        key = symbol, arguments
        if key not in self._results:
            if symbol in self.pending:
                return UNKNOWN
            self.pending.add(symbol)
            self._results[key] = self._find_result(symbol, arguments)
            self.pending.discard(symbol)
        found = self._results[key]
        if found.is_bound:
            return UNKNOWN
        if reader is not None and reader.bare_members:
            return found  # Java says exactly what a method returns
        owner = self.symbols.modules[symbol.file].symbols.get(symbol.owner)
        is_own = found.symbol is not None and found.symbol is owner
        if is_own and receiver is not None and receiver.kind in {"instance", "type"}:
            # A method that returns its own type, called on a subtype, usually returns that.
            return (
                found if receiver.symbol is found.symbol else replace(found, symbol=receiver.symbol)
            )
        return found

    def _find_result(self, symbol: Symbol, arguments: int | None) -> Value:
        module = self.symbols.modules[symbol.file]
        code = code_of(module)
        scope = code.scope_of.get(symbol.qualified)
        if arguments is not None:
            results = [it.result for it in self.overloads(symbol, arguments)]
            return agreed(
                [UNKNOWN if it is None else self.declared(module, it, scope) for it in results]
            )
        if scope is None:
            return UNKNOWN
        header = code.header(scope)
        if header.result is not None:
            return self.declared(module, header.result, scope)
        if not module.navigation.has_plain_results:
            return UNKNOWN
        return agreed([self.span(module, it) for it in returned(code, scope, header.body)])

    def span(self, module: Module, span: Span) -> Value:
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
