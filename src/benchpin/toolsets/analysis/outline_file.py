"""Show the functions and types of a file or folder, with their measures."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from benchpin.comments.shown import COMMENTS_TABLE, NO_COMMENTS, CommentReader, CommentsShown, shown
from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.measures.complexity import FileOutline, OutlineSymbol, outline_of
from benchpin.present import MACHINE_FORMATS, Column, InnerTable, ListParams, Report, Table, View
from benchpin.workspace.walking import ScopeChoice

from ._selection import FilesSeen, ScopedParams, files_seen, nothing_measured, select

_CHARS_PER_TOKEN = 4
# The numbers before a declaration.
_ROW_CHARS = 20


class OutlineParams(ListParams, ScopedParams):
    """What to show and how."""

    public_only: bool = False
    """Only public symbols: what other files can use."""
    scope: Rare[ScopeChoice] = "all"
    """Which code."""
    budget: Rare[Annotated[int, Field(ge=100, le=100_000)]] = 6_000
    """Maximum number of tokens of symbols; the remaining files have one line each."""


def _title(outline: FileOutline) -> str:
    broken = "" if outline.error_line is None else f", does not parse at line {outline.error_line}"
    size = f"{outline.language}, {counted(outline.code_lines, 'line')} of code"
    return f"{outline.file}: {size}, maintainability {outline.maintainability_index:.0f}{broken}"


def _indented(symbol: OutlineSymbol) -> str:
    return "  " * symbol.name.count(".") + symbol.declaration


class OutlineReport(Report):
    """Files with their functions and types, in the order of paths and lines."""

    outlines: list[FileOutline]
    total: int
    next_cursor: str | None
    looked_at: FilesSeen
    cut: Annotated[int, Field(exclude_if=lambda it: not it)] = 0
    """Files whose symbols are beyond the budget."""
    comments: CommentsShown = NO_COMMENTS
    """Open comments in these files."""

    view = View["OutlineReport"](
        title="Outline",
        headline=lambda it: [counted(it.total, "file") if it.total else nothing_measured(it)],
        tables=(
            Table(
                rows=lambda it: it.outlines,
                columns=(Column("file"),),
                inner=InnerTable(
                    title=_title,
                    rows=lambda it: it.symbols,
                    columns=(
                        Column(
                            "lines",
                            lambda it: f"{it.line}-{it.end_line}",
                            parts=(Column("line"), Column("end_line")),
                        ),
                        Column("kind", is_detail=True),
                        Column("name", is_detail=True),
                        Column("cyclomatic"),
                        Column("cognitive"),
                        Column("code_lines", is_detail=True),
                        Column(
                            "declaration", _indented, is_code=True, parts=(Column("declaration"),)
                        ),
                    ),
                ),
            ),
            COMMENTS_TABLE,
        ),
        notes=lambda it: [*it.looked_at.to_lines(), *_cut(it)],
    )


def _cut(report: OutlineReport) -> list[str]:
    if not report.cut:
        return []
    return [f"{counted(report.cut, 'file')} without symbols: a larger budget shows them"]


def _within(outlines: Sequence[FileOutline], budget: int) -> list[FileOutline]:
    """Return outlines, without symbols from where the budget is used up; the first is whole."""
    found, left = list[FileOutline](), budget * _CHARS_PER_TOKEN
    for outline in outlines:
        left -= sum(len(it.declaration) + _ROW_CHARS for it in outline.symbols)
        found.append(outline if left >= 0 or not found else replace(outline, symbols=()))
    return found


@tool(
    title="Outline of a file",
    effect=Effect.READ,
    also=(
        "methods of a class, functions in a file, table of contents, signatures, members, "
        "symbols, structure of a module, list all methods with line numbers, what does this "
        "file define"
    ),
)
def outline_file(params: OutlineParams, bench: Bench) -> OutlineReport:
    """List the functions and types of a file or folder with signatures, lines and measures."""
    sources = select(params, bench).read()
    page = params.page(sources.files)
    comments = CommentReader(bench)
    outlines = [outline_of(file, public_only=params.public_only) for file in page.items]
    is_for_programs = params.format in MACHINE_FORMATS
    near = outlines if is_for_programs else _within(outlines, params.budget)
    return OutlineReport(
        outlines=near,
        cut=sum(len(one.symbols) > len(it.symbols) for one, it in zip(outlines, near, strict=True)),
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=files_seen(sources),
        comments=shown(it for file in page.items for it in comments.comments_in(file.path)),
        format=params.format,
    )
