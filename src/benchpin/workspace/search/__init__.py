"""List folders and search the content or the names of files."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._content import (
        MAX_LINE_CHARS,
        Pattern,
        SearchMatch,
        compile_line_pattern,
        compile_pattern,
        matching_lines,
        read_texts,
        search_content,
        search_names,
        search_words,
    )
    from ._listing import DirectoryEntry, ListedPath, ListingOptions, list_folder, read_entries

__all__ = [
    "MAX_LINE_CHARS",
    "DirectoryEntry",
    "ListedPath",
    "ListingOptions",
    "Pattern",
    "SearchMatch",
    "compile_line_pattern",
    "compile_pattern",
    "list_folder",
    "matching_lines",
    "read_entries",
    "read_texts",
    "search_content",
    "search_names",
    "search_words",
]

__getattr__ = lazy(__name__)
