"""Duplicated code: exact, renamed, gapped and semantic clones."""

from .copies import Minimum
from .detection import (
    DetectionType,
    DuplicateOptions,
    Duplicates,
    DuplicateSummary,
    Phase,
    find_duplicates,
)
from .device import Device, NoDevice
from .grouping import RULES, CloneGroup, CloneType, Fragment, LineSpan, findings
from .overview import ALL, FileDuplication
from .search_memory import SearchMemory

__all__ = [
    "ALL",
    "RULES",
    "CloneGroup",
    "CloneType",
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
    "Phase",
    "SearchMemory",
    "find_duplicates",
    "findings",
]
