"""Show what is in a file or folder: its functions and types, with their measures."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, Item, plain, tool
from benchpin.engines.metrics.maintainability import measure_file
from benchpin.engines.source.facts import Function, Outline, Type
from benchpin.engines.source.index import FileFacts

from ._formats import Report, page_of
from ._selection import FilesSeen, SelectionParams, files_seen, select
from ._tables import as_csv, as_markdown, columns


class OutlineParams(SelectionParams):
    """What to show and how."""

    format: Literal["summary", "json", "markdown", "csv"] = "summary"
    """How to show it; csv lists every file."""
    public_only: bool = False
    """Only what other files can use."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    """How many files to return."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


class Symbol(Item):
    """A function or type; measures are of functions only."""

    name: str
    kind: str
    line: int
    end_line: int
    is_public: bool
    is_documented: bool
    signature: str | None = None
    bases: list[str] | None = None
    decorators: list[str] | None = None
    cyclomatic: int | None = None
    cognitive: int | None = None
    nesting: int | None = None
    parameters: int | None = None
    code_lines: int | None = None


class HalsteadMeasures(Item):
    """Halstead's measures of a whole file."""

    vocabulary: int
    length: int
    volume: float
    difficulty: float
    effort: float


class FileOutline(Item):
    """One file."""

    file: str
    language: str
    lines: int
    code_lines: int
    comment_lines: int
    cyclomatic: int
    """All paths of all functions, and of the code outside them."""
    maintainability_index: float
    """From 0, hopeless, to 100."""
    halstead: HalsteadMeasures
    error_line: int | None
    """The first line that does not parse; what stands around it may be missing here."""
    symbols: list[Symbol]


class OutlineReport(Report):
    """Files with their functions and types, in the order of paths and lines."""

    outlines: list[FileOutline]
    total: int
    next_cursor: str | None
    looked_at: FilesSeen


@tool(title="Outline of a file", effect=Effect.READ)
def outline_file(params: OutlineParams, bench: Bench) -> OutlineReport:
    """List the functions and types of a file or folder with signatures, line ranges and measures.

    Use it to find your way in code that you have not read, before you read it.
    """
    sources = select(params, bench).read()
    page = page_of(sources.files, "outline", params)
    outlines = [_outline(file, public_only=params.public_only) for file in page.items]
    seen = files_seen(sources)
    shown = ""
    match params.format:
        case "summary":
            lines = [line for outline in outlines for line in _lines(outline)]
            shown = seen.below("\n".join(lines) or "No source files here.", page.footer())
        case "markdown":
            parts = "\n".join(["# Outline\n", *map(_markdown, outlines)])
            shown = seen.below(parts, page.footer()).rstrip() + "\n"
        case "csv":
            every = (_outline(file, public_only=params.public_only) for file in sources.files)
            shown = as_csv(_HEADER, [row for outline in every for row in _rows(outline)])
    return OutlineReport(
        outlines=outlines,
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=seen,
        shown=shown,
    )


def _outline(file: FileFacts, *, public_only: bool) -> FileOutline:
    outline = file.outline
    measures = measure_file(outline)
    score = measures.halstead
    return FileOutline(
        file=file.path,
        language=file.language,
        lines=outline.lines,
        code_lines=outline.code_lines,
        comment_lines=outline.comment_lines,
        cyclomatic=measures.cyclomatic,
        maintainability_index=round(measures.maintainability_index, 2),
        halstead=HalsteadMeasures(
            vocabulary=score.vocabulary,
            length=score.length,
            volume=round(score.volume, 1),
            difficulty=round(score.difficulty, 2),
            effort=round(score.effort, 1),
        ),
        error_line=outline.error_line or None,
        symbols=_symbols(outline, public_only=public_only),
    )


def _symbols(outline: Outline, *, public_only: bool) -> list[Symbol]:
    found = [*map(_type, outline.types), *map(_function, outline.functions)]
    chosen = [it for it in found if it.is_public or not public_only]
    return sorted(chosen, key=lambda it: (it.line, -it.end_line))


def _type(it: Type) -> Symbol:
    return Symbol(
        name=it.name,
        kind=it.kind,
        line=it.line,
        end_line=it.end_line,
        is_public=it.is_public,
        is_documented=it.is_documented,
        bases=list(it.bases),
    )


def _function(it: Function) -> Symbol:
    return Symbol(
        name=it.name,
        kind=it.kind,
        line=it.line,
        end_line=it.end_line,
        is_public=it.is_public,
        is_documented=it.is_documented,
        signature=" ".join(it.signature.split()),
        decorators=list(it.decorators),
        cyclomatic=it.cyclomatic,
        cognitive=it.cognitive,
        nesting=it.nesting,
        parameters=it.parameters,
        code_lines=it.code_lines,
    )


_HEADER = ("file", "line", "end_line", "kind", "name", "cyclomatic", "cognitive", "code_lines")


def _rows(outline: FileOutline) -> list[tuple[str | int | None, ...]]:
    file = outline.file
    return [
        (file, it.line, it.end_line, it.kind, it.name, it.cyclomatic, it.cognitive, it.code_lines)
        for it in outline.symbols
    ]


def _title(outline: FileOutline) -> str:
    broken = "" if outline.error_line is None else f", does not parse at line {outline.error_line}"
    return (
        f"{outline.language}, {outline.code_lines:,} lines of code, "
        f"maintainability {outline.maintainability_index:.0f}{broken}"
    )


def _lines(outline: FileOutline) -> list[str]:
    rows = [
        (f"{it.line}-{it.end_line}", _measure(it.cyclomatic), _measure(it.cognitive), _shown(it))
        for it in outline.symbols
    ]
    table = columns([("lines", "cyclomatic", "cognitive", "symbol"), *rows]) if rows else []
    return [f"{plain(outline.file)}: {_title(outline)}", *(f"  {line}" for line in table)]


def _measure(value: int | None) -> int | str:
    return "" if value is None else value


def _shown(it: Symbol) -> str:
    indent = "  " * it.name.count(".")
    bases = f"({', '.join(it.bases)})" if it.bases else ""
    return indent + (it.signature or f"{it.kind} {it.name.rpartition('.')[2]}{bases}")


def _markdown(outline: FileOutline) -> str:
    rows = [row[1:] for row in _rows(outline)]
    return f"## {plain(outline.file)}\n\n{_title(outline)}\n\n{as_markdown(_HEADER[1:], rows)}"
