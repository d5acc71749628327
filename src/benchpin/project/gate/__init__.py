"""The quality gate: thresholds, baselines of known violations, and what changed in a diff."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._checks import Gate, GateCheck, GateTerms, GateViolation, Status, check_project
    from ._measures import DEFAULTS, MEASURES, bad_threshold, choose_thresholds, unknown_threshold
    from ._values import ChangedLines, find_changes

__all__ = [
    "DEFAULTS",
    "MEASURES",
    "ChangedLines",
    "Gate",
    "GateCheck",
    "GateTerms",
    "GateViolation",
    "Status",
    "bad_threshold",
    "check_project",
    "choose_thresholds",
    "find_changes",
    "unknown_threshold",
]

__getattr__ = lazy(__name__)
