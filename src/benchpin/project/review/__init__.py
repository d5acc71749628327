"""What a careful reviewer would say about a change."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._checks import review
    from ._state import LEVELS, RULES, Remark, ReviewState, as_finding

__all__ = ["LEVELS", "RULES", "Remark", "ReviewState", "as_finding", "review"]

__getattr__ = lazy(__name__)
