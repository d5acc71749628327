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
from ._verdict import DebtVerdict, judge

__all__ = [
    "CATEGORIES",
    "MIN_CONFIDENCE",
    "RULES",
    "SEVERITIES",
    "Category",
    "Debt",
    "DebtItem",
    "DebtSummary",
    "DebtVerdict",
    "FileDebt",
    "Severity",
    "as_finding",
    "find_debt",
    "judge",
    "summarize",
]
