"""Find symbols, their uses and their calls in a project."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._code_index import CodeIndex
    from ._described import FoundSymbol, SourceText, describe, whole_word
    from ._scopes import SCOPES, CodeScope, ScopeChoice, scope_of
    from ._search import SymbolKind, find_symbols, one_symbol
    from ._statements import CodeBudget, ShownCode
    from ._workspace_index import index_of

__all__ = [
    "SCOPES",
    "CodeBudget",
    "CodeIndex",
    "CodeScope",
    "FoundSymbol",
    "ScopeChoice",
    "ShownCode",
    "SourceText",
    "SymbolKind",
    "describe",
    "find_symbols",
    "index_of",
    "one_symbol",
    "scope_of",
    "whole_word",
]

__getattr__ = lazy(__name__)
