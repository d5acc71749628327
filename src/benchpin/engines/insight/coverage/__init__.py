"""How much of each file the tests ran, from the reports that test runs leave behind."""

from .model import UNITS, Coverage, Unit, share_of_all
from .report import (
    Candidate,
    CoverageReport,
    Problem,
    ReportRead,
    find_reports,
    read_reports,
)

__all__ = [
    "UNITS",
    "Candidate",
    "Coverage",
    "CoverageReport",
    "Problem",
    "ReportRead",
    "Unit",
    "find_reports",
    "read_reports",
    "share_of_all",
]
