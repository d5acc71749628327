"""Show who changed a file, a function or some lines, and why."""

import os
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.tools import Effect, Rare, tool
from benchpin.facts import FileSelection, Function, SourceQuery, Type
from benchpin.measures.history import read_line_history
from benchpin.present import ListParams
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.git import find_repository

from ._reports import HistoryReport, commit_row, lines_by_author

_MAX_BYTES = 16 << 20

Line = Annotated[int, Field(ge=1)]


class HistoryParams(ListParams):
    """Which file, and which part of it."""

    path: str
    """The file."""
    symbol: str | None = None
    """Only this function or type of it."""
    start_line: Line | None = None
    """Only from this line on."""
    end_line: Line | None = None
    """Only up to this line."""
    oldest_first: Rare[bool] = False
    """List the commit that introduced it first."""


@tool(
    title="Show the history of code",
    effect=Effect.READ,
    also=(
        "git log, git blame, who wrote this, when was it changed, why is it like this, last "
        "change of a function, author of a line, previous versions"
    ),
)
def show_history(params: HistoryParams, bench: Bench) -> HistoryReport:
    """Show the commits that changed a file, a function or lines, and who wrote each.

    Renames are followed; uncommitted work is included.
    """
    path = str(bench.workspace.relative(bench.existing(params.path)))
    place = bench.workspace.root / path
    if not place.is_file():
        raise InvalidParams(
            f"{path!r} is not a file", suggestion="Give a file; analyze_code_churn is for folders."
        )
    try:
        now, _ = read_regular(os.fsencode(bench.workspace.root), path, _MAX_BYTES)
    except Unreadable as error:
        message = f"{path!r} cannot be read: {error}"
        raise InvalidParams(message, suggestion="Give a text file.") from error
    repository = find_repository(place.parent, bench.workspace.root, bench.session.git_folders)
    lines = _lines(params, path, bench)
    last = now.count(b"\n") + (not now.endswith(b"\n"))
    if lines and lines[0] > last:
        raise InvalidParams(
            f"{path} has {last:,} lines, and start_line is {lines[0]:,}",
            suggestion="Give lines that the file has.",
        )
    found = read_line_history(repository, path, now, bench.job, lines)
    if params.oldest_first:
        found.reverse()
    page = params.page([commit_row(it) for it in found])
    return HistoryReport(
        file=path,
        start_line=lines[0] if lines else 1,
        end_line=min(lines[1], last) if lines else last,
        commits=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        authors=lines_by_author(found),
        format=params.format,
    )


def _lines(params: HistoryParams, path: str, bench: Bench) -> tuple[int, int] | None:
    if params.symbol is not None:
        query = SourceQuery(start=path)
        selection = FileSelection(bench.session, bench.permissions, bench.job, query)
        known: list[Function | Type] = []
        for file in selection.read().files:
            known += file.outline.functions
            known += file.outline.types
        wanted = params.symbol
        same = [it for it in known if wanted in {it.name, it.name.rpartition(".")[2]}]
        if same:  # an overload has no body, so the longest is the definition
            found = max(same, key=lambda it: (it.name == wanted, it.end_line - it.line))
            return found.line, found.end_line
        names = ", ".join(it.name for it in known[:10]) or "none"
        raise InvalidParams(
            f"{path} has no function or type {wanted[:100]!r}",
            suggestion=f"It has {names}. outline_file lists all.",
        )
    if params.start_line is None and params.end_line is None:
        return None
    first = params.start_line or 1
    last = params.end_line or max(first, 1 << 30)
    if last < first:
        raise InvalidParams(
            f"end_line {last} is before start_line {first}", suggestion="Swap them."
        )
    return first, last
