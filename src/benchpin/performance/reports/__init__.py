"""Write an analysis as Markdown, JSON and one self-contained HTML page."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._report import make_report

__all__ = ["make_report"]

__getattr__ = lazy(
    __name__,
    """
    _report: make_report
    """,
)
