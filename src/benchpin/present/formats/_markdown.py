"""Markdown for documents and pull requests: the headline as a list, one table for each table."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchpin.core.text import plain
from benchpin.present import Column, filled

if TYPE_CHECKING:
    from benchpin.present import Report


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


def _table(columns: Sequence[Column[Any]], rows: Sequence[object]) -> Iterator[str]:
    used = filled(columns, rows)
    if not used:
        return
    yield ""
    yield f"| {' | '.join(column.title for column in used)} |"
    yield "|" + " --- |" * len(used)
    for row in rows:
        yield f"| {' | '.join(_escaped(it.shown(row)) for it in used)} |"


def _escaped(text: str) -> str:
    """Return a text that neither ends its cell nor becomes markup."""
    return plain(text).replace("|", "\\|").replace("<", "&lt;").replace("`", "\\`")
