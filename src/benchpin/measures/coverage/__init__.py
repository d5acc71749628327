"""How much of each file the tests ran, from the reports that test runs leave behind."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._contents import DamagedReport, FileCoverage, Unit, lines_that_ran, share_of, share_of_all
    from ._database import contexts_of
    from ._report import CoverageReport, ReportFile, find_reports, read_reports

__all__ = [
    "CoverageReport",
    "DamagedReport",
    "FileCoverage",
    "ReportFile",
    "Unit",
    "contexts_of",
    "find_reports",
    "lines_that_ran",
    "read_reports",
    "share_of",
    "share_of_all",
]

__getattr__ = lazy(__name__)
