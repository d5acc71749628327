"""The structured result as indented JSON."""

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchpin.core.report import Report


def render(report: "Report") -> str:
    """Return what a client also gets as structured content."""
    return json.dumps(report.model_dump(mode="json", by_alias=True), indent=2, ensure_ascii=False)
