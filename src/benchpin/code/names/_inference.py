"""Infer the types of variables and fields from the places that bind them."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from benchpin.facts import Function
from benchpin.facts.code import Span, Variable

from ._code import Scope
from ._types import DeclaredTypes
from ._module import Module, Symbol
from ._name_resolution import NameResolver
from ._symbols import SymbolTable
from ._values import UNKNOWN, Value, code_of

_MAX_BINDINGS: Final = 8


class VariableTypes(DeclaredTypes):
    """Infers the values of variables and fields."""

    def __init__(self, symbols: SymbolTable, names: NameResolver) -> None:
        super().__init__(symbols, names)
        self.pending: set[object] = set()
        """What is being inferred, to end cycles."""
        self.field_value = cache(self._infer_field)
        self.variable_value = cache(self._infer_variable)

    @abstractmethod
    def span(self, module: Module, span: Span) -> Value:
        """Return the value of a whole expression."""

    @abstractmethod
    def result(self, symbol: Symbol, receiver: Value | None) -> Value:
        """Return what a function returns when it is called on a receiver."""

    def infer(self, module: Module, scope: Scope | None, places: tuple[Variable, ...]) -> Value:
        """Return the value of a variable that is bound at some places."""
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
