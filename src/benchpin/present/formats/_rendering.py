"""Reports in every format, rendered from the view that a report declares.

To add a format, write a module with `render(report) -> str` and name it in `MODULES`. A module is
imported when its format is first asked for. JSON, CSV and pictures need a few lines each, below.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from benchpin.core.text import json_text, visible

if TYPE_CHECKING:
    from benchpin.present import Column, Report

# The module of each format; what has none is written here.
MODULES: Mapping[str, str] = {
    "summary": "text",
    "full": "text",
    "detailed": "text",
    "markdown": "markdown",
    "sarif": "sarif",
    "junit": "junit",
    "html": "html",
}

# The MIME types of formats, also of those that only one tool has; the others are plain text.
MIME_TYPES: Mapping[str, str] = {
    "json": "application/json",
    "csv": "text/csv",
    "markdown": "text/markdown",
    "sarif": "application/sarif+json",
    "junit": "application/xml",
    "html": "text/html",
    "svg": "image/svg+xml",
    "png": "image/png",
    "graphml": "application/graphml+xml",
    "mermaid": "text/vnd.mermaid",
    "dot": "text/vnd.graphviz",
}


def render(report: "Report") -> str:
    if write := _WRITERS.get(report.format):
        return write(report)
    module = import_module(f"{__package__}._{MODULES[report.format]}")
    return cast("str", module.render(report))


def _json(report: "Report") -> str:
    """Return what a client also gets as structured content."""
    document = report.model_dump(mode="json", by_alias=True)
    return visible(json_text(document, indent=2))


def _png(report: "Report") -> str:
    """Return what one sees in the picture, and its form as text; `Report.image` is the image."""
    drawn = report.chosen_picture()
    picture = next(it for it in report.view.pictures if it.name == drawn.name)
    return "\n".join([drawn.title, drawn.alt, *picture.text(drawn.rows)])


def _csv(report: "Report") -> str:
    """Return a header and one record for each row, or for each row inside a row."""
    table = report.view.page
    columns, inner = _csv_columns(table.columns), table.inner
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    inner_columns = _csv_columns(inner.columns) if inner is not None else []
    writer.writerow([column.name for column in (*columns, *inner_columns)])
    for row in table.rows(report):
        cells = [column.cell(row) for column in columns]
        if inner is None:
            writer.writerow(cells)
        else:
            writer.writerows(
                [*cells, *(column.cell(it) for column in inner_columns)] for it in inner.rows(row)
            )
    return page.getvalue()


def _csv_columns(columns: "Sequence[Column[Any]]") -> "list[Column[Any]]":
    return [part for column in columns for part in (column.parts or (column,))]


_WRITERS: Mapping[str, Callable[["Report"], str]] = {
    "json": _json,
    "csv": _csv,
    "svg": lambda report: report.svg(),
    "png": _png,
}
