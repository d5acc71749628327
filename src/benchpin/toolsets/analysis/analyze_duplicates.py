"""Find duplicated code."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Rare, tool
from benchpin.measures import clones as duplicates
from benchpin.measures.clones import CloneGroup, DuplicateSummary
from benchpin.measures.views import clones as clones_view
from benchpin.present import ExcerptGroup, FindingFormat, FindingParams, Image, Report, View
from benchpin.present.page import Section, excerpts
from benchpin.project import PartTime, Performance, Project

from ._selection import (
    FilesSeen,
    ScopedParams,
    ToolchainParams,
    files_seen,
    nothing_measured,
    project_of,
)

_MEASURE = "duplicates"


class DuplicatesParams(FindingParams, ScopedParams, ToolchainParams):
    """What to look for and how to show it."""

    format: Rare[Literal[FindingFormat, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details; csv, sarif and junit have every row."""
    detection_type: duplicates.DetectionType = "all"
    """Kind of clone. exact: the same tokens; renamed: other names and literals; gapped: functions
    with some other lines; semantic: functions made of the same calls, operators and literals."""
    threshold: Rare[Annotated[float, Field(ge=0, le=1)]] = 0.85
    """Minimum similarity of gapped and semantic clones."""
    min_lines: Annotated[int, Field(ge=1, le=10_000)] = 5
    """Minimum number of lines of a clone."""
    min_tokens: Rare[Annotated[int, Field(ge=10, le=10_000)] | None] = None
    """Minimum number of tokens of a clone; by default 10 times min_lines, at most 50; identical
    whole functions always count."""
    gpu: Rare[bool] = False
    """Search for candidates on a CUDA device with CuPy, if there is one; the result is the same."""
    perf: Rare[bool] = False
    """Also report how long each phase took."""
    top_files: Rare[Annotated[int, Field(ge=0, le=1000)]] = 10
    """How many of the files with the most duplicated lines to list."""


class DuplicatesReport(Report):
    """Totals, and groups of clones: tests and samples last, biggest first."""

    summary: DuplicateSummary
    groups: list[CloneGroup]
    top_files: list[duplicates.FileDuplication]
    total: int
    next_cursor: str | None
    device: Literal["cpu", "gpu"]
    device_reason: Annotated[str | None, Field(exclude_if=lambda it: it is None)] = None
    """Why no GPU was used, if one was requested."""
    performance: Annotated[Performance | None, Field(exclude_if=lambda it: it is None)] = None
    looked_at: FilesSeen
    first_group: Annotated[int, Field(exclude=True)] = 1
    """The number of the first group on this page; numbers go on from page to page."""
    passages: Annotated[Sequence[ExcerptGroup], Field(exclude=True)] = ()
    """The first two places of each group, for a page."""

    view = View["DuplicatesReport"](
        title="Duplicates",
        headline=lambda it: (
            clones_view.headline(it.summary) if it.summary.total_files else [nothing_measured(it)]
        ),
        tables=(clones_view.GROUPS, clones_view.FILES),
        pictures=(clones_view.BARS,),
        notes=lambda it: [
            *clones_view.notes(it.summary),
            *it.looked_at.to_lines(),
            *([] if it.performance is None else [it.performance.line()]),
            *([] if it.device_reason is None else [f"searched on {it.device}: {it.device_reason}"]),
        ],
        rules=duplicates.RULES,
    )

    def sections(self) -> list[Section]:
        """Return both texts of each group."""
        return excerpts(self.passages)


@tool(
    title="Duplicates",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "copy paste, copied code, clones, repeated, similar functions, DRY, same code twice, "
        "redundancy, identical blocks, code that was pasted, refactor into one function"
    ),
)
def analyze_duplicates(params: DuplicatesParams, bench: Bench) -> DuplicatesReport:
    """Find duplicated code as groups of places, biggest first.

    Tests and samples come last. Comments and imports are ignored. Semantic clones use the same
    calls, operators and literals, but need not do the same.
    """
    project = project_of(params, bench)
    wanted = params.detection_type
    options = duplicates.DuplicateOptions(
        types=duplicates.ALL if wanted == "all" else (wanted,),
        threshold=params.threshold,
        minimum=duplicates.Minimum(params.min_lines, params.min_tokens),
    )
    device, reason = _device() if params.gpu else (None, None)
    found = project.duplicates(options, device).required()
    page = params.page(found.groups)
    return DuplicatesReport(
        summary=found.summary,
        groups=page.items,
        top_files=found.files[: params.top_files],
        total=page.total,
        next_cursor=page.next_cursor,
        device="cpu" if device is None else "gpu",
        device_reason=reason,
        performance=_performance(project, found) if params.perf else None,
        looked_at=files_seen(project.sources),
        first_group=page.start + 1,
        passages=clones_view.passages(page.items, project.selection.root)
        if params.format == "html"
        else (),
        format=params.format,
    )


def _device() -> tuple[duplicates.Device | None, str]:
    """Return the device and its name, or why there is none."""
    try:
        device = duplicates.Device()
    except duplicates.NoDevice as error:
        return None, f"Ran on the CPU: {error}."
    return device, device.name


def _performance(project: Project, found: duplicates.Duplicates) -> Performance:
    is_new = _MEASURE not in project.recalled
    searched = [PartTime(name=it.name, seconds=it.seconds) for it in found.phases if is_new]
    return project.watch.performance(searched, _MEASURE, found.tokens)
