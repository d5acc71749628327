"""Draw the symbols that matter most, within a number of tokens."""

import os
from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, Effect, Operation, Params, Result, plain, tool
from benchpin.engines.repository.outline import draw
from benchpin.engines.repository.ranking import find_focus, rank_symbols
from benchpin.engines.repository.tokens import ENCODING, prepare
from benchpin.engines.source.opening import Unreadable, read_regular
from benchpin.engines.source.resolve import Reader

from ._tree import open_tree, read_outlines

_MOST_BYTES = 1 << 20
_MOST_NOT_READ = 10


class MapParams(Params):
    """Which repository, how much of it, and what matters."""

    path: str = "."
    """Folder of the repository, relative to the workspace."""
    token_budget: Annotated[int, Field(ge=100, le=100_000)] = 2_000
    """How many tokens the map may have."""
    focus: tuple[str, ...] = ()
    """Files, folders or symbols that you work on: what matters to them comes first."""


class RepositoryMap(Result):
    """An outline of the symbols that matter, files in the order of their best symbol."""

    map: str
    tokens: int
    encoding: str
    """Whose tokens these are; other models count differently."""
    files_shown: int
    files_total: int
    symbols_shown: int
    symbols_total: int
    focus_files: list[str]
    """The files that focus means."""
    not_read: dict[str, str]
    """The first files that could not be read, and why."""

    def to_text(self) -> str:
        """Return the map, and how much of all it is."""
        shown = f"{self.symbols_shown:,} of {self.symbols_total:,} symbols"
        lines = [f"{self.map}\n\n{shown} in {self.files_shown:,} of {self.files_total:,} files"]
        lines += [f"not read: {plain(path)}: {plain(why)}" for path, why in self.not_read.items()]
        return "\n".join(lines)


@tool(title="Map of a repository", effect=Effect.READ)
def map_repository(params: MapParams, bench: Bench) -> RepositoryMap:
    """Outline the functions and types that matter most, within a token budget.

    Ranked by who uses what, from the files or names in focus. Use it to see where things are before
    reading files; outline_file shows one file whole.
    """
    prepare()
    tree = open_tree(params.path, bench)
    sources = read_outlines(tree, bench, "links")
    files = [it for it in sources.files if not it.outline.is_generated]
    focus = find_focus(files, params.focus)
    symbols = rank_symbols(files, _reader(bench), focus, tree.base, bench.job)
    drawn = draw(symbols, params.token_budget)
    return RepositoryMap(
        map=drawn.text,
        tokens=drawn.tokens,
        encoding=ENCODING,
        files_shown=drawn.files,
        files_total=len(files),
        symbols_shown=drawn.symbols,
        symbols_total=len(symbols),
        focus_files=sorted(focus.files)[:20],
        not_read=dict(sorted(sources.unmeasured.items())[:_MOST_NOT_READ]),
    )


def _reader(bench: Bench) -> Reader:
    """Return what gives the engine manifests that may be read; no link is followed."""
    root = os.fsencode(bench.workspace.root)

    def read(path: str) -> bytes | None:
        if not bench.may(path, Operation.READ):
            return None
        try:
            return read_regular(root, path, _MOST_BYTES)[0]
        except Unreadable:
            return None

    return read
