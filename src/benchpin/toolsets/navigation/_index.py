"""How every tool of this toolset gets at the index of the workspace."""

from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, ListParams
from benchpin.engines.navigation.code_index import CodeIndex
from benchpin.engines.navigation.source_text import SourceText
from benchpin.engines.navigation.workspace_index import index_of
from benchpin.engines.source.selection import FileSelection


class SymbolParams(ListParams):
    """Which symbol."""

    symbol: Annotated[str, Field(min_length=1, max_length=500)]
    """Name, Class.method, path::name or path:line."""


def open_code(bench: Bench) -> tuple[CodeIndex, SourceText]:
    """Return the index of the whole workspace, and the text of its files."""
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    return index_of(selection), SourceText(bench.workspace.root)
