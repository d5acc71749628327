"""Why a hot function is slow: what its source repeats, with the evidence of the profile."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._call_graph import FunctionKey, ProfileGraph
    from ._causes import Cause, HotCode, busiest, find_causes
    from ._rules import CauseKind

__all__ = ["Cause", "CauseKind", "FunctionKey", "HotCode", "ProfileGraph", "busiest", "find_causes"]

__getattr__ = lazy(__name__)
