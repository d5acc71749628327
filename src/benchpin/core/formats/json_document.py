"""The structured result as indented JSON."""

import json
from typing import TYPE_CHECKING

from benchpin.core.control_characters import visible

if TYPE_CHECKING:
    from benchpin.core.report import Report


def render(report: "Report") -> str:
    """Return what a client also gets as structured content."""
    document = report.model_dump(mode="json", by_alias=True)
    return visible(json.dumps(document, indent=2, ensure_ascii=False))
