"""What a careful reviewer would say about a change."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._checks import review
    from ._state import LEVELS, RULES, Remark, ReviewState, as_finding
    from ._tests import TestCase, cases_of

__all__ = [
    "LEVELS",
    "RULES",
    "Remark",
    "ReviewState",
    "TestCase",
    "as_finding",
    "cases_of",
    "review",
]

__getattr__ = lazy(__name__)
