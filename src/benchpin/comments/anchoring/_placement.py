"""The place of a comment in the present code, the method that found it, and how reliable it is."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, ClassVar

import msgspec
from pydantic import ConfigDict, PlainSerializer
from pydantic.alias_generators import to_camel

from benchpin.core.text import sendable

# The comment protocol has its field names in camel case.
CAMEL_CASE = ConfigDict(alias_generator=to_camel)
GONE = "the file is gone"
# A path that is sent as a URI when it is not UTF-8.
SentPath = Annotated[str, PlainSerializer(sendable, return_type=str)]


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


Outcome = Placement | Orphan
