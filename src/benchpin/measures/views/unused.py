"""How unused code is shown."""

from collections.abc import Iterator
from typing import Any

from benchpin.core.text import counted
from benchpin.measures.unused import DeadCodeSummary, DeadItem, FileShare, as_finding
from benchpin.present import Column, Table, location

ITEMS: Table[Any, DeadItem] = Table(
    rows=lambda it: it.items,
    columns=(
        Column("confidence", spec=".2f"),
        Column("status", is_detail=True),
        Column("kind", lambda it: it.label),
        Column("name"),
        location(end_line="end_line"),
        Column("lines"),
        Column("reason", is_below=True),
    ),
    title="Dead code, highest confidence first",
    findings=lambda it: [as_finding(it)],
)
ITEMS_IN_BRIEF = ITEMS.brief(
    "Dead code", "confidence", "kind", location(), "name", Column("lines", is_detail=True)
)
FILES: Table[Any, FileShare] = Table(
    rows=lambda it: it.top_files,
    columns=(
        Column("dead_lines"),
        Column("total_lines", heading="total"),
        Column("dead_percent", heading="dead %", is_detail=True),
        Column("items", is_detail=True),
        Column("file"),
    ),
    title="Files with the most dead lines",
)


def headline(summary: DeadCodeSummary, min_confidence: float) -> Iterator[str]:
    """Yield the totals of some files."""
    if not summary.total_definitions:
        yield f"{counted(summary.total_files, 'file')}, no functions, methods or types"
        return
    kinds = (summary.dead_functions, summary.dead_methods, summary.dead_types)
    found = f"{sum(kinds):,} of {summary.total_definitions:,} functions, methods and types"
    yield (
        f"{found} in {counted(summary.total_files, 'file')} seem dead "
        f"(confidence {min_confidence:g} or more)"
    )
    nouns = ("function", "method", "type")
    parts = ", ".join(counted(*it) for it in zip(kinds, nouns, strict=True))
    yield f"{parts}; only tests use {summary.used_by_tests_only:,} of them"
    yield f"{summary.dead_lines:,} of {summary.total_lines:,} lines, {summary.dead_percent:g} %"
