"""Show what a change does, function by function."""

from benchpin.code.changes import FileDelta
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, tool
from benchpin.present import Column, ListParams, Report, Table, View, location
from benchpin.workspace.diffs import unified_diff

from ._changes import (
    ChangedFileRow,
    ChangedSymbolRow,
    ChangeParams,
    not_compared,
    read_change,
    size_of_change,
)


class ShowChangesParams(ListParams, ChangeParams):
    """Which change, and how much of it to show."""

    include_diff: bool = False
    """Also show the lines."""

    shown_by = ListParams.shown_by | {"include_diff"}


def _named(row: ChangedSymbolRow) -> str:
    origin = row.old_name or row.old_path
    return f"{row.name} (was {origin})" if origin else row.name


def _path(row: ChangedFileRow) -> str:
    return f"{row.file} (was {row.old_path})" if row.old_path else row.file


class ChangesReport(Report):
    """Files and symbols that differ, by path and line."""

    compared: str
    """What was compared."""
    files: list[ChangedFileRow]
    symbols: list[ChangedSymbolRow]
    total: int
    """Symbols."""
    next_cursor: str | None
    diff: str | None
    """The unified diff, if it was asked for."""
    not_read: dict[str, str]
    """Files that could not be compared, and why."""

    view = View["ChangesReport"](
        title="Changes",
        headline=lambda it: [size_of_change(it.compared, it.files, it.symbols, it.text_style)],
        tables=(
            Table(
                rows=lambda it: it.symbols,
                columns=(
                    Column("status"),
                    Column("kind"),
                    Column("name", _named),
                    location(end_line="end_line"),
                    Column("signature", is_detail=True),
                ),
                title="Symbols",
            ),
            Table(
                rows=lambda it: it.files,
                columns=(
                    Column("status"),
                    Column("added", heading="+"),
                    Column("deleted", heading="-"),
                    Column("file", _path),
                ),
                title="Files",
            ),
        ),
        notes=lambda it: it.diff.split("\n") if it.diff else (),
    )

    def lacks(self) -> list[str]:
        """Return which files could not be compared."""
        return not_compared(self.not_read)


@tool(
    title="Show what changed",
    effect=Effect.READ,
    also=(
        "git status, git diff, what did I change, uncommitted work, modified files, diff "
        "between branches, changed functions, staged, what changed on this branch, since the "
        "last commit, compare with main, touched functions, review a diff"
    ),
)
def show_changes(params: ShowChangesParams, bench: Bench) -> ChangesReport:
    """Show what a change does, file by file and function by function.

    Takes uncommitted or staged work, a branch, a range of commits or a patch.
    """
    read = read_change(params, bench)
    page = params.page(read.symbol_rows())
    return ChangesReport(
        compared=read.deltas.title,
        files=read.file_rows(),
        symbols=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        diff="\n".join(map(_diff, read.deltas.files)) if params.include_diff else None,
        not_read=dict(read.deltas.unreadable),
        format=params.format,
    )


def _diff(delta: FileDelta) -> str:
    before, after = (it or b"" for it in (delta.before, delta.after))
    if b"\0" in before or b"\0" in after:
        return f"Binary file {delta.path} differs"
    old, new = (it.decode(errors="replace") for it in (before, after))
    return unified_diff(old, new, delta.path).rstrip("\n")
