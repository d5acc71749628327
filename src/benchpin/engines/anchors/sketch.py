"""A text by the numbers of its lines: enough to find lines again where no git keeps the text.

Five bytes a line in JSON, instead of the text itself.
"""

import array
import base64
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import msgspec

from .anchor import Anchor
from .document import Document, places_of


class Sketch(msgspec.Struct, frozen=True):
    """What a sidecar keeps of a text that its anchors were made in."""

    blob_id: str
    keys: str
    """A 32-bit number for each line, little-endian, in base 64."""


def draw_sketch(document: Document) -> Sketch:
    """Return what must be kept of a document."""
    return Sketch(document.blob_id, base64.b64encode(_packed(document.keys)).decode("ascii"))


class SketchedBase:
    """A text of which only the anchors' own lines are known in words."""

    def __init__(self, sketch: Sketch, anchors: Iterable[Anchor]) -> None:
        """Take a sketch, and anchors that were made in the same text.

        Raises:
            ValueError: when the sketch is damaged.
        """
        self.blob_id = sketch.blob_id
        self.keys: Sequence[int] = _unpacked(base64.b64decode(sketch.keys, validate=True))
        self._anchors = {anchor.line: anchor for anchor in anchors}

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines as far as they are known, empty where they are not."""
        lines = [""] * len(self.keys)
        for anchor in self._anchors.values():
            first = anchor.line - 1 - len(anchor.before)
            for place, text in enumerate((*anchor.before, anchor.text, *anchor.after), first):
                if 0 <= place < len(lines):
                    lines[place] = text
        return lines

    @cached_property
    def places(self) -> Mapping[int, Sequence[int]]:
        """Return where each key stands, counted from 0."""
        return places_of(self.keys)

    def symbol_path(self, line: int) -> str:
        """Return the symbol that the anchor of a line names."""
        anchor = self._anchors.get(line)
        return "" if anchor is None else anchor.symbol


def _packed(keys: Iterable[int]) -> bytes:
    numbers = array.array("I", keys)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _unpacked(packed: bytes) -> Sequence[int]:
    numbers = array.array("I", packed)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()
