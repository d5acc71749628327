"""Plain text for a model or a person at a terminal: headline, aligned tables, notes, cursor."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchpin.core.view import Column, Table

if TYPE_CHECKING:
    from benchpin.core.report import Report


def render(report: "Report") -> str:
    """Return the headline and the page; full text adds columns, tables and details."""
    return "\n".join(_lines(report, is_full=report.format != "summary"))


def _lines(report: "Report", *, is_full: bool) -> Iterator[str]:
    view = report.view
    yield from view.headline(report)
    for position, table in enumerate(view.tables):
        if is_full or not table.is_detail:
            yield from _table(table, report, is_full=is_full)
        if position == 0 and (footer := report.footer()):
            yield footer
    yield from view.notes(report)


def _table(table: Table[Any, Any], report: "Report", *, is_full: bool) -> Iterator[str]:
    rows = table.rows(report)
    if not rows:
        return
    yield ""
    if heading := table.heading(report):
        yield heading
    columns = [it for it in table.columns if is_full or not it.is_detail]
    header, *lines = align(columns, rows)
    yield header
    for row, line in zip(rows, lines, strict=True):
        yield line
        if is_full and table.below is not None:
            yield from (f"  {it}" for it in table.below(row))


def align(columns: Sequence[Column[Any]], rows: Sequence[object]) -> list[str]:
    """Return a header and a line for each row; numbers are aligned to the right."""
    texts = [[column.shown(row) for column in columns] for row in rows]
    is_number = [
        all(cell is None or isinstance(cell, int | float) for cell in map(column.cell, rows))
        for column in columns
    ]
    titles = [column.title for column in columns]
    widths = [max(map(len, column)) for column in zip(titles, *texts, strict=True)]
    return [
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, is_number, strict=True)
        ).rstrip()
        for line in [titles, *texts]
    ]
