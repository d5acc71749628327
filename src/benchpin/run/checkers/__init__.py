"""The checkers that a project uses itself: what they say about a change."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._checkers import (
        CHECKERS,
        GRADUAL_CHECKERS,
        TYPE_CHECKERS,
        Checker,
        CheckerMessage,
        CheckerRun,
        find_checkers,
        new_messages,
        run_checkers,
    )

__all__ = [
    "CHECKERS",
    "GRADUAL_CHECKERS",
    "TYPE_CHECKERS",
    "Checker",
    "CheckerMessage",
    "CheckerRun",
    "find_checkers",
    "new_messages",
    "run_checkers",
]

__getattr__ = lazy(__name__)
