"""Find duplicated code."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.code import SourceText
from benchpin.core.calls import Bench
from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.measures import clones as duplicates
from benchpin.measures.clones import CloneGroup, DuplicateSummary, Fragment, LineSpan
from benchpin.present import (
    Column,
    ExcerptGroup,
    FindingFormat,
    FindingParams,
    Image,
    InnerTable,
    Report,
    Table,
    View,
    location,
)
from benchpin.present.charts import Shown, stacked_bars
from benchpin.present.page import Section, excerpts
from benchpin.present.pictures import Picture, PictureRow, bars
from benchpin.project import PartTime, Project, times_line, total_of
from benchpin.project.pictures import MAX_GROUPS, excerpt

from ._project import project_of
from ._selection import FilesSeen, ToolchainParams, files_seen, nothing_measured

_MEASURE = "duplicates"


class DuplicatesParams(FindingParams, ToolchainParams):
    """What to look for and how to show it."""

    format: Rare[Literal[FindingFormat, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details; csv, sarif and junit have every row."""
    detection_type: duplicates.DetectionType = "all"
    """Kind of clone. exact: the same tokens; renamed: other names and literals; gapped: functions
    with some other lines; semantic: functions made of the same calls, operators and literals."""
    threshold: Rare[Annotated[float, Field(ge=0, le=1)]] = 0.85
    """The lowest similarity of gapped and semantic clones."""
    min_lines: Annotated[int, Field(ge=1, le=10_000)] = 5
    """The fewest lines of a clone."""
    min_tokens: Rare[Annotated[int, Field(ge=10, le=10_000)] | None] = None
    """The fewest tokens of a clone; by default 10 for each of min_lines, at most 50, and any number
    for whole functions that are the same."""
    gpu: Rare[bool] = False
    """Search for candidates on a CUDA device with CuPy, if there is one; the result is the same."""
    perf: Rare[bool] = False
    """Also report how long each phase took."""
    top_files: Rare[Annotated[int, Field(ge=0, le=1000)]] = 10
    """How many of the files with the most duplicated lines to list."""


class Performance(Item):
    """The time that the search took."""

    phases: list[PartTime]
    """They add up to total_seconds."""
    total_seconds: float
    tokens: int
    """How many tokens were compared."""
    tokens_per_second: float | None
    """None when the clones were remembered, or the time was too short to measure."""


def _gaps(fragment: Fragment) -> str | None:
    spans = ((gap.line, gap.end_line) for gap in fragment.gaps)
    return ", ".join(f"{at}" if at == end else f"{at}-{end}" for at, end in spans) or None


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
        headline=lambda it: [*_headline(it)],
        tables=(
            Table(
                rows=lambda it: list(enumerate(it.groups, start=it.first_group)),
                columns=(
                    Column("group", lambda it: it[0]),
                    Column("type", lambda it: it[1].type),
                    Column("tokens", lambda it: it[1].tokens),
                    Column("removable_tokens", lambda it: it[1].removable_tokens),
                    Column("is_test_code", lambda it: it[1].is_test_code),
                ),
                title="Groups of clones, tests and samples last, biggest first",
                findings=lambda it: duplicates.findings(it[1], number=it[0]),
                inner=InnerTable(
                    title=lambda it: _group_title(it[1]),
                    rows=lambda it: it[1].fragments,
                    columns=(
                        Column("similarity", spec=".0%", is_detail=True),
                        location(end_line="end_line"),
                        Column("function"),
                        Column("gaps", _gaps),
                    ),
                    summary_rows=3,
                ),
            ),
            Table(
                rows=lambda it: it.top_files,
                columns=(
                    Column("duplicated_lines", heading="duplicated"),
                    Column("similar_lines", heading="similar"),
                    Column("total_lines", heading="lines"),
                    Column("duplicated_percent", heading="duplicated %", is_detail=True),
                    Column("groups", is_detail=True),
                    Column("file"),
                ),
                title="Files with the most duplicated lines",
            ),
        ),
        pictures=(
            Picture(
                name="groups",
                title="Lines that could be written once",
                rows=lambda it: [*_removable(it.groups)],
                spec=stacked_bars(
                    Shown("place", "First place", "nominal"),
                    Shown("removable", "Lines in the other places", is_count=True),
                    Shown("type", "Kind of clone", "nominal"),
                    more=(Shown("others", "Also in", "nominal"),),
                ),
                alt=lambda it, rows: (
                    f"The largest of {counted(it.total, 'group')} of clones begins at "
                    f"{rows[0]['place']}: {rows[0]['removable']:,} lines could be removed. "
                    f"{len(rows)} are drawn."
                ),
                text=bars("place", "removable"),
                link="place",
            ),
        ),
        notes=lambda it: [
            *_least(it.summary),
            *it.looked_at.to_lines(),
            *_times(it.performance),
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

    Tests and samples come last. Comments and imports are ignored. That clones are semantic only
    says that functions have the same ingredients, not that they do the same.
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
        passages=_passages(page.items, project) if params.format == "html" else (),
        format=params.format,
    )


