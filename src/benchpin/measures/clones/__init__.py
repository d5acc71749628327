"""Duplicated code: exact, renamed, gapped and semantic clones."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._copies import Minimum
    from ._detection import (
        DetectionType,
        DuplicateOptions,
        Duplicates,
        DuplicateSummary,
        SearchMemory,
        find_duplicates,
    )
    from ._device import Device, NoDevice
    from ._grouping import RULES, CloneGroup, Fragment, LineSpan, findings
    from ._overview import ALL, FileDuplication

__all__ = [
    "ALL",
    "RULES",
    "CloneGroup",
    "DetectionType",
    "Device",
    "DuplicateOptions",
    "DuplicateSummary",
    "Duplicates",
    "FileDuplication",
    "Fragment",
    "LineSpan",
    "Minimum",
    "NoDevice",
    "SearchMemory",
    "find_duplicates",
    "findings",
]

__getattr__ = lazy(__name__)
