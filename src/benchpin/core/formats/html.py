"""One HTML page for people: headline, pictures, tables that sort, notes; no other file."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from benchpin.core.page import figure, lines, page, table, text
from benchpin.core.view import Table

if TYPE_CHECKING:
    from benchpin.core.report import Report


def render(report: "Report") -> str:
    """Return the report with every column and every picture."""
    has_pictures = bool(report.drawn())
    return page(report.view.title, body(report), has_pictures=has_pictures)


def body(report: "Report") -> str:
    """Return what is in the page, for one that shows several reports."""
    return "\n".join(_parts(report))


def _parts(report: "Report") -> Iterator[str]:
    view = report.view
    yield f"<h1>{text(view.title)}</h1>"
    yield lines([*(it.text for it in report.warnings()), *view.headline(report)])
    yield from map(figure, report.drawn())
    for each in view.tables:
        yield from _table(each, report)
        if each is view.page and (footer := report.footer()):
            yield lines([footer], "faint")
    yield f'<div class="notes">{lines([*view.notes(report), report.assurance_line()])}</div>'


def _table(each: Table[Any, Any], report: "Report") -> Iterator[str]:
    rows = each.rows(report)
    if not rows:
        return
    if heading := each.heading(report):
        yield f"<h2>{text(heading)}</h2>"
    if each.inner is None:
        yield table(each.columns, rows)
        return
    for row in rows:
        yield f"<h3>{text(each.inner.title(row))}</h3>"
        yield table(each.inner.columns, each.inner.rows(row))
