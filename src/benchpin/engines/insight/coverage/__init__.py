"""How much of each file the tests ran, from the reports that test runs leave behind."""

from .contents import Coverage, Unit, share_of, share_of_all
from .report import CoverageReport, ReportFile, UnusedReport, find_reports, read_reports

__all__ = [
    "Coverage",
    "CoverageReport",
    "ReportFile",
    "Unit",
    "UnusedReport",
    "find_reports",
    "read_reports",
    "share_of",
    "share_of_all",
]
