"""What a careful reviewer would say about a change."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._checks import review
    from ._measured import check_copies
    from ._state import (
        LEVELS,
        NO_TYPES,
        RULES,
        ReviewFinding,
        ReviewState,
        as_finding,
        finding_at,
        in_order,
        last_part,
    )
    from ._tests import TestCase, cases_of

__all__ = [
    "LEVELS",
    "NO_TYPES",
    "RULES",
    "ReviewFinding",
    "ReviewState",
    "TestCase",
    "as_finding",
    "cases_of",
    "check_copies",
    "finding_at",
    "in_order",
    "last_part",
    "review",
]

__getattr__ = lazy(__name__)
