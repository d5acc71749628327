"""One picture of a report as an SVG document."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchpin.present import Report


def render(report: "Report") -> str:
    """Return the picture that was asked for."""
    return report.svg()
