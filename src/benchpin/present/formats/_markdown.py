"""Markdown for documents and pull requests: the headline as a list, one table for each table."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchpin.core.text import plain
from benchpin.present import Column, filled, is_numeric

if TYPE_CHECKING:
    from benchpin.present import Report

_MAX_CODE = 160
_MAX_TEXT = 1000
_SPECIAL = frozenset("\\`*_<>[]|#~$")


def render(report: "Report") -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: "Report") -> Iterator[str]:
    view = report.view
    yield f"# {view.title}"
    yield ""
    yield from (f"- {_escaped(line)}" for line in view.headline(report) if line)
    for table in view.tables:
        rows = table.rows(report)
        if rows:
            yield ""
            yield f"## {_escaped(table.heading(report) or view.title)}"
            if table.inner is None:
                yield from _table(table.columns, rows)
            else:
                for row in rows:
                    yield ""
                    yield f"### {_escaped(table.inner.title(row))}"
                    yield from _table(table.inner.columns, table.inner.rows(row))
        if table is view.page and (footer := report.footer()):
            yield ""
            yield footer
    notes = [note for note in (*view.notes(report), report.assurance_line()) if note]
    if notes:
        yield ""
        yield from (f"- {_escaped(note)}" for note in notes)


def table_lines(
    columns: Sequence[Column[Any]],
    rows: Sequence[object],
    cell: Callable[[Column[Any], Any], str],
    *,
    is_aligned: bool = False,
) -> Iterator[str]:
    """Yield the lines of a table; if it is aligned, numbers are on the right."""
    right = [is_aligned and is_numeric(it.cell(row) for row in rows) for it in columns]
    yield f"| {' | '.join(column.title for column in columns)} |"
    yield f"| {' | '.join('---:' if it else '---' for it in right)} |"
    for row in rows:
        yield f"| {' | '.join(cell(it, row) for it in columns)} |"


def _table(columns: Sequence[Column[Any]], rows: Sequence[object]) -> Iterator[str]:
    if used := filled(columns, rows):
        yield ""
        yield from table_lines(used, rows, _cell)


def _cell(column: Column[Any], row: object) -> str:
    return code(str(column.cell(row))) if column.is_code else _escaped(column.shown(row))


def code(text: str, limit: int = _MAX_CODE) -> str:
    """Return text of a file as code, so that it cannot become Markdown or end a cell."""
    one_line = on_one_line(text, limit).replace("|", "\\|")
    # CommonMark §6.1: code is fenced by more backticks than it contains in a row
    longest = max((len(run) for run in re.findall("`+", one_line)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {one_line} {fence}" if longest else f"`{one_line}`"


def escaped(text: str) -> str:
    """Return text with every character escaped that means something in Markdown."""
    return "".join(f"\\{it}" if it in _SPECIAL else it for it in on_one_line(text, _MAX_TEXT))


def on_one_line(text: str, limit: int) -> str:
    one_line = plain(" ".join(text.split()))
    return one_line if len(one_line) <= limit else one_line[: limit - 1] + "…"


def _escaped(text: str) -> str:
    """Return a text that neither ends its cell nor becomes markup."""
    return plain(text).replace("|", "\\|").replace("<", "&lt;").replace("`", "\\`")
