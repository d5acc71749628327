"""Find the code that nothing uses."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, tool
from benchpin.engines.metrics import dead_code

from . import _dead_code_text as text
from ._formats import Report, page_of
from ._project import project_of
from ._selection import FilesSeen, SelectionParams, files_seen


class DeadCodeParams(SelectionParams):
    """What to look at and how to show it."""

    toolchain: str | None = None
    """Only report this toolchain or language: rust, deno, python-uv, go, java …; all by default."""
    min_confidence: Annotated[float, Field(ge=0, le=1)] = dead_code.SURE_FROM
    """Report what is dead with at least this confidence; 0.6 adds what only tests use."""
    include_tests: bool = False
    """Whether to look for dead code in tests too."""
    format: Literal["summary", "full", "detailed", "json", "sarif", "csv", "markdown"] = "summary"
    """How to show it; full and detailed give the reason for each finding of the page."""
    top_files: Annotated[int, Field(ge=0, le=1000)] = 10
    """How many of the files with the most dead lines to list."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    """How many findings to return; csv, markdown and sarif have them all."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


class DeadCodeReport(Report):
    """Findings, the surest first, and how it all stands."""

    summary: dead_code.DeadCodeSummary
    items: list[dead_code.DeadItem]
    top_files: list[dead_code.FileShare]
    total: int
    next_cursor: str | None
    looked_at: FilesSeen


@tool(title="Dead code", effect=Effect.READ)
def analyze_dead_code(params: DeadCodeParams, bench: Bench) -> DeadCodeReport:
    """Find functions, methods and types that nothing in the workspace uses, with confidence.

    Uses anywhere in the workspace count, also outside project_path. Check the reason before you
    delete anything: code that is called only through its name at run time can be missed.
    """
    project = project_of(params, bench, params.toolchain)
    found = project.dead_code(params.min_confidence, include_tests=params.include_tests).required()
    page = page_of(found.items, "dead code", params)
    files = found.files[: params.top_files]
    seen = files_seen(replace(project.sources, unmeasured=project.users.unmeasured))
    shown = ""
    match params.format:
        case "summary":
            shown = text.summary_text(found.summary, page.items, files, params.min_confidence)
            shown = seen.below(shown)
        case "full" | "detailed":
            shown = text.full_text(found.summary, page.items, files, params.min_confidence)
            shown = seen.below(shown, page.footer())
        case "sarif":
            shown = text.sarif_text(found.items, bench)
        case "csv":
            shown = text.csv_text(found.items)
        case "markdown":
            shown = text.markdown_text(found.summary, found.items, files, params.min_confidence)
            shown = seen.below(shown)
    return DeadCodeReport(
        summary=found.summary,
        items=list(page.items),
        top_files=files,
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=seen,
        shown=shown,
    )
