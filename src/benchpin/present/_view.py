"""One view of a report: what is shown, declared once and rendered in every format.

A tool that lists things derives its params from `ListParams` (or `FindingParams`), its result from
`Report`, and gives the result one `view`: a headline, tables with columns, and the rules of its
findings. `formats/` has one module for each format; all of them read this declaration.

    class LongFilesReport(Report):
        files: list[LongFile]
        total: int
        next_cursor: str | None

        view = View["LongFilesReport"](
            title="Long files",
            headline=lambda it: [counted(it.total, "long file")],
            tables=(Table(rows=lambda it: it.files, columns=(Column("lines"), Column("file"))),),
        )
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import Field

from benchpin.core.results import Page, paginate
from benchpin.core.text import plain
from benchpin.core.tools import Params, Rare
from benchpin.present.pictures import Picture

T = TypeVar("T")
Row = TypeVar("Row")
Inner = TypeVar("Inner")
R = TypeVar("R")

Cell = str | int | float | None
Format = Literal["summary", "full", "detailed", "json", "csv", "markdown", "html"]
FindingFormat = Literal[Format, "sarif", "junit"]
# The formats that a tool with pictures has beside the others.
Image = Literal["svg", "png"]
Level = Literal["error", "warning", "note"]

DEFAULT_ROWS = 20
MAX_ROWS = 1_000
# Rows of pictures, and of pages in a browser, where tables sort and the text can be searched.
PAGE_ROWS = 200
# Formats that people and models read: they end with what was left out.
TEXT_FORMATS = frozenset({"summary", "full", "detailed", "markdown", "html"})
# Formats that programs read: they have every row unless the caller sets a limit.
MACHINE_FORMATS = frozenset({"csv", "sarif", "junit"})
# Formats that show pictures; what only a picture needs is measured for these alone.
PICTURE_FORMATS = frozenset({"html", "svg", "png"})


@dataclass(frozen=True)  # no slots: Python 3.11 cannot subscript such generics and call them
class Column(Generic[Row]):
    """One column of a table."""

    name: str
    """Its name in CSV; also the attribute of the row that it shows, unless `value` is given."""
    value: Callable[[Row], Cell] | None = None
    heading: str = ""
    """Its heading in text and Markdown; the name by default."""
    spec: str = ""
    """How text and Markdown show a number: a format specification such as `.2f` or `.0%`."""
    show: Callable[[Row], str] | None = None
    """How people read a value that is there, where a specification does not say it."""
    is_code: bool = False
    """Whether Markdown and pages show it as code: it comes from a file that was read."""
    is_detail: bool = False
    """Whether the summary leaves it out."""
    is_below: bool = False
    """Whether full text has it on a line of its own below the row, and the summary not at all."""
    is_severity: bool = False
    """Whether its values say how bad something is; a terminal shows them in colour."""
    parts: "tuple[Column[Row], ...]" = ()
    """The columns that CSV has in its place."""

    def cell(self, row: Row) -> Cell:
        found: Cell = getattr(row, self.name) if self.value is None else self.value(row)
        return found

    def shown(self, row: Row) -> str:
        """Return the value as people read it, on one line."""
        cell = self.cell(row)
        if self.show is not None and cell is not None:
            return plain(self.show(row))
        return show_cell(cell, self.spec)

    @property
    def title(self) -> str:
        return self.heading or self.name.replace("_", " ")


def show_cell(cell: Cell, spec: str = "") -> str:
    """Return a value as people read it: a dash for none, and nothing that moves a cursor."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return plain(cell)
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if spec:
        return format(cell, spec)
    return f"{round(cell, 4):,}".removesuffix(".0")


def is_numeric(cells: Iterable[Cell]) -> bool:
    """Whether the cells of a column are aligned to the right: none of them is a text."""
    return all(cell is None or isinstance(cell, int | float) for cell in cells)


def filled(columns: Sequence[Column[Row]], rows: Sequence[Row]) -> list[Column[Row]]:
    """Return the columns in which a row has a value; people are not shown the others."""
    return [it for it in columns if any(it.cell(row) is not None for row in rows)]


def location(
    file: str = "file", line: str = "line", end_line: str = "", *, is_detail: bool = False
) -> Column[Any]:
    """Return a column `file:line` for people; programs get a column for each part."""

    def place(row: object) -> str:
        path, start = getattr(row, file), getattr(row, line)
        if path is None:
            return "-"
        end = getattr(row, end_line) if end_line else None
        until = "" if end is None or end == start else f"-{end}"
        return f"{path}:{start}{until}" if start else str(path)

    names = (file, line, *([end_line] if end_line else []))
    parts = tuple(Column[Any](name) for name in names)
    return Column("location", place, is_detail=is_detail, parts=parts)


@dataclass(frozen=True, slots=True)
class FindingRule:
    """What a kind of finding means (SARIF: reportingDescriptor)."""

    id: str
    name: str
    description: str
    toolset: str = "analysis"
    """The toolset whose documentation page explains it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem at a place in a file."""

    rule: str
    level: Level
    message: str
    path: str
    line: int
    end_line: int
    properties: Mapping[str, object] = field(default_factory=dict)
    fix: tuple[int, int, str] | None = None
    """The first and last line to replace, and what with: whole lines; empty to delete them."""


@dataclass(frozen=True, slots=True)
class Check:
    """A test case of a JUnit report."""

    name: str
    failure: str = ""
    """What is wrong, in a sentence; empty when it passes."""
    details: Sequence[str] = ()
    skipped: str = ""
    """Why it was not checked."""
    output: str = ""
    path: str = ""
    line: int = 0


