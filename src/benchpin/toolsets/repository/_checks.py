"""What the checks share: their parameters, and the table of problems."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from pydantic import Field

from benchpin.core.results import Item
from benchpin.present import Column, Finding, FindingParams, Level, Report, Table, location

Problem = TypeVar("Problem", bound=Item)


class CheckParams(FindingParams):
    """What to check, and how to show it."""

    path: str = "."
    """Folder of the repository; relative to the workspace."""


class CheckReport(Report, Generic[Problem]):
    """A page of problems."""

    problems: list[Problem]
    total: int
    next_cursor: str | None
    has_problems: bool = Field(default=False, exclude=True)
    """Whether one of all problems, not only of this page, is more than a note."""

    def exit_status(self) -> int:
        """Return 1 if there are problems."""
        return 1 if self.has_problems else 0


def problem_table(*columns: Column[Any], before: Sequence[Column[Any]] = ()) -> Table[Any, Any]:
    """Return the table of the problems of a check; other columns come before and after."""
    return Table(
        rows=lambda report: report.problems,
        columns=(*before, Column("rule"), location(), Column("message"), *columns),
        title="Problems",
        findings=lambda it: [Finding(it.rule, _level(it), it.message, it.file, it.line, it.line)],
    )


def _level(problem: object) -> Level:
    level: Level = getattr(problem, "level", "warning")
    return level
