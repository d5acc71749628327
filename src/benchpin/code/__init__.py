"""Find symbols, their uses and their calls in a project."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._code_index import CodeIndex, may_dispatch, scope_of
    from ._described import CodeRoom, FoundSymbol, SourceText, describe, documentation, whole_word
    from ._search import SymbolKind, find_symbols, is_exact, near_symbols, one_symbol
    from ._statements import CodeBudget, ShownCode
    from ._workspace_index import index_for, index_of

__all__ = [
    "CodeBudget",
    "CodeIndex",
    "CodeRoom",
    "FoundSymbol",
    "ShownCode",
    "SourceText",
    "SymbolKind",
    "describe",
    "documentation",
    "find_symbols",
    "index_for",
    "index_of",
    "is_exact",
    "may_dispatch",
    "near_symbols",
    "one_symbol",
    "scope_of",
    "whole_word",
]

__getattr__ = lazy(__name__)
