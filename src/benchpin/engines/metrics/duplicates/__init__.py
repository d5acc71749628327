"""Find code that stands more than once: exact, renamed, gapped and semantic clones."""

from .copies import Minimum
from .grouping import RULES, CloneGroup, CloneType, Fragment, LineSpan, findings
from .report import (
    ALL,
    DetectionType,
    DuplicateOptions,
    Duplicates,
    DuplicateSummary,
    FileDuplication,
    Phase,
    find_duplicates,
)

__all__ = [
    "ALL",
    "RULES",
    "CloneGroup",
    "CloneType",
    "DetectionType",
    "DuplicateOptions",
    "DuplicateSummary",
    "Duplicates",
    "FileDuplication",
    "Fragment",
    "LineSpan",
    "Minimum",
    "Phase",
    "find_duplicates",
    "findings",
]
