"""Answers about a fleet and the report with all of them: their columns depend on the questions."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.present import Column, Report, Table, View
from benchpin.present.charts import Shown, scatter
from benchpin.present.page import Section
from benchpin.present.pictures import Picture, PictureRow, bars

from ._answering import Answer, Cell

# The questions of a report, and what is written above the answers.
_TITLES = {
    "repositories": "Repositories, the largest first",
    "languages": "Languages",
    "failing": "Failing repositories: with functions at twice a threshold or worse",
    "hotspots": "Hot spots: files that change often and are hard to follow",
    "risk": "Defect risk: files most likely to need a bug fix within a year",
    "clones": "Clones: functions that several repositories have, also under other names",
    "dependencies": "Dependencies and their versions",
    "licences": "Licences",
    "owners": "Owners: who made most of the changes of the last year",
    "trend": "Trend between the last two measurements",
}
# The text for a section without rows, where that is worth saying.
_NOTHING = {
    "failing": "No repository fails the gate.",
    "clones": "No function of at least 50 tokens is in two repositories.",
    "trend": "No trend yet: it needs two measurements of a repository at different commits.",
}
_SUMMARY_ROWS = 5
_LABELLED = 5
_GATE: dict[str, object] = {
    "field": "gate",
    "type": "nominal",
    "title": "Gate",
    "scale": {"domain": ["passes", "fails"], "range": ["#0072b2", "#d55e00"]},
}
_SPECS = {"risk": ".0%", "maintainability": ".1f"}
REPORT_QUESTIONS = ("totals", *_TITLES)
Row = list[Cell]


class FleetAnswer(Report):
    """Rows of a fleet."""

    question: str
    columns: list[str]
    rows: list[list[Cell]]
    has_more_rows: bool
    """Whether there are more than `limit`."""
    repositories: int
    """How many repositories were asked."""
    hint: Annotated[str, Field(exclude=True)] = ""
    """What to try when there are no rows."""

    @classmethod
    def of(
        cls, question: str, answer: Answer, repositories: int, shown_as: str, hint: str = ""
    ) -> "FleetAnswer":
        """Return an answer in a format."""
        return cls(
            question=question,
            columns=answer.columns,
            rows=answer.rows,
            has_more_rows=answer.has_more,
            repositories=repositories,
            format=shown_as,
            hint=hint,
        )

    @property
    def view(self) -> View[Any]:  # type: ignore[override]  # its columns depend on the question
        return View(
            title="Fleet",
            headline=_headline,
            tables=(Table(rows=lambda it: it.rows, columns=columns_of(self.columns)),),
        )


def _headline(answer: FleetAnswer) -> list[str]:
    more = ", more with a higher limit" if answer.has_more_rows else ""
    among = counted(answer.repositories, "repository", "repositories")
    found = f"{answer.question}: {counted(len(answer.rows), 'row')} from {among}{more}"
    return (
        [found] if answer.rows or not answer.hint else [found, answer.text_style.hint(answer.hint)]
    )


def columns_of(names: Sequence[str]) -> list[Column[Row]]:
    """Return the columns of an answer."""

    def value(at: int) -> Any:
        return lambda row: row[at]

    return [
        Column(name, value(at), spec=_SPECS.get(name, ""), is_severity=name == "gate")
        for at, name in enumerate(names)
    ]


class FleetTotals(Item):
    """All repositories together."""

    repositories: int
    files: int
    code_lines: int
    functions: int
    findings: int
    failing: int
    """Repositories with a function at twice a threshold or worse."""
    without_history: int
    """Repositories whose defect risk is not known by their history."""
    high_risk_files: int
    """Files that need a bug fix within a year with a probability of 0.7 or more."""


class FleetSection(Item):
    """The answer to one question."""

    question: str
    columns: list[str]
    rows: list[list[Cell]]
    has_more_rows: bool
    """Whether there are more than `limit`."""


def _report_headline(report: "FleetReport") -> Iterator[str]:
    all_of = report.totals
    sizes = (
        counted(all_of.repositories, "repository", "repositories"),
        counted(all_of.files, "file"),
        f"{all_of.code_lines:,} lines of code",
        counted(all_of.functions, "function"),
    )
    yield ", ".join(sizes)
    yield (
        f"{all_of.failing:,} fail the gate; {counted(all_of.findings, 'finding')}; "
        f"{counted(all_of.high_risk_files, 'file')} with a high defect risk"
    )


def _notes(report: "FleetReport") -> Iterator[str]:
    yield from (
        _NOTHING[each.question]
        for each in report.answers
        if not each.rows and each.question in _NOTHING
    )
    if report.totals.without_history:
        alone = counted(report.totals.without_history, "repository", "repositories")
        yield f"The defect risk of {alone} follows from the code alone: see the column basis."
    cut = [each.question for each in report.answers if each.has_more_rows]
    if cut:
        more = f"There are more rows of {', '.join(cut)}; a higher limit shows them."
        yield report.text_style.hint(more)


class FleetReport(Report):
    """Answers about all repositories."""

    totals: FleetTotals
    answers: list[FleetSection]

    @classmethod
    def of(cls, found: Sequence[Answer], shown_as: str, picture: str) -> "FleetReport":
        """Return the answers to `REPORT_QUESTIONS` in a format."""
        totals, *answers = found
        named = dict(zip(totals.columns, totals.rows[0], strict=True))
        return cls(
            totals=FleetTotals.model_validate(named),
            answers=[
                FleetSection(
                    question=question,
                    columns=it.columns,
                    rows=it.rows,
                    has_more_rows=it.has_more,
                )
                for question, it in zip(_TITLES, answers, strict=True)
            ],
            format=shown_as,
            picture=picture,
        )

    @property
    def view(self) -> View[Any]:  # type: ignore[override]  # its columns depend on the questions
        return View["FleetReport"](
            title="Fleet report",
            headline=_report_headline,
            tables=[_table(it) for it in self.answers],
            pictures=(_REPOSITORIES, _HOTSPOTS),
            notes=_notes,
        )

    def sections(self) -> Sequence[Section]:
        """Return the style of the page: tables with paths scroll on a phone."""
        return (Section("", style="td:not(.n) { min-width: 9rem; }"),)

    def rows_of(self, question: str) -> list[dict[str, Cell]]:
        """Return the rows of a section by the names of their columns."""
        [found] = [it for it in self.answers if it.question == question]
        return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def _table(section: FleetSection) -> Table[FleetReport, list[Cell]]:
    return Table(
        title=_TITLES[section.question],
        rows=lambda _: section.rows,
        columns=columns_of(section.columns),
        summary_rows=_SUMMARY_ROWS,
    )


def _labelled(rows: Sequence[PictureRow]) -> list[PictureRow]:
    """Mark the first rows: more names would cover one another."""
    return [{**row, "labelled": at < _LABELLED} for at, row in enumerate(rows)]


_REPOSITORIES = Picture[FleetReport](
    name="repositories",
    title="Repositories by size and maintainability",
    rows=lambda it: _labelled(
        [row for row in it.rows_of("repositories") if row["maintainability"] is not None]
    ),
    spec=scatter(
        Shown("code_lines", "Lines of code", format=",d"),
        Shown("maintainability", "Maintainability index, mean by lines"),
        label=Shown("repository", "Repository", "nominal"),
        size=Shown("findings", "Findings"),
        color=_GATE,
        labelled="labelled",
    ),
    alt=lambda it, rows: (
        f"{rows[0]['repository']} is the largest of "
        f"{counted(it.totals.repositories, 'repository', 'repositories')}; "
        f"{it.totals.failing:,} fail the gate. What is low and far to the right is large and hard "
        "to maintain."
    ),
    text=bars("repository", "code_lines"),
)
_HOTSPOTS = Picture[FleetReport](
    name="hotspots",
    title="Files that change often and are hard to follow",
    rows=lambda it: _labelled(
        [{**row, "file": str(row["path"]).rpartition("/")[2]} for row in it.rows_of("hotspots")]
    ),
    spec=scatter(
        Shown("commits", "Commits in a year", is_count=True),
        Shown("max_cognitive", "Cognitive complexity of its worst function"),
        label=Shown("file", "File", "nominal"),
        size=Shown("code_lines", "Lines of code"),
        more=(
            Shown("repository", "Repository", "nominal"),
            Shown("path", "Path", "nominal"),
            Shown("owner", "Most commits by", "nominal"),
        ),
        labelled="labelled",
    ),
    alt=lambda _, rows: (
        f"{rows[0]['path']} of {rows[0]['repository']} weighs most: {rows[0]['commits']} commits, "
        f"and a function with a cognitive complexity of {rows[0]['max_cognitive']}. "
        f"{len(rows)} files are drawn."
    ),
    text=bars("file", "weight"),
)
