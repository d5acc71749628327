"""Reports in every format, one module each, rendered from the view that a report declares.

To add a format, write a module with `render(report) -> str` and name it in `MODULES`. A module is
imported when its format is first asked for.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from benchpin.present import Report

MODULES: Mapping[str, str] = {
    "summary": "text",
    "full": "text",
    "detailed": "text",
    "json": "json_document",
    "csv": "csv_table",
    "markdown": "markdown",
    "sarif": "sarif",
    "junit": "junit",
    "html": "html",
    "svg": "svg",
    "png": "png",
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
    """Return a report in the format that it was asked for."""
    module = import_module(f"{__package__}._{MODULES[report.format]}")
    return cast("str", module.render(report))
