"""One HTML page for people: headline, pictures, tables that sort, notes; no other file."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchpin.present import Column, Table
from benchpin.present.page import Link, figure, lines, no_link, page, table, text

if TYPE_CHECKING:
    from benchpin.present import Report

_SCOPE = "scope: "
# Groups of rows that a page shows open; those after them are folded.
_OPEN_GROUPS = 10
_HOW = "How this was measured"


def render(report: "Report") -> str:
    sections = report.sections()
    return page(
        report.view.title,
        body(report),
        styles=[*dict.fromkeys(it.style for it in sections if it.style)],
        scripts=[*dict.fromkeys(it.script for it in sections if it.script)],
        has_pictures=bool(report.drawn()),
    )


def body(report: "Report") -> str:
    """Return what is in the page, for one that shows several reports."""
    return f"<h1>{text(report.view.title)}</h1>\n{content(report)}"


def content(
    report: "Report", *, link: Link = no_link, is_full: bool = True, has_pictures: bool = True
) -> str:
    """Return the answer, pictures, tables, passages; then how it was measured, folded."""
    drawings = [*map(figure, report.drawn())] if has_pictures else []
    return "\n".join(_parts(report, link, drawings, is_full=is_full))


def _parts(
    report: "Report", link: Link, drawings: Sequence[str], *, is_full: bool
) -> Iterator[str]:
    view = report.view
    answer, *statistics = [*view.headline(report)] or [""]
    notes = [*view.notes(report), report.assurance_line()]
    # A number without what it is about misleads: the scope is beside it.
    scope = [it for it in notes if it.startswith(_SCOPE)]
    yield lines([*(it.text for it in report.warnings()), answer])
    yield lines((it.removeprefix(_SCOPE) for it in scope), "scope")
    yield from drawings
    for each in view.tables:
        if is_full or not each.is_detail:
            yield from _table(each, report, link, is_full=is_full)
        if is_full and each is view.page and (footer := report.footer()):
            yield lines([footer], "faint")
    yield from (it.html for it in report.sections())
    if measured := lines(it for it in (*statistics, *notes) if it not in scope):
        yield f'<details class="notes"><summary>{_HOW}</summary>{measured}</details>'


def _table(each: Table[Any, Any], report: "Report", link: Link, *, is_full: bool) -> Iterator[str]:
    rows = each.rows(report)
    if not rows:
        return
    if heading := each.heading(report):
        yield f"<h2>{text(heading)}</h2>"
    if each.inner is None:
        yield table(_chosen(each.columns, is_full=is_full), rows, link=link)
        return
    inner = each.inner
    for at, row in enumerate(rows):
        title = text(inner.title(row))
        shown = table(_chosen(inner.columns, is_full=is_full), inner.rows(row), link=link)
        # A page of hundreds of groups is not read to its end; each can be opened.
        is_open = at < _OPEN_GROUPS
        yield f"<h3>{title}</h3>" if is_open else f"<details><summary>{title}</summary>"
        yield shown if is_open else f"{shown}</details>"


def _chosen(columns: Sequence[Column[Any]], *, is_full: bool) -> Sequence[Column[Any]]:
    return [it for it in columns if is_full or not (it.is_detail or it.is_below)]
