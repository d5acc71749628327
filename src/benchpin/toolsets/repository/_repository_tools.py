"""What the tools of this package share: the files of a repository, and how problems are shown."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from pydantic import Field

from benchpin.core.calls import Bench, Operation
from benchpin.core.errors import InvalidPath
from benchpin.core.own_files import SIDECAR_SUFFIX
from benchpin.core.results import Item
from benchpin.facts import open_index
from benchpin.present import Column, Finding, FindingParams, Level, Report, Table, location
from benchpin.repository import RepositoryTree
from benchpin.workspace.walking import WalkOptions

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


def open_tree(path: str, bench: Bench, options: WalkOptions | None = None) -> RepositoryTree:
    """Return the readable files of a folder.

    Raises:
        InvalidPath: when it is a file.
        PathError: when it does not exist or may not be read.
    """
    place = bench.existing(path)
    if not place.is_dir():
        raise InvalidPath(
            f"{path!r} is a file",
            suggestion="Give the folder of a repository.",
            data={"path": path},
        )
    start = str(bench.workspace.relative(place))
    bench.job.report(0, None, "folders")
    walked = open_index(bench.session).walk(options or WalkOptions(), start, bench.job)
    files = [file for file in walked.files if not file.path.endswith(SIDECAR_SUFFIX)]
    permitted = [file for file in files if bench.may(file.path, Operation.READ)]
    denied = len(files) - len(permitted)
    return RepositoryTree(
        bench.session,
        "" if start == "." else f"{start}/",
        permitted,
        walked.skipped | ({"not permitted": denied} if denied else {}),
        bench.permissions,
        is_whole=not bench.job.missing,
    )
