"""What names refer to: the symbols of files, scopes, types and members."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._code import Code, Scope, closing_angle
    from ._evaluation import Evaluator
    from ._expressions import MEMBER_MARKS, Meaning, Value, chain_start
    from ._module import ANONYMOUS, Module, Symbol, is_overload
    from ._name_resolution import CONSTRUCTORS, NameResolver, Outcome
    from ._postings import Postings
    from ._symbols import Modules, SymbolTable, defined_in, in_memory

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
    "Outcome",
    "Postings",
    "Scope",
    "Symbol",
    "SymbolTable",
    "Value",
    "chain_start",
    "closing_angle",
    "defined_in",
    "in_memory",
    "is_overload",
]

__getattr__ = lazy(
    __name__,
    """
    _code: Code Scope closing_angle
    _evaluation: Evaluator
    _expressions: MEMBER_MARKS Meaning Value chain_start
    _module: ANONYMOUS Module Symbol is_overload
    _name_resolution: CONSTRUCTORS NameResolver Outcome
    _postings: Postings
    _symbols: Modules SymbolTable defined_in in_memory
    """,
)
