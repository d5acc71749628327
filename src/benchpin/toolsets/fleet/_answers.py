"""Answers about a fleet: rows whose columns depend on the question."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from benchpin.core.text import counted
from benchpin.fleet import Answer, Cell
from benchpin.present import Column, Report, Table, View

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
        """The view of this answer."""
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


_SPECS = {"risk": ".0%", "maintainability": ".1f"}


def columns_of(names: Sequence[str]) -> list[Column[Row]]:
    """Return the columns of an answer."""

    def value(at: int) -> Any:
        return lambda row: row[at]

    return [
        Column(name, value(at), spec=_SPECS.get(name, ""), is_severity=name == "gate")
        for at, name in enumerate(names)
    ]
