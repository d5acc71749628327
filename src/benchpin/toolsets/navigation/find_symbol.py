"""Find functions, types and variables by name."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from benchpin.code import (
    CodeIndex,
    CodeRoom,
    FoundSymbol,
    SourceText,
    SymbolKind,
    describe,
    find_symbols,
    is_exact,
    near_symbols,
    scope_of,
)
from benchpin.code.accounting import NameAccount
from benchpin.code.names import Symbol
from benchpin.comments.shown import COMMENTS_TABLE, NO_COMMENTS, CommentsShown, comments_within
from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import AlsoNamed, Effect, PathArgument, Rare, tool
from benchpin.present import Column, Report, Table, View, location

from ._places import RarelyPlaceParams, reconciled, unresolved
from ._subjects import SymbolParams, open_code


class FindSymbolParams(SymbolParams, RarelyPlaceParams):
    """What to look for, and where."""

    symbol: Annotated[
        str, Field(min_length=1, max_length=500), AlsoNamed(("subject", "query", "name"))
    ]
    """Name or part of it, Class.method, path::name or path:line."""
    project_path: PathArgument[str] = "."
    """File or folder to search."""
    kind: Rare[SymbolKind | None] = None
    """Only symbols of this kind."""
    include_body: bool = False
    """Show the whole code; by default that of exact matches, within the budget."""


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
    accounts: list[NameAccount]
    """Every line that has the name, by what it is; none for a part of a name."""
    nearest: Annotated[str, Field(exclude_if=lambda it: not it)] = ""
    """The nearest names, if there is no symbol of this name."""
    comments: CommentsShown = NO_COMMENTS
    """Open comments on these symbols."""

    view = View["SymbolReport"](
        title="Symbols",
        headline=lambda it: [
            counted(it.total, "symbol") if it.total else "No symbol name contains this.",
            *(sentence for account in it.accounts for sentence in account.sentences()),
            *filter(None, [it.nearest]),
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
    index, text = open_code(bench, params.symbol)
    found = find_symbols(index, params.symbol, bench.job, kind=params.kind, folder=folder)
    wanted = [it for it in found if params.scope in {"all", scope_of(index, it.file, it.line)}]
    page = params.page(wanted)
    exact = [it for it in page.items if is_exact(index, it, params.symbol)]
    room = CodeRoom(params.budget)
    return SymbolReport(
        symbols=[
            describe(
                index,
                it,
                text,
                include_body=params.include_body,
                room=room if it in exact else None,
            )
            for it in page.items
        ],
        total=page.total,
        next_cursor=page.next_cursor,
        accounts=_accounts(params.symbol, exact, page.total, index, text, bench),
        nearest="" if found else near_symbols(index, params.symbol),
        comments=comments_within(bench, ((it.file, it.line, it.end_line) for it in page.items)),
        format=params.format,
    )


def _accounts(
    written: str,
    exact: Sequence[Symbol],
    total: int,
    index: CodeIndex,
    text: SourceText,
    bench: Bench,
) -> list[NameAccount]:
    """Return the account of the best match, or of a name that no symbol has."""
    if exact:
        return [account for account, _ in reconciled(index, exact[:1], text, bench)]
    return [] if total else [unresolved(index, written, bench)]
