"""How every tool of this toolset gets at the index of the workspace."""

from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, ListParams, Rare
from benchpin.core.view import MOST_ROWS
from benchpin.engines.navigation.code_index import CodeIndex, index_of
from benchpin.engines.navigation.source_text import SourceText
from benchpin.engines.source.selection import FileSelection


class SymbolParams(ListParams):
    """Which symbol; the page is rarely asked for, since the obvious comes first."""

    symbol: Annotated[str, Field(min_length=1, max_length=500)]
    """Name, Class.method, path::name or path:line."""
    limit: Rare[Annotated[int, Field(ge=1, le=MOST_ROWS)] | None] = None
    """Rows to return; 20 by default, all of them in csv."""
    cursor: Rare[str | None] = None
    """The next_cursor of the previous page."""


def open_code(bench: Bench) -> tuple[CodeIndex, SourceText]:
    """Return the index of the whole workspace, and the text of its files."""
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    index, _ = index_of(selection)
    return index, SourceText(bench.workspace.root)
