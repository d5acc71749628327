"""List a folder."""

from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench, Operation
from benchpin.core.results import paginate_stream
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.present import MACHINE_FORMATS, Column, ListParams, Report, Table, View
from benchpin.workspace.search import (
    DirectoryEntry,
    ListedPath,
    ListingOptions,
    list_folder,
    read_entries,
)
from benchpin.workspace.walking import RepositoryRules

MAX_COUNTED = 100_000
_MAX_DEPTH = 1_000


class DirectoryParams(ListParams):
    """Which folder, and how deep."""

    path: str = "."
    """Directory path relative to the workspace."""
    recursive: bool = False
    """Include subdirectories; max_depth alone does so too."""
    max_depth: Rare[Annotated[int, Field(ge=1)] | None] = None
    """Maximum recursion depth; 1 is the folder itself."""
    include_hidden: Rare[bool] = False
    """Include hidden files."""
    include_ignored: Rare[bool] = False
    """Include what .gitignore excludes."""
    limit: Annotated[int, Field(ge=1, le=10_000)] = 1_000
    """Entries to return; csv has all of them unless a limit is given."""

    @property
    def is_deep(self) -> bool:
        """Whether to list subdirectories; `recursive: false` wins over a depth."""
        is_chosen = "recursive" in self.model_fields_set
        return self.recursive or (self.max_depth is not None and not is_chosen)


def _shown(entry: DirectoryEntry) -> str:
    suffix = {"file": "", "folder": "/"}.get(entry.kind, f" ({entry.kind})")
    return entry.path + suffix


class DirectoryListing(Report):
    """The entries of a folder sorted by name, each folder before its own entries."""

    path: str
    entries: list[DirectoryEntry]
    total: int | None
    """How many there are; null when they were not all counted."""
    next_cursor: str | None
    is_cut: bool
    """Whether there are more than were counted."""

    view = View["DirectoryListing"](
        title="Directory",
        headline=lambda it: [it.headline()],
        tables=(
            Table(
                rows=lambda it: it.entries,
                columns=(
                    Column("size_bytes", heading="bytes"),
                    Column(
                        "modified",
                        lambda it: it.modified.isoformat(timespec="seconds"),
                        is_detail=True,
                    ),
                    Column("path", _shown, parts=(Column("path"), Column("kind"))),
                ),
            ),
        ),
    )

    def headline(self) -> str:
        """Return how many entries the folder has."""
        if not self.entries:
            return "The folder is empty."
        total = len(self.entries) if self.total is None else self.total
        return f"{'over ' * self.is_cut}{counted(total, 'entry', 'entries')} in {self.path}"

    def lacks(self) -> list[str]:
        """Return what was not counted."""
        is_uncounted = self.is_cut and not self.partial
        return [f"entries after the first {MAX_COUNTED:,}"] if is_uncounted else []

    def footer(self) -> str:
        """Return the line that leads to the next page; empty on the last one."""
        return "" if self.next_cursor is None else self.next_page(self.total, self.next_cursor)


def _may_name(listed: ListedPath, bench: Bench) -> bool:
    """Whether a file may be read, or a folder is not denied; no rule needs to allow a folder."""
    if bench.may(listed.path, Operation.READ):
        return True
    path = PurePosixPath(listed.path)
    denial = bench.permissions.denied_by(path, Operation.READ, is_folder=listed.kind == "folder")
    return denial is None


@tool(
    title="List a folder",
    effect=Effect.READ,
    also=(
        "ls, dir, tree, folder content, what files are there, browse, sizes, how big are the "
        "files, which files do we have in a folder, newest"
    ),
)
def list_directory(params: DirectoryParams, bench: Bench) -> DirectoryListing:
    """List the files and folders of a directory in the workspace, with kinds and sizes.

    Hidden files and what .gitignore excludes are left out by default.
    """
    path = bench.relative(params.path)
    options = ListingOptions(
        max_depth=(params.max_depth or _MAX_DEPTH) if params.is_deep else 1,
        include_hidden=params.include_hidden,
        include_ignored=params.include_ignored,
    )
    rules = bench.session.service(RepositoryRules, RepositoryRules)
    listed = list_folder(bench.workspace.root, path, options, rules, bench.job)
    allowed = (it for it in listed if _may_name(it, bench))
    is_unlimited = params.format in MACHINE_FORMATS and "limit" not in params.model_fields_set
    page = paginate_stream(
        allowed,
        listing=f"list {params.model_dump(exclude=set(params.shown_by))}",
        cursor=params.cursor,
        limit=MAX_COUNTED if is_unlimited else params.limit,
        max_counted=MAX_COUNTED,
    )
    total = None if bench.job.missing else page.total
    return DirectoryListing(
        path=str(path),
        entries=list(read_entries(bench.workspace.root, page.items, bench.job)),
        total=total,
        next_cursor=page.next_cursor,
        is_cut=total is None,
        format=params.format,
    )
