"""Technical debt that authors admit in comments: found, classified and rated."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._cues import SEVERITIES, Category, Severity
    from ._find import (
        FILE_DEBT,
        RULES,
        Debt,
        DebtItem,
        DebtSummary,
        TaggedComment,
        as_finding,
        find_debt,
        find_tagged,
        join_debt,
        summarize,
    )
    from ._verdict import MIN_CONFIDENCE

__all__ = [
    "FILE_DEBT",
    "MIN_CONFIDENCE",
    "RULES",
    "SEVERITIES",
    "Category",
    "Debt",
    "DebtItem",
    "DebtSummary",
    "Severity",
    "TaggedComment",
    "as_finding",
    "find_debt",
    "find_tagged",
    "join_debt",
    "summarize",
]

__getattr__ = lazy(__name__)
