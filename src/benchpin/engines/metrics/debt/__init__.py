"""Technical debt that authors admit in comments: found, classified and rated."""

from ._categories import CATEGORIES, SEVERITIES, Category, Severity
from ._find import (
    RULES,
    Debt,
    DebtItem,
    DebtSummary,
    FileDebt,
    as_finding,
    debt_by_file,
    find_debt,
    join_debt,
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
    "debt_by_file",
    "find_debt",
    "find_tagged",
    "join_debt",
    "judge",
    "summarize",
]
