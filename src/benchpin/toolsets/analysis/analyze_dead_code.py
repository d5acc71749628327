"""Find the code that nothing uses."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.measures import unused as dead_code
from benchpin.measures.unused import DeadCodeSummary, DeadItem, FileShare
from benchpin.present import Column, FindingParams, Report, Table, View, location

from ._project import project_of
from ._selection import FilesSeen, ToolchainParams, files_seen


class DeadCodeParams(FindingParams, ToolchainParams):
    """What to look at and how to show it."""

    min_confidence: Annotated[float, Field(ge=0, le=1)] = dead_code.SURE_FROM
    """The lowest confidence to report; 0.6 adds what only tests use."""
    include_tests: Rare[bool] = False
    """Whether to look for dead code in tests too."""
    include_public: Rare[bool] = False
    """Whether the public interface of a library counts as dead when nothing here uses it."""
    top_files: Rare[Annotated[int, Field(ge=0, le=1000)]] = 10
    """How many of the files with the most dead lines to list."""


class DeadCodeReport(Report):
    """Totals, and dead code, the highest confidence first."""

    summary: DeadCodeSummary
    items: list[DeadItem]
    top_files: list[FileShare]
    total: int
    next_cursor: str | None
    looked_at: FilesSeen
    min_confidence: Annotated[float, Field(exclude=True)]

    view = View["DeadCodeReport"](
        title="Dead code",
        headline=lambda it: _headline(it.summary, it.min_confidence),
        tables=(
            Table(
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
                findings=lambda it: [dead_code.as_finding(it)],
            ),
            Table(
                rows=lambda it: it.top_files,
                columns=(
                    Column("dead_lines"),
                    Column("total_lines", heading="total"),
                    Column("dead_percent", heading="dead %", is_detail=True),
                    Column("items", is_detail=True),
                    Column("file"),
                ),
                title="Files with the most dead lines",
            ),
        ),
        notes=lambda it: it.looked_at.to_lines(),
        rules=dead_code.RULES,
    )

    def confidences(self) -> Iterator[float]:
        """Yield how sure each row is."""
        yield from (it.confidence for it in self.items)


@tool(
    title="Dead code",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "unused functions, nobody calls it, never used, delete, remove, unreachable, obsolete, "
        "clean up, leftover, safe to delete, not referenced any more, never executed"
    ),
)
def analyze_dead_code(params: DeadCodeParams, bench: Bench) -> DeadCodeReport:
    """Find functions, methods and types that nothing in the workspace uses, with confidence.

    Uses anywhere in the workspace count, also outside project_path. Check the reason before you
    delete anything: code that is called only through its name at run time can be missed.
    """
    project = project_of(params, bench)
    found = project.dead_code(
        params.min_confidence,
        include_tests=params.include_tests,
        include_public=params.include_public,
    ).required()
    page = params.page(found.items)
    return DeadCodeReport(
        summary=found.summary,
        items=page.items,
        top_files=found.files[: params.top_files],
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=files_seen(replace(project.sources, unmeasured=project.users.unmeasured)),
        min_confidence=params.min_confidence,
        format=params.format,
    )


def _headline(summary: DeadCodeSummary, min_confidence: float) -> Iterator[str]:
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
