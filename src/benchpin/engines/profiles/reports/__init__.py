"""Write an analysis as Markdown, JSON and one self-contained HTML page."""

from .report import Report, make_report

__all__ = ["Report", "make_report"]
