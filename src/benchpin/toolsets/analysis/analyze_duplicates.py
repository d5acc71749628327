"""Find code that stands more than once."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, Item, tool
from benchpin.engines.metrics import duplicates

from . import _duplicates_text as text
from ._formats import Report, page_of
from ._project import project_of
from ._selection import FilesSeen, SelectionParams, files_seen

_NO_GPU = "This search has no GPU path: NumPy does it on the CPU."


class DuplicatesParams(SelectionParams):
    """What to look for and how to show it."""

    toolchain: str | None = None
    """Only this toolchain or language: rust, deno, python-uv, go, java …; all by default."""
    detection_type: duplicates.DetectionType = "all"
    """exact: the same tokens; renamed: other names and literals; gapped: functions with some other
    lines; semantic: functions made of the same calls, operators and literals."""
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.85
    """The lowest similarity of gapped and semantic clones."""
    min_lines: Annotated[int, Field(ge=1, le=10_000)] = 5
    """How many lines a clone has at least."""
    min_tokens: Annotated[int, Field(ge=10, le=10_000)] = 50
    """How many tokens a clone has at least."""
    gpu: bool = False
    """Ask for a GPU; there is none in use yet, and the result says so."""
    perf: bool = False
    """Also say how long each part of the work took."""
    format: Literal["summary", "full", "detailed", "json", "sarif", "csv", "markdown"] = "summary"
    """How to show it; full and detailed list every fragment and gap of the page."""
    top_files: Annotated[int, Field(ge=0, le=1000)] = 10
    """How many of the files with the most duplicated lines to list."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    """How many groups to return; csv, markdown and sarif have them all."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


class Performance(Item):
    """What the search took."""

    phases: list[duplicates.Phase]
    tokens: int
    """How many tokens were compared."""
    tokens_per_second: float | None
    """None when it took no time that could be measured."""


class DuplicatesReport(Report):
    """Groups of clones, the biggest first, and how it all stands."""

    summary: duplicates.DuplicateSummary
    groups: list[duplicates.CloneGroup]
    top_files: list[duplicates.FileDuplication]
    total: int
    next_cursor: str | None
    device: Literal["cpu"]
    device_reason: Annotated[str | None, Field(exclude_if=lambda it: it is None)] = None
    """Why there was no GPU, if one was asked for."""
    performance: Annotated[Performance | None, Field(exclude_if=lambda it: it is None)] = None
    looked_at: FilesSeen


@tool(title="Duplicates", effect=Effect.READ)
def analyze_duplicates(params: DuplicatesParams, bench: Bench) -> DuplicatesReport:
    """Find duplicated code as groups of places, across files and within them, the biggest first.

    Comments and imports are left aside. Use detection_type exact for copies alone; semantic only
    says that functions have the same ingredients, not that they do the same.
    """
    project = project_of(params, bench, params.toolchain)
    wanted = params.detection_type
    options = duplicates.DuplicateOptions(
        types=duplicates.ALL if wanted == "all" else (wanted,),
        threshold=params.threshold,
        minimum=duplicates.Minimum(params.min_tokens, params.min_lines),
    )
    found = project.duplicates(options).required()
    seen = files_seen(project.sources)
    page = page_of(found.groups, "duplicates", params)
    files = found.files[: params.top_files]
    shown = ""
    match params.format:
        case "summary":
            shown = seen.below(text.summary_text(found.summary, page.items, files), page.footer())
        case "full" | "detailed":
            shown = seen.below(text.full_text(found.summary, page.items, files), page.footer())
        case "sarif":
            shown = text.sarif_text(found.groups, bench)
        case "csv":
            shown = text.csv_text(found.groups)
        case "markdown":
            shown = seen.below(text.markdown_text(found.summary, found.groups, files))
    performance = _performance(found) if params.perf else None
    if performance is not None and params.format in {"summary", "full", "detailed"}:
        shown += "\n" + text.performance_text(performance.phases, performance.tokens)
    return DuplicatesReport(
        summary=found.summary,
        groups=list(page.items),
        top_files=files,
        total=page.total,
        next_cursor=page.next_cursor,
        device="cpu",
        device_reason=_NO_GPU if params.gpu else None,
        performance=performance,
        looked_at=seen,
        shown=shown,
    )


def _performance(found: duplicates.Duplicates) -> Performance:
    seconds = sum(phase.seconds for phase in found.phases)
    return Performance(
        phases=found.phases,
        tokens=found.tokens,
        tokens_per_second=round(found.tokens / seconds) if seconds else None,
    )
