"""How every tool of this toolset gets at the index of the workspace."""

from typing import Annotated

from pydantic import Field

from benchpin.code import CodeIndex, SourceText, index_of
from benchpin.core.calls import Bench
from benchpin.facts import FileSelection
from benchpin.present import ListParams


class SymbolParams(ListParams):
    """Which symbol."""

    symbol: Annotated[str, Field(min_length=1, max_length=500)]
    """Name, Class.method, path::name or path:line."""


def open_code(bench: Bench) -> tuple[CodeIndex, SourceText]:
    """Return the index of the whole workspace, and the text of its files."""
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    return index_of(selection), SourceText(bench.workspace.root)
