"""List a folder."""

import datetime as dt
from typing import Annotated

from pydantic import Field

from benchpin.core import (
    Bench,
    Effect,
    Item,
    Operation,
    Params,
    Result,
    look_into,
    plain,
    sendable,
    tool,
)
from benchpin.engines.files.listing import Described, Kind, Listing, describe, list_folder

MOST_COUNTED = 100_000
_DEEPEST = 1_000


class ListParams(Params):
    """Which folder, and how deep."""

    path: str = "."
    """Directory path relative to the workspace."""
    recursive: bool = False
    """Include subdirectories."""
    max_depth: Annotated[int, Field(ge=1)] | None = None
    """Maximum recursion depth; 1 is the folder itself."""
    include_hidden: bool = False
    """Include hidden files."""
    include_ignored: bool = False
    """Include what .gitignore leaves out."""
    limit: Annotated[int, Field(ge=1, le=10_000)] = 1_000
    """How many entries to return."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


class DirectoryEntry(Item):
    """Something in a folder."""

    path: str
    kind: Kind
    size_bytes: int | None
    """Of files only."""
    modified: dt.datetime


class DirectoryListing(Result):
    """What is in a folder, in the order of names; a folder stands before what is in it."""

    path: str
    entries: list[DirectoryEntry]
    total: int | None
    """How many there are; null when they were not all counted."""
    next_cursor: str | None
    is_cut: bool
    """Whether there are more than were counted."""

    def to_text(self) -> str:
        """Return one line an entry; folders end with a slash, files have their size."""
        lines = [_line(entry) for entry in self.entries]
        if self.next_cursor is not None:
            total = "more than were counted" if self.total is None else self.total
            lines.append(f"[{len(lines)} of {total}; next_cursor={self.next_cursor}]")
        return "\n".join(lines) or "The folder is empty."


@tool(title="List a folder", effect=Effect.READ, is_brief=True)
def list_directory(params: ListParams, bench: Bench) -> DirectoryListing:
    """List the files and folders of a directory in the workspace, with kinds and sizes.

    What .gitignore leaves out and hidden files are left out unless asked for.
    """
    place = bench.path(params.path)
    path = bench.workspace.relative(place)
    is_deep = params.recursive or params.max_depth is not None
    wanted = Listing(
        max_depth=(params.max_depth or _DEEPEST) if is_deep else 1,
        include_hidden=params.include_hidden,
        include_ignored=params.include_ignored,
    )
    entries = list_folder(bench.workspace.root, path, wanted, bench.job)
    allowed = (it for it in entries if bench.may(it.path, Operation.READ) or it.kind == "folder")
    page = look_into(
        allowed,
        listing=f"list {params.model_dump(exclude={'cursor', 'limit'})}",
        cursor=params.cursor,
        limit=params.limit,
        most=MOST_COUNTED,
    )
    total = None if bench.job.missing else page.total
    shown = describe(bench.workspace.root, page.items, bench.job)
    return DirectoryListing.model_validate(
        {
            "path": str(path),
            "entries": [_entry(it) for it in shown],
            "total": total,
            "next_cursor": page.next_cursor,
            "is_cut": total is None,
        }
    )


def _entry(it: Described) -> dict[str, object]:
    """Return an entry as a model takes it, all of them at once."""
    modified = dt.datetime.fromtimestamp(it.mtime_ns / 1e9, dt.UTC)
    return {
        "path": sendable(it.path),
        "kind": it.kind,
        "size_bytes": it.size_bytes,
        "modified": modified,
    }


def _line(entry: DirectoryEntry) -> str:
    match entry.kind:
        case "folder":
            return f"{plain(entry.path)}/"
        case "file":
            return f"{plain(entry.path)}  {entry.size_bytes:,}"
        case kind:
            return f"{plain(entry.path)}  ({kind})"
