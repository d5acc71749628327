"""The structured result as indented JSON."""

from typing import TYPE_CHECKING

from benchpin.core.text import json_text, visible

if TYPE_CHECKING:
    from benchpin.present import Report


def render(report: "Report") -> str:
    """Return what a client also gets as structured content."""
    document = report.model_dump(mode="json", by_alias=True)
    return visible(json_text(document, indent=2))
