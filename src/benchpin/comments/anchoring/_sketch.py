"""A text as the checksums of its lines: enough to find lines again without the text itself.

A sidecar keeps sketches for workspaces where git does not have the text. They take five bytes a
line in JSON.
"""

import array
import base64
import sys
from collections.abc import Iterable

from ._anchor import Anchor
from ._source_text import TrackedText


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

    def symbol_path(self, line: int) -> str:
        """Return the symbol in the anchor of a line."""
        anchor = self._anchors.get(line)
        return "" if anchor is None else anchor.symbol


def _swapped(numbers: "array.array[int]") -> "array.array[int]":
    """Change the byte order on a big-endian machine: a sketch is little-endian everywhere."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
