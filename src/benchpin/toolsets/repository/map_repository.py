"""Outline the most important symbols within a token budget."""

from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Result, not_measured
from benchpin.core.text import plain
from benchpin.core.tools import Effect, Params, tool
from benchpin.repository import draw, find_focus, rank_symbols
from benchpin.repository.packing import encoding, preload

from ._repository_tools import open_tree

_MAX_UNREAD_FILES = 10


class MapParams(Params):
    """Which repository, how much of it, and what is in focus."""

    path: str = "."
    """Folder of the repository; relative to the workspace."""
    token_budget: Annotated[int, Field(ge=100, le=100_000)] = 2_000
    """Maximum tokens."""
    focus: tuple[str, ...] = ()
    """Files, folders or symbols that you work on; what they use comes first."""


class RepositoryMap(Result):
    """An outline of the most important symbols; files are in the order of their best symbol."""

    map: str
    tokens: int
    encoding: str
    """The encoding that was counted or estimated; other models count differently."""
    files_shown: int
    files_total: int
    symbols_shown: int
    symbols_total: int
    focus_files: list[str]
    """The files in focus."""
    not_read: dict[str, str]
    """The first files that could not be read, and why."""

    def to_text(self) -> str:
        """Return the map, and how much of the repository it shows."""
        shown = f"{self.symbols_shown:,} of {self.symbols_total:,} symbols"
        return f"{self.map}\n\n{shown} in {self.files_shown:,} of {self.files_total:,} files"

    def lacks(self) -> list[str]:
        """Return which files could not be read."""
        return not_measured({plain(path): why for path, why in self.not_read.items()})


@tool(
    title="Map of a repository",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "overview of the architecture, important classes and functions, where to start reading, "
        "structure of the code, repo map, key symbols, main parts, big picture, main modules, "
        "get to know the code, key classes"
    ),
)
def map_repository(params: MapParams, bench: Bench) -> RepositoryMap:
    """Outline the most important functions and types of a repository within a token budget.

    Ranked by how much other code uses them, starting from the files or names in focus. Use it to
    find your way before reading files. For all of one file there is outline_file.
    """
    preload()
    tree = open_tree(params.path, bench)
    sources = tree.read_sources(bench.job, "links")
    files = [it for it in sources.files if not it.outline.is_generated]
    focus = find_focus(files, params.focus)
    symbols = rank_symbols(files, tree, focus, bench.job)
    drawn = draw(symbols, params.token_budget)
    return RepositoryMap(
        map=drawn.text,
        tokens=drawn.tokens,
        encoding=encoding(),
        files_shown=drawn.files,
        files_total=len(files),
        symbols_shown=drawn.symbols,
        symbols_total=len(symbols),
        focus_files=sorted(focus.files)[:20],
        not_read=dict(sorted(sources.unmeasured.items())[:_MAX_UNREAD_FILES]),
    )
