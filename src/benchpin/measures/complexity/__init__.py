"""Complexity of functions and files, and what follows from it: outline, maintainability, ease."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._complexity import (
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
        find_violations,
        hours_by_function,
        hours_to_fix,
        mean_ease,
        measure,
        over_threshold,
        rank_files,
        simplicity,
        summarize_file,
    )
    from ._outline import (
        FileMeasures,
        FileOutline,
        OutlineSymbol,
        measure_file,
        outline_of,
        total_cognitive,
    )

__all__ = [
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
    "find_violations",
    "hours_by_function",
    "hours_to_fix",
    "mean_ease",
    "measure",
    "measure_file",
    "outline_of",
    "over_threshold",
    "rank_files",
    "simplicity",
    "summarize_file",
    "total_cognitive",
]

__getattr__ = lazy(__name__)
