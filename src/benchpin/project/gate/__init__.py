"""The quality gate: thresholds, baselines of known violations, and what changed in a diff."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._changes import Changes, find_changes, ids_by_content
    from ._checks import GateCheck, GateTerms, GateViolation, Status, check_project
    from ._measures import DEFAULTS, MEASURES, bad_threshold, unknown_threshold

__all__ = [
    "DEFAULTS",
    "MEASURES",
    "Changes",
    "GateCheck",
    "GateTerms",
    "GateViolation",
    "Status",
    "bad_threshold",
    "check_project",
    "find_changes",
    "ids_by_content",
    "unknown_threshold",
]

__getattr__ = lazy(
    __name__,
    """
    _changes: Changes find_changes ids_by_content
    _checks: GateCheck GateTerms GateViolation Status check_project
    _measures: DEFAULTS MEASURES bad_threshold unknown_threshold
    """,
)
