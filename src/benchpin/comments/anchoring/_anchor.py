"""What is stored about the line of a comment, where the line is now, and how sure that is."""

import array
import base64
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

import msgspec
from pydantic import ConfigDict, PlainSerializer
from pydantic.alias_generators import to_camel

from benchpin.core.text import sendable

from ._tracked_text import TrackedText

# The comment protocol has its field names in camel case.
CAMEL_CASE = ConfigDict(alias_generator=to_camel)
GONE = "the file is gone"
# A path that is sent as a URI when it is not UTF-8.
SentPath = Annotated[str, PlainSerializer(sendable, return_type=str)]
CONTEXT_LINES = 3


class Layer(StrEnum):
    """The methods that find a line again, most reliable first."""

    SAME = "same_content"
    DIFF = "diff"
    TWIN = "twin"
    EDITED = "edited"
    MOVED = "moved"
    CONTEXT = "context"


# The share of correct placements in `bench/anchoring.py` on two projects, rounded down.
_CONFIDENCE = {
    Layer.SAME: 1.0,
    Layer.DIFF: 0.999,
    Layer.TWIN: 0.9,
    Layer.EDITED: 0.98,
    Layer.MOVED: 0.85,
    Layer.CONTEXT: 0.99,
}


class Placement(msgspec.Struct, frozen=True):
    """The line of a comment."""

    path: str
    line: int
    """Counted from 1."""
    layer: Layer
    reason: str = ""

    @property
    def confidence(self) -> float:
        """How often a placement by this layer was correct on real history."""
        return _CONFIDENCE[self.layer]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A line where an orphaned comment may belong."""

    __pydantic_config__: ClassVar[ConfigDict] = CAMEL_CASE

    file_path: SentPath
    line: int
    score: float
    """From 0 to 1, for ordering."""
    reason: str


class Orphan(msgspec.Struct, frozen=True):
    """A comment whose line is gone, or cannot be distinguished from similar lines."""

    reason: str
    suggestions: tuple[Suggestion, ...] = ()
    """Best first."""
    path: str = ""
    """The file that was searched in vain; empty when the comment was never known to be there."""
    last: "LastPlace | None" = None
    """Where the line was last; None when no text that had it is known."""


@dataclass(frozen=True, slots=True)
class LastPlace:
    """Where a line was before it was removed."""

    __pydantic_config__: ClassVar[ConfigDict] = CAMEL_CASE

    file_path: SentPath
    line: int
    """Counted in the parent of the commit that removed it."""
    removed_in: str = ""
    """That commit; empty when the removal is not committed, or no commit is known."""


Outcome = Placement | Orphan


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
    symbol_lines: int = 0
    """Lines of the symbol; 0 when they were not counted."""
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
        symbol_lines=0 if symbol is None else symbol.end_line - symbol.line + 1,
        commit=commit,
    )


# A sketch has the checksums of the lines of a text: enough to find lines again without the text. A
# sidecar keeps sketches for workspaces where git does not have the text; they take five bytes a
# line in JSON.


def sketch_of(text: TrackedText) -> str:
    """Return the keys of the lines as 32-bit little-endian numbers in base 64."""
    return base64.b64encode(_swapped(array.array("I", text.keys)).tobytes()).decode("ascii")


class SketchedText(TrackedText):
    """A text of which only the lines in anchors are known; the others are empty."""

    def __init__(self, blob_id: str, sketch: str, anchors: Iterable[Anchor]) -> None:
        """Take a sketch, and anchors that were made in the same text.

        Raises:
            ValueError: when the sketch is damaged.
        """
        super().__init__(b"")
        packed = array.array("I", base64.b64decode(sketch, validate=True))
        self.blob_id = blob_id
        self.keys = _swapped(packed).tolist()
        self.lines = [""] * len(self.keys)
        self._anchors = {anchor.line: anchor for anchor in anchors}
        for anchor in self._anchors.values():
            first = anchor.line - 1 - len(anchor.before)
            for place, text in enumerate((*anchor.before, anchor.text, *anchor.after), first):
                if 0 <= place < len(self.lines):
                    self.lines[place] = text

    @property
    def is_complete(self) -> bool:
        """Whether the text of every line is known: only a few of them are."""
        return False

    def symbol_path(self, line: int) -> str:
        """Return the symbol in the anchor of a line."""
        anchor = self._anchors.get(line)
        return "" if anchor is None else anchor.symbol


def _swapped(numbers: "array.array[int]") -> "array.array[int]":
    """Change the byte order on a big-endian machine: a sketch is little-endian everywhere."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
