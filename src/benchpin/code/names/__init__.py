"""What names refer to: the symbols of files, scopes, types and members."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._code import Code, Scope, closing_angle
    from ._evaluation import Evaluator
    from ._expressions import MEMBER_MARKS, Meaning, Value, Wanted, chain_start
    from ._module import ANONYMOUS, Module, Symbol, is_overload
    from ._name_resolution import CONSTRUCTORS, NameResolver, Outcome
    from ._postings import NameTable, Postings, UsedNames, defined_in, imported_names, used_in
    from ._symbols import Modules, SymbolTable, in_memory

__all__ = [
    "ANONYMOUS",
    "CONSTRUCTORS",
    "MEMBER_MARKS",
    "Code",
    "Evaluator",
    "Meaning",
    "Module",
    "Modules",
    "NameResolver",
    "NameTable",
    "Outcome",
    "Postings",
    "Scope",
    "Symbol",
    "SymbolTable",
    "UsedNames",
    "Value",
    "Wanted",
    "chain_start",
    "closing_angle",
    "defined_in",
    "imported_names",
    "in_memory",
    "is_overload",
    "used_in",
]

__getattr__ = lazy(__name__)
