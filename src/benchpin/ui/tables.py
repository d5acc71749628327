"""Where the cells of a table lead: a place to its line, a file to its page, a symbol to its own."""

from typing import Any

from benchpin.core.page import Link
from benchpin.core.view import Column

from .links import Links

_FILES = frozenset({"file", "path", "file_path"})
_SYMBOLS = frozenset({"id", "symbol", "caller", "callee"})


def cell_links(links: Links) -> Link:
    """Return what finds the address of a cell."""

    def target(column: Column[Any], row: object) -> str:
        if column.name == "location" and column.parts:
            path, line = (it.cell(row) for it in column.parts[:2])
            return links.source(str(path), line if isinstance(line, int) else None) if path else ""
        value = column.cell(row)
        if not isinstance(value, str):
            return ""
        path = value if column.name in _FILES else getattr(row, "file", "")
        is_own = column.value is None or column.name == "file"  # not a text made of several paths
        if column.name in {*_FILES, "name"} and is_own and path:
            line = getattr(row, "line", None)
            return links.source(path, line if isinstance(line, int) else None)
        whole = getattr(row, column.name, value) if column.name in _SYMBOLS else ""
        return links.symbol(whole) if isinstance(whole, str) and "::" in whole else ""

    return target
