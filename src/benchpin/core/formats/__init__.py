"""Reports in every format, one module each, rendered from the view that a report declares.

To add a format, write a module with `render(report) -> str` and name it in `MODULES`. A module is
imported when its format is first asked for.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from benchpin.core.report import Report

MODULES: Mapping[str, str] = {
    "summary": "text",
    "full": "text",
    "detailed": "text",
    "json": "json_document",
    "csv": "csv_table",
    "markdown": "markdown",
    "sarif": "sarif",
    "junit": "junit",
}


def render(report: "Report") -> str:
    """Return a report in the format that it was asked for."""
    module = import_module(f"{__name__}.{MODULES[report.format]}")
    return cast("str", module.render(report))
