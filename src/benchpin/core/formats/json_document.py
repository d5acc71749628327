"""The structured result as indented JSON."""

from typing import TYPE_CHECKING

from benchpin.core.control_characters import visible
from benchpin.core.json_text import json_text

if TYPE_CHECKING:
    from benchpin.core.report import Report


def render(report: "Report") -> str:
    """Return what a client also gets as structured content."""
    document = report.model_dump(mode="json", by_alias=True)
    return visible(json_text(document, indent=2))
