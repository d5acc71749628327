"""Find the code that nothing uses."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Rare, tool
from benchpin.measures import unused as dead_code
from benchpin.measures.unused import DeadCodeSummary, DeadItem, FileShare
from benchpin.measures.views import unused as unused_view
from benchpin.present import FindingParams, Report, View

from ._selection import FilesSeen, ScopedParams, ToolchainParams, files_seen, project_of


class DeadCodeParams(FindingParams, ScopedParams, ToolchainParams):
    """What to look at and how to show it."""

    min_confidence: Annotated[float, Field(ge=0, le=1)] = dead_code.SURE_FROM
    """Minimum confidence to report; 0.6 adds what only tests use."""
    include_tests: Rare[bool] = False
    """Also look for dead code in tests; the same as scope=all."""
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
        headline=lambda it: unused_view.headline(it.summary, it.min_confidence),
        tables=(unused_view.ITEMS, unused_view.FILES),
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
    if params.include_tests:
        params = params.model_copy(update={"scope": "all"})
    project = project_of(params, bench)
    found = project.dead_code(
        params.min_confidence, include_public=params.include_public
    ).required()
    page = params.page(found.items)
    return DeadCodeReport(
        summary=found.summary,
        items=page.items,
        top_files=found.files[: params.top_files],
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=files_seen(
            replace(project.sources, unmeasured=project.around.listing.unmeasured)
        ),
        min_confidence=params.min_confidence,
        format=params.format,
    )
