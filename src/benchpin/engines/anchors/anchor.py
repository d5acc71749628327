"""What a comment remembers of the line that it is about, so that the line is found again."""

import msgspec

from .document import Document

CONTEXT_LINES = 3


class Anchor(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line, in the words that it had when the comment was written; never changed afterwards."""

    blob_id: str
    """The whole text as git names it: SHA-1 of the blob."""
    line: int
    """Counted from 1."""
    text: str
    before: tuple[str, ...] = ()
    """Up to three lines that stood above, from top to bottom."""
    after: tuple[str, ...] = ()
    """Up to three lines that stood below."""
    symbol: str = ""
    """Path of the innermost function or type around the line; empty outside of any."""
    symbol_kind: str = ""
    symbol_offset: int = 0
    """How many lines below the symbol's first one."""
    commit: str = ""
    """The commit that was checked out; empty where there was none."""


def make_anchor(document: Document, line: int, *, commit: str = "") -> Anchor:
    """Describe a line of a document.

    Raises:
        IndexError: when the document has no such line.
    """
    lines = document.lines
    if not 1 <= line <= len(lines):
        raise IndexError(line)
    symbol = document.symbol_at(line)
    return Anchor(
        blob_id=document.blob_id,
        line=line,
        text=lines[line - 1],
        before=tuple(lines[max(0, line - 1 - CONTEXT_LINES) : line - 1]),
        after=tuple(lines[line : line + CONTEXT_LINES]),
        symbol="" if symbol is None else symbol.path,
        symbol_kind="" if symbol is None else symbol.kind,
        symbol_offset=0 if symbol is None else line - symbol.line,
        commit=commit,
    )
