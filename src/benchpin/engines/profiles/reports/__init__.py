"""Write what an analysis found: Markdown, JSON and one HTML page that needs nothing else."""

from .flames import FlameGraph
from .report import Report, make_report

__all__ = ["FlameGraph", "Report", "make_report"]
