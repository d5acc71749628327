"""Markdown for documents and pull requests: the headline as a list, one table for each table."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchpin.core.printable import plain

if TYPE_CHECKING:
    from benchpin.core.report import Report


def render(report: "Report") -> str:
    """Return the report with every column."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: "Report") -> Iterator[str]:
    view = report.view
    yield f"# {view.title}"
    yield ""
    yield from (f"- {_escaped(line)}" for line in view.headline(report) if line)
    for position, table in enumerate(view.tables):
        rows = table.rows(report)
        if rows:
            yield ""
            yield f"## {_escaped(table.heading(report) or view.title)}"
            yield ""
            yield f"| {' | '.join(column.title for column in table.columns)} |"
            yield "|" + " --- |" * len(table.columns)
            for row in rows:
                yield f"| {' | '.join(_escaped(it.shown(row)) for it in table.columns)} |"
        if position == 0 and (footer := report.footer()):
            yield ""
            yield footer
    notes = list(view.notes(report))
    if notes:
        yield ""
        yield from (f"- {_escaped(note)}" for note in notes)


def _escaped(text: str) -> str:
    """Return a text that neither ends its cell nor becomes markup."""
    return plain(text).replace("|", "\\|").replace("<", "&lt;")
