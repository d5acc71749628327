"""Plain text for a model or a person at a terminal: headline, aligned tables, notes, cursor."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchpin.core.text import PLAIN, TextStyle, plain, width_of
from benchpin.present import Column, InnerTable, Table, filled, is_numeric, show_cell

if TYPE_CHECKING:
    from benchpin.present import Report


def render(report: "Report") -> str:
    """Return the headline and the page; full text adds columns, tables and details."""
    return "\n".join(_lines(report, is_full=report.format != "summary"))


def _lines(report: "Report", *, is_full: bool) -> Iterator[str]:
    view = report.view
    yield from view.headline(report)
    for table in view.tables:
        if is_full or not table.is_detail:
            yield from _table(table, report, is_full=is_full)
        if table is view.page and (footer := report.footer()):
            yield footer
    yield from view.notes(report)
    yield from filter(None, [report.assurance_line()])


def _table(table: Table[Any, Any], report: "Report", *, is_full: bool) -> Iterator[str]:
    rows = table.rows(report)
    if not rows:
        return
    yield ""
    if heading := table.heading(report):
        yield heading
    if table.entry is not None:
        for number, row in enumerate(rows, start=1):
            yield from ([""] if heading or number > 1 else ())
            yield from table.entry(report, number, row)
        yield from ([""] if report.footer() else ())
        return
    if table.inner is not None:
        for row in rows:
            yield from _inner(table.inner, row, report.text_style, is_full=is_full)
        return
    shown = rows if is_full else rows[: table.summary_rows]
    header, *lines = align(_chosen(table.columns, shown, is_full=is_full), shown, report.text_style)
    yield header
    for row, line in zip(shown, lines, strict=True):
        yield line
        if is_full:
            yield from (f"  {it.shown(row)}" for it in table.columns if it.is_below)
            yield from (f"  {it}" for it in (table.below(row) if table.below is not None else ()))
    if len(shown) < len(rows):
        cut = f"{len(shown):,} of {len(rows):,}; format=full shows the rest"
        yield report.text_style.hint(cut)


def _inner(
    table: InnerTable[Any, Any], outer: object, style: TextStyle, *, is_full: bool
) -> Iterator[str]:
    yield plain(table.title(outer))
    rows = table.rows(outer)
    if not rows:
        return
    shown = rows if is_full else rows[: table.summary_rows]
    columns = _chosen(table.columns, shown, is_full=is_full)
    header, *lines = align(columns, shown, style)
    # A lone column, such as a list of places, is understood without a heading.
    yield from (f"  {line}" for line in (lines if len(columns) == 1 else [header, *lines]))
    if len(shown) < len(rows):
        yield f"  and {len(rows) - len(shown):,} more"


def _chosen(
    columns: Sequence[Column[Any]], rows: Sequence[object], *, is_full: bool
) -> list[Column[Any]]:
    return filled([it for it in columns if not it.is_below and (is_full or not it.is_detail)], rows)


def align(
    columns: Sequence[Column[Any]], rows: Sequence[object], style: TextStyle = PLAIN
) -> list[str]:
    """Return a header and a line for each row; numbers are aligned to the right."""
    cells = [[column.cell(row) for column in columns] for row in rows]
    texts = [
        [
            show_cell(cell, column.spec) if column.show is None else column.shown(row)
            for cell, column in zip(line, columns, strict=True)
        ]
        for row, line in zip(rows, cells, strict=True)
    ]
    titles = [column.title for column in columns]
    is_number = list(map(is_numeric, zip(*cells, strict=True)))
    widths = [max(map(width_of, column)) for column in zip(titles, *texts, strict=True)]

    def padded(line: Sequence[str], *, is_marked: bool) -> str:
        shown = []
        for text, column, width, right in zip(line, columns, widths, is_number, strict=True):
            space = " " * (width - width_of(text))
            marked = style.severity(text, text) if is_marked and column.is_severity else text
            shown.append(space + marked if right else marked + space)
        return "  ".join(shown).rstrip()

    header = padded(titles, is_marked=False)
    return [header, *(padded(line, is_marked=True) for line in texts)]