_MAX_DRAWN_ROWS = 20


def _removable(groups: Sequence[CloneGroup]) -> Iterator[PictureRow]:
    """Yield the groups with the most lines beside their first place."""
    ranked = sorted(groups, key=lambda it: it.lines * (len(it.fragments) - 1))
    # One for each first place: a part of a clone may be a clone of more places.
    firsts = {(it.fragments[0].file, it.fragments[0].line): it for it in ranked}
    for order, group in enumerate([*firsts.values()][: -_MAX_DRAWN_ROWS - 1 : -1]):
        first, *others = (f"{it.file}:{it.line}" for it in group.fragments)
        yield {
            "place": first,
            "others": ", ".join(others),
            "removable": group.lines * len(others),
            "type": group.type,
            "order": order,
            "part_order": 0,
        }


def _passages(groups: Sequence[CloneGroup], project: Project) -> list[ExcerptGroup]:
    """Return the first two places of each group with their text."""
    source = SourceText(project.selection.root)
    return [
        ExcerptGroup(
            _group_title(group),
            [
                excerpt(source, it.file, it.line, it.end_line, _lines_of(it.gaps))
                for it in group.fragments[:2]
            ],
        )
        for group in groups[:MAX_GROUPS]
    ]


def _lines_of(gaps: Sequence[LineSpan]) -> set[int]:
    return {line for gap in gaps for line in range(gap.line, gap.end_line + 1)}


def _device() -> tuple[duplicates.Device | None, str]:
    """Return the device and its name, or why there is none."""
    try:
        device = duplicates.Device()
    except duplicates.NoDevice as error:
        return None, f"The processor did it: {error}."
    return device, device.name


def _performance(project: Project, found: duplicates.Duplicates) -> Performance:
    is_new = _MEASURE not in project.recalled
    searched = [PartTime(name=it.name, seconds=it.seconds) for it in found.phases if is_new]
    phases = project.watch.parts(searched, of=_MEASURE)
    search_s = total_of(searched)
    return Performance(
        phases=phases,
        total_seconds=total_of(phases),
        tokens=found.tokens,
        tokens_per_second=round(found.tokens / search_s) if search_s else None,
    )


def _headline(report: DuplicatesReport) -> Iterator[str]:
    summary = report.summary
    if not summary.total_files:
        yield nothing_measured(report)
        return
    yield f"{counted(summary.total_files, 'file')}, {counted(summary.total_lines, 'line')}"
    if summary.duplicated_percent is not None:
        yield f"{summary.duplicated_lines:,} lines are duplicated, {summary.duplicated_percent:g} %"
    if summary.similar_percent is not None:
        lines = f"{summary.similar_lines:,} lines are duplicated or similar"
        yield f"{lines}, {summary.similar_percent:g} %"
    kinds = ", ".join(f"{it:,} {kind}" for kind, it in summary.groups.items())
    tests = f"; {summary.test_groups:,} in tests and samples" if summary.test_groups else ""
    yield f"groups of clones: {kinds}{tests}"


def _least(summary: DuplicateSummary) -> Iterator[str]:
    if summary.total_files:
        size = f"{counted(summary.min_lines, 'line')} and {counted(summary.min_tokens, 'token')}"
        except_for = "" if summary.min_function_tokens else "; a whole copied function only lines"
        yield f"a clone needs at least {size} (min_lines, min_tokens){except_for}"
    if summary.uncompared_pairs:
        pairs = counted(summary.uncompared_pairs, "pair")
        yield f"very many functions are alike: {pairs} of them were not compared with each other"


def _group_title(group: CloneGroup) -> str:
    alike = "" if group.type in {"exact", "renamed"} else f", {group.similarity:.0%} alike"
    size = f"{counted(group.lines, 'line')}, {counted(group.tokens, 'token')}"
    place = ", tests or samples" if group.is_test_code else ""
    return f"{group.type}, {size}, {counted(len(group.fragments), 'place')}{alike}{place}"


def _times(performance: Performance | None) -> Iterator[str]:
    if performance is not None:
        yield f"{performance.tokens:,} tokens on the CPU, {times_line(performance.phases)}"
