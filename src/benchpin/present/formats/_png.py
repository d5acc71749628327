"""What is said about one picture of a report; the image itself is `Report.image`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchpin.present import Report


def render(report: "Report") -> str:
    """Return what one sees in the picture, and its form as text."""
    drawn = report.chosen_picture()
    picture = next(it for it in report.view.pictures if it.name == drawn.name)
    return "\n".join([drawn.title, drawn.alt, *picture.text(drawn.rows)])
