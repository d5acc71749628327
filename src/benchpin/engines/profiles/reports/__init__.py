"""Write what an analysis found: Markdown, JSON and one HTML page that needs nothing else."""

from .report import FlameGraph, Report, make_report

__all__ = ["FlameGraph", "Report", "make_report"]
