"""Find functions, types and variables by name."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from benchpin.code import FoundSymbol, SymbolKind, describe, find_symbols
from benchpin.comments.shown import COMMENTS_TABLE, NO_COMMENTS, CommentsShown, comments_within
from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, PathArgument, Rare, tool
from benchpin.present import Column, Report, Table, View, location

from ._subjects import SymbolParams, open_code


class FindSymbolParams(SymbolParams):
    """What to look for, and where."""

    symbol: Annotated[str, Field(min_length=1, max_length=500)]
    """Name or part of it, Class.method, path::name or path:line."""
    project_path: PathArgument[str] = "."
    """File or folder to search."""
    kind: Rare[SymbolKind | None] = None
    """Only symbols of this kind."""
    include_body: bool = False
    """Also show the code."""


def _below(symbol: FoundSymbol) -> Iterator[str]:
    if symbol.doc:
        yield symbol.doc
    if symbol.exported_by:
        yield f"exported by {', '.join(symbol.exported_by)}"


class SymbolReport(Report):
    """Symbols, the best match first."""

    symbols: list[FoundSymbol]
    total: int
    next_cursor: str | None
    comments: CommentsShown = NO_COMMENTS
    """Open comments on these symbols."""

    view = View["SymbolReport"](
        title="Symbols",
        headline=lambda it: [
            counted(it.total, "symbol")
            if it.total
            else "No symbol has this name or part of a name."
        ],
        tables=(
            Table(
                rows=lambda it: it.symbols,
                columns=(
                    Column("kind"),
                    Column("name"),
                    location(end_line="end_line"),
                    Column("signature"),
                    Column("container", is_detail=True),
                ),
                below=_below,
            ),
            Table(
                rows=lambda it: [found for found in it.symbols if found.body is not None],
                columns=(Column("id"), Column("body")),
                entry=lambda _report, _number, it: [it.id, *(it.body or "").splitlines()],
            ),
            COMMENTS_TABLE,
        ),
    )


@tool(
    title="Find a symbol",
    effect=Effect.READ,
    also=(
        "go to definition, where is it defined, declaration, look up a function, class or "
        "method by name, show the code of a function, docstring, signature, workspace symbols, "
        "where does it come from, which file has this class"
    ),
)
def find_symbol(params: FindSymbolParams, bench: Bench) -> SymbolReport:
    """Find where a function, type, method or variable is defined, best match first.

    Local variables are not symbols.
    """
    folder = str(bench.workspace.relative(bench.existing(params.project_path)))
    index, text = open_code(bench)
    found = find_symbols(index, params.symbol, bench.job, kind=params.kind, folder=folder)
    page = params.page(found)
    return SymbolReport(
        symbols=[describe(index, it, text, include_body=params.include_body) for it in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        comments=comments_within(bench, ((it.file, it.line, it.end_line) for it in page.items)),
        format=params.format,
    )
