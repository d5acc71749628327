"""Where the cells of a table lead: a place to its line, a file to its page, a symbol to its own."""

from typing import Any

from benchpin.present import Column
from benchpin.present.page import Link, place_of

from ._links import Links

_SYMBOLS = frozenset({"id", "symbol", "caller", "callee"})


def cell_links(links: Links) -> Link:
    """Return what finds the address of a cell."""

    def target(column: Column[Any], row: object) -> str:
        place = place_of(column, row)
        if place is not None:
            return links.source(*place)
        value = column.cell(row)
        if not isinstance(value, str):
            return ""
        whole = getattr(row, column.name, value) if column.name in _SYMBOLS else ""
        return links.symbol(whole) if isinstance(whole, str) and "::" in whole else ""

    return target
