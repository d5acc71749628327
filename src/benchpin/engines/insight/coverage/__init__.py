"""How much of each file the tests ran, from the reports that test runs leave behind."""

from .model import Coverage, Unit
from .report import CoverageReport, Problem, find_coverage

__all__ = ["Coverage", "CoverageReport", "Problem", "Unit", "find_coverage"]
