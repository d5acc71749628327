"""What is stored about the line of a comment, so that the line can be found again."""

import msgspec

from ._source_text import TrackedText

CONTEXT_LINES = 3


class Anchor(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A line as it was when the comment was written; never changed afterwards."""

    blob_id: str
    """The id of the whole text in git: SHA-1 of the blob."""
    line: int
    """Counted from 1."""
    text: str
    before: tuple[str, ...] = ()
    """Up to three lines above, from top to bottom."""
    after: tuple[str, ...] = ()
    """Up to three lines below."""
    symbol: str = ""
    """Path of the innermost function or type around the line; empty outside of any."""
    symbol_kind: str = ""
    symbol_offset: int = 0
    """Lines below the first line of the symbol."""
    commit: str = ""
    """The commit that was checked out; empty where there was none."""


def make_anchor(text: TrackedText, line: int, *, commit: str = "") -> Anchor:
    """Describe a line of a text.

    Raises:
        IndexError: when the text has no such line.
    """
    lines = text.lines
    if not 1 <= line <= len(lines):
        raise IndexError(line)
    symbol = text.symbol_at(line)
    return Anchor(
        blob_id=text.blob_id,
        line=line,
        text=lines[line - 1],
        before=tuple(lines[max(0, line - 1 - CONTEXT_LINES) : line - 1]),
        after=tuple(lines[line : line + CONTEXT_LINES]),
        symbol="" if symbol is None else symbol.path,
        symbol_kind="" if symbol is None else symbol.kind,
        symbol_offset=0 if symbol is None else line - symbol.line,
        commit=commit,
    )
