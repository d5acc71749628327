"""Find the code that nothing uses."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, Operation, tool
from benchpin.engines.metrics import dead_code
from benchpin.engines.source.index import Section, SourceQuery, Sources, index_of
from benchpin.engines.source.walk import WalkOptions

from . import _dead_code_text as text
from ._formats import Report, page_of
from ._selection import FilesSeen, SelectionParams, files_seen, read_permitted, read_sources

_SECTIONS: tuple[Section, ...] = ("outline", "links", "tokens")


class DeadCodeParams(SelectionParams):
    """What to look at and how to show it."""

    toolchain: str | None = None
    """Only report this toolchain or language: rust, deno, python-uv, go, java …; all by default."""
    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.8
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
    sources = _read_workspace(params, bench)
    chosen = _choose(params, bench)
    if not {file.path for file in chosen.files} <= {file.path for file in sources.files}:
        sources = _joined(sources, _choose(params, bench, _SECTIONS))
    found = dead_code.find_dead_code(
        sources.files,
        _read_surroundings(sources, bench),
        min_confidence=params.min_confidence,
        chosen={file.path for file in chosen.files},
        include_tests=params.include_tests,
        job=bench.job,
    )
    page = page_of(found.items, "dead code", params)
    files = found.files[: params.top_files]
    seen = files_seen(replace(chosen, unmeasured=sources.unmeasured))
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


def _choose(
    params: DeadCodeParams, bench: Bench, sections: tuple[Section, ...] = ("outline",)
) -> Sources:
    """Return the files to report on; what is measured anew was so with the workspace."""
    is_forced = params.cache_strategy == "force-refresh"
    known = params.model_copy(update={"cache_strategy": "normal"}) if is_forced else params
    return read_sources(known, bench, sections, params.toolchain)


def _joined(sources: Sources, others: Sources) -> Sources:
    """Add files that no walk over the workspace finds, such as one in a vendor folder."""
    files = {file.path: file for file in (*sources.files, *others.files)}
    return replace(sources, files=[file for _, file in sorted(files.items())])


def _read_workspace(params: SelectionParams, bench: Bench) -> Sources:
    """Return everything that could use something, whatever part of it is asked about."""
    query = SourceQuery(
        options=WalkOptions(include_vendored=params.include_generated),
        sections=_SECTIONS,
        strategy=params.cache_strategy,
        workers=params.parallel,
    )
    return read_permitted(query, bench)


def _read_surroundings(sources: Sources, bench: Bench) -> dead_code.Surroundings:
    root = bench.workspace.root
    others = index_of(root, bench.cache_dir).others(
        WalkOptions(), bench.job, lambda path: bench.may(path, Operation.READ)
    )
    paths = [file.path for file in others]
    return dead_code.collect_words(
        bench.job.each([*paths, *sources.unmeasured], "text files"),
        dead_code.names_in(sources.files),
        dead_code.reader_of(root),
        sources.unmeasured,
    )