@dataclass(frozen=True)
class InnerTable(Generic[Row, Inner]):
    """Rows inside each row of a table, such as the functions of a file.

    Text and Markdown have the outer row as a heading; CSV repeats its columns in every record.
    """

    title: Callable[[Row], str]
    rows: Callable[[Row], Sequence[Inner]]
    columns: Sequence[Column[Inner]]
    summary_rows: int | None = None
    """How many rows the summary has at most inside one; all by default."""


@dataclass(frozen=True)
class Table(Generic[R, Row]):
    """Rows of a report."""

    rows: Callable[[R], Sequence[Row]]
    columns: Sequence[Column[Row]]
    title: str | Callable[[R], str] = ""
    findings: Callable[[Row], Iterable[Finding]] | None = None
    """What SARIF and JUnit say of a row."""
    below: Callable[[Row], Iterable[str]] | None = None
    """Lines that full text has below a row."""
    is_detail: bool = False
    """Whether the summary leaves the table out."""
    summary_rows: int | None = None
    """How many rows the summary has at most; all by default. Not for the page."""
    inner: InnerTable[Row, Any] | None = None
    is_page: bool = False
    """Whether `limit` and `cursor` cut this table; by default it is the first one."""
    entry: Callable[[R, int, Row], Iterable[str]] | None = None
    """The lines that text has for a row, by its number on the page, where a protocol fixes them."""
    is_dense: bool = False
    """Whether there is no empty line between entries."""

    def heading(self, report: R) -> str:
        return self.title if isinstance(self.title, str) else self.title(report)

    def brief(
        self,
        title: str,
        *columns: str | Column[Row],
        findings: Callable[[Row], Iterable[Finding]] | None = None,
    ) -> "Table[R, Row]":
        """Return the table with some of its columns, by name, and others if need be."""
        known = {it.name: replace(it, is_detail=False) for it in self.columns}
        chosen = [known[it] if isinstance(it, str) else it for it in columns]
        findings = findings or self.findings
        return replace(self, title=title, columns=chosen, findings=findings, inner=None)

    def within(
        self, section: Callable[[Any], R | None], summary_rows: int = 0
    ) -> "Table[Any, Row]":
        """Return the table of a section, which may be missing, for the whole report.

        Without rows in the summary, the summary leaves it out.
        """

        def rows(report: object) -> Sequence[Row]:
            found = section(report)
            return () if found is None else self.rows(found)

        return Table(
            rows=rows,
            columns=self.columns,
            title=self.title,
            findings=self.findings,
            summary_rows=summary_rows,
            is_detail=not summary_rows,
        )


@dataclass(frozen=True)
class View(Generic[R]):
    """What a report shows."""

    title: str
    headline: Callable[[R], Iterable[str]]
    """The lines that answer the question before any table."""
    tables: Sequence[Table[R, Any]] = ()
    pictures: Sequence[Picture[R]] = ()
    """What is better seen than read; svg and png have the first unless `picture` names one."""
    notes: Callable[[R], Iterable[str]] = lambda _report: ()
    """What was left out or could not be measured; after the tables, and notifications in SARIF."""
    rules: Sequence[FindingRule] | Callable[[R], Sequence[FindingRule]] = lambda _report: ()
    warnings: Callable[[R], Iterable[str]] | None = None
    """The notifications of SARIF; the notes by default."""
    checks: Callable[[R], Sequence[Check]] | None = None
    """The test cases of JUnit; by default one for each finding, which passes if it is a note."""

    @cached_property
    def page(self) -> Table[R, Any]:
        """The table that `limit` and `cursor` cut, and that CSV has."""
        return next((it for it in self.tables if it.is_page), self.tables[0])

    def findings(self, report: R) -> list[Finding]:
        return [
            found
            for table in self.tables
            if table.findings is not None
            for row in table.rows(report)
            for found in table.findings(row)
        ]

    def finding_rules(self, report: R) -> Sequence[FindingRule]:
        return self.rules(report) if callable(self.rules) else self.rules


class ListParams(Params):
    """Arguments of a tool that lists things: how to show them, and which page."""

    format: Rare[Format] = "summary"
    """How to show it; full adds columns and details, csv has every row."""
    limit: Rare[Annotated[int, Field(ge=1, le=MAX_ROWS)] | None] = None
    """Rows to return; 20 by default, all of them in csv."""
    cursor: Rare[str | None] = None
    """The next_cursor of the previous page."""

    shown_by: ClassVar[frozenset[str]] = frozenset({"format", "picture", "limit", "cursor"})
    """Arguments that change how a list is shown, and not what is on it."""

    @property
    def default_rows(self) -> int | None:
        """Rows without a limit; None for all of them."""
        if self.format in MACHINE_FORMATS:
            return None
        return PAGE_ROWS if self.format in PICTURE_FORMATS else DEFAULT_ROWS

    def page(self, items: Sequence[T]) -> Page[T]:
        """Return the page that the caller asked for.

        Raises:
            InvalidCursor: when the cursor belongs to another list.
        """
        limit = self.limit or self.default_rows or max(len(items), 1)
        listing = f"{type(self).__name__} {self.model_dump(exclude=set(self.shown_by))}"
        return paginate(items, listing=listing, cursor=self.cursor, limit=limit)


class FindingParams(ListParams):
    """Arguments of a tool whose rows are findings, which editors and CI systems can show."""

    format: Rare[FindingFormat] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details; csv, sarif and junit have every row."""
    limit: Rare[Annotated[int, Field(ge=1, le=MAX_ROWS)] | None] = None
    """Rows to return; 20 by default, all of them in csv, sarif and junit."""
