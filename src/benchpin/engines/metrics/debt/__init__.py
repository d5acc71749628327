"""Technical debt that authors admit in comments: found, classified and rated."""

from ._categories import CATEGORIES, SEVERITIES, Category, Severity
from ._find import (
    MIN_CONFIDENCE,
    RULES,
    Debt,
    DebtItem,
    DebtSummary,
    FileDebt,
    as_finding,
    find_debt,
    summarize,
)
from ._verdict import Verdict, judge

__all__ = [
    "CATEGORIES",
    "MIN_CONFIDENCE",
    "RULES",
    "SEVERITIES",
    "Category",
    "Debt",
    "DebtItem",
    "DebtSummary",
    "FileDebt",
    "Severity",
    "Verdict",
    "as_finding",
    "find_debt",
    "judge",
    "summarize",
]
