"""Technical debt that authors admit in comments: found, classified and rated."""

from ._categories import CATEGORIES, SEVERITIES, Category, Severity
from ._find import (
    RULES,
    Debt,
    DebtItem,
    DebtSummary,
    FileDebt,
    as_finding,
    find_debt,
    summarize,
)
from ._tagged import TaggedComment, find_tagged
from ._verdict import MIN_CONFIDENCE, DebtVerdict, judge

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
    "TaggedComment",
    "as_finding",
    "find_debt",
    "find_tagged",
    "judge",
    "summarize",
]
