"""The tokens of a file, and the variables that its code binds."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._navigation import (
        CallRules,
        Interfaces,
        NamedHere,
        NamedTest,
        Navigation,
        ResolveType,
        TestWords,
        last_names,
        navigation_of,
        quoted,
        quoted_files,
    )
    from ._variables import (
        CLOSING,
        MAX_READ_TOKENS,
        OPENING,
        Generics,
        Header,
        Key,
        Skipped,
        Span,
        TokenStream,
        Variable,
        VariableReader,
        after_angles,
        reader_of,
        split_at_commas,
    )

__all__ = [
    "CLOSING",
    "MAX_READ_TOKENS",
    "OPENING",
    "CallRules",
    "Generics",
    "Header",
    "Interfaces",
    "Key",
    "NamedHere",
    "NamedTest",
    "Navigation",
    "ResolveType",
    "Skipped",
    "Span",
    "TestWords",
    "TokenStream",
    "Variable",
    "VariableReader",
    "after_angles",
    "last_names",
    "navigation_of",
    "quoted",
    "quoted_files",
    "reader_of",
    "split_at_commas",
]

__getattr__ = lazy(__name__)
