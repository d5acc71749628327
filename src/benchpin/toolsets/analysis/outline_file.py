"""Show the functions and types of a file or folder, with their measures."""

from benchpin.comments.shown import COMMENTS_TABLE, NO_COMMENTS, CommentReader, CommentsShown, shown
from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, tool
from benchpin.measures.complexity import FileOutline, OutlineSymbol, outline_of
from benchpin.present import Column, InnerTable, ListParams, Report, Table, View

from ._selection import FilesSeen, SelectionParams, files_seen, nothing_measured, select


class OutlineParams(ListParams, SelectionParams):
    """What to show and how."""

    public_only: bool = False
    """Only what other files can use."""


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
                        Column("declaration", _indented, parts=(Column("declaration"),)),
                    ),
                ),
            ),
            COMMENTS_TABLE,
        ),
        notes=lambda it: it.looked_at.to_lines(),
    )


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
    """List the functions and types of a file or folder with signatures, line ranges and measures.

    Use it before you read unknown code.
    """
    sources = select(params, bench).read()
    page = params.page(sources.files)
    comments = CommentReader(bench)
    return OutlineReport(
        outlines=[outline_of(file, public_only=params.public_only) for file in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=files_seen(sources),
        comments=shown(it for file in page.items for it in comments.comments_in(file.path)),
        format=params.format,
    )
