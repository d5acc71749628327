"""Complexity of functions and files, and what follows from it: outline, maintainability, ease."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._complexity import (
        ERROR_FACTOR,
        RULES,
        SUMMARIES,
        Complexity,
        ComplexitySummary,
        ComplexityViolation,
        FileRank,
        FileSummary,
        Thresholds,
        as_finding,
        complexity_of,
        falling,
        find_violations,
        hours_to_fix,
        mean_ease,
        measure,
        over_threshold,
        rank_files,
        simplicity,
        summarize_file,
    )
    from ._outline import FileMeasures, FileOutline, OutlineSymbol, measure_file, outline_of

__all__ = [
    "ERROR_FACTOR",
    "RULES",
    "SUMMARIES",
    "Complexity",
    "ComplexitySummary",
    "ComplexityViolation",
    "FileMeasures",
    "FileOutline",
    "FileRank",
    "FileSummary",
    "OutlineSymbol",
    "Thresholds",
    "as_finding",
    "complexity_of",
    "falling",
    "find_violations",
    "hours_to_fix",
    "mean_ease",
    "measure",
    "measure_file",
    "outline_of",
    "over_threshold",
    "rank_files",
    "simplicity",
    "summarize_file",
]

__getattr__ = lazy(__name__)
