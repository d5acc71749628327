"""Debt that authors admit in comments: found, judged and put into categories."""

from ._categories import CATEGORIES, SEVERITIES, Category, Severity
from ._find import MIN_CONFIDENCE, Debt, DebtItem, DebtSummary, FileDebt, find_debt, summarize
from ._verdict import Verdict, judge

__all__ = [
    "CATEGORIES",
    "MIN_CONFIDENCE",
    "SEVERITIES",
    "Category",
    "Debt",
    "DebtItem",
    "DebtSummary",
    "FileDebt",
    "Severity",
    "Verdict",
    "find_debt",
    "judge",
    "summarize",
]
