"""Keep a note about code for later."""

from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from benchpin.code import index_for, one_symbol
from benchpin.comments import NewComment
from benchpin.comments.anchoring import Scope
from benchpin.comments.remembering import NotePlace, add_note
from benchpin.core.calls import Bench
from benchpin.core.errors import FileMissing
from benchpin.core.results import Result
from benchpin.core.text import sendable
from benchpin.core.tools import AlsoNamed, Effect, Params, Rare, tool
from benchpin.facts import FileSelection

from ._protocol import Author, CommentText, Tag, written_by
from ._tool_comments import ToolComments

Where = Annotated[str, Field(min_length=1, max_length=500)]
# What other tools call one of the places.
ALSO_AT = AlsoNamed(("symbol", "path", "filePath"))


class RememberParams(Params):
    """A note, and what it is about."""

    text: CommentText
    """What to remember; names in backticks are checked against the code later."""
    at: Annotated[tuple[Where, ...], Field(min_length=1, max_length=20), ALSO_AT] = (".",)
    """path:line, symbol, file, folder or `.`; several if they must change together."""
    tag: Rare[Tag] = "NOTE"
    """Comment tag category."""
    author: Rare[Author] = "ai"
    """Author name."""


class Remembered(Result):
    """Where the note is kept."""

    places: list[str]
    ids: list[str]
    """The comment at each place."""

    def to_text(self) -> str:
        """Return what was kept."""
        return f"Remembered at {', '.join(self.places)} ({', '.join(self.ids)})."


@tool(
    title="Remember a note",
    effect=Effect.RECORD,
    also=(
        "save a memory, note for later, write down a decision, keep in mind, lesson learned, "
        "these files must change together, store knowledge about the code"
    ),
)
def remember(params: RememberParams, bench: Bench) -> Remembered:
    """Keep a note on lines, symbols, files or folders for recall.

    It follows the code, and says later whether the code is still the same.
    """
    comments = ToolComments(bench)
    places = list(dict.fromkeys(place_named(it, bench) for it in params.at))
    for place in places:
        if place.scope != "folder":
            comments.resolve(str(place.path))

    def new(scope: Scope) -> NewComment:
        extra = written_by(bench.caller)
        return NewComment(params.text, params.tag, params.author, scope=scope, extra=extra)

    added = add_note(comments, places, new)
    return Remembered(
        places=[sendable(str(it)) for it in places], ids=[comment_id for _, comment_id in added]
    )


def place_named(written: str, bench: Bench) -> NotePlace:
    """Return what a caller names: a path with a line, a file, a folder, or else a symbol.

    Raises:
        InvalidParams: when it is neither a path nor one symbol.
        PathError: when it is a path that may not be read.
    """
    path, _, line = written.rpartition(":")
    if path and line.isdecimal():
        return NotePlace(bench.found(path), int(line))
    try:
        found = bench.found(written)
    except FileMissing:
        if "/" in written and "::" not in written:
            raise
        selection = FileSelection(bench.session, bench.permissions, bench.job)
        symbol, _ = one_symbol(index_for(selection, (written,)), written, bench.job)
        return NotePlace(PurePosixPath(symbol.file), symbol.line, "symbol", symbol.end_line)
    is_folder = (bench.workspace.root / found).is_dir()
    return NotePlace(found, scope="folder" if is_folder else "file")
