"""What reports add up of each file, a fact by file.

To go through the functions of all files takes a large part of a second in a large project; to add
up what is known of each file takes some milliseconds.
"""

from collections.abc import Collection
from itertools import chain

import msgspec

from benchpin.facts import FileFacts
from benchpin.facts.derived import FileFact

from ._complexity import (
    Complexity,
    ComplexityViolation,
    Thresholds,
    add_up,
    find_violations,
    weighted_ease,
    worst_first,
)
from ._outline import measure_file


class FileSummary(msgspec.Struct, frozen=True, gc=False):
    """One file; the values of functions are in their order."""

    lines: int
    code_lines: int
    types: int
    cyclomatic: tuple[int, ...]
    cognitive: tuple[int, ...]
    outer_cognitive: int
    """Of the code outside any function."""
    function_lines: int
    """The lines of code of all functions."""
    ease: tuple[float, ...]
    """How easy each function is to follow, times its lines of code."""
    maintainability: float
    violations: tuple[ComplexityViolation, ...]
    """The functions over the usual thresholds, the worst first."""


def summarize_file(file: FileFacts) -> FileSummary:
    """Return the summary of a file."""
    outline = file.outline
    functions = outline.functions
    return FileSummary(
        outline.lines,
        outline.code_lines,
        len(outline.types),
        tuple(it.cyclomatic for it in functions),
        tuple(it.cognitive for it in functions),
        outline.cognitive,
        sum(it.code_lines for it in functions),
        tuple(map(weighted_ease, functions)),
        measure_file(outline).maintainability_index,
        tuple(find_violations([file], Thresholds())),
    )


def complexity_of(files: Collection[FileSummary]) -> Complexity:
    """Return the functions over the usual thresholds, and totals."""
    violations = worst_first(chain.from_iterable(it.violations for it in files))
    totals = add_up(
        len(files),
        chain.from_iterable(it.cyclomatic for it in files),
        chain.from_iterable(it.cognitive for it in files),
        violations,
    )
    return Complexity(violations, totals)


SUMMARIES = FileFact[None, FileSummary](
    f"{__name__}:SUMMARIES",
    FileSummary,
    lambda file, _option: summarize_file(file),
    has_path=True,  # of the violations
)
