"""Fields of rows as Vega-Lite names them: which field, of which type, with which title."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["quantitative", "nominal", "ordinal", "temporal"]


@dataclass(frozen=True, slots=True)
class Shown:
    """A field of the rows and how people read it."""

    field: str
    title: str
    """With its unit, as an axis or a legend has it."""
    kind: Kind = "quantitative"
    format: str = ""
    """How a number is written: a format of d3 such as `.0%`."""
    is_count: bool = False
    """Whether there is nothing between two whole numbers."""

    def channel(self, **more: object) -> dict[str, object]:
        """Return the field as an encoding channel has it."""
        found: dict[str, object] = {"field": self.field, "type": self.kind, "title": self.title}
        if self.format:
            found["format"] = self.format
        return found | more

    def axis(self, **more: object) -> dict[str, object]:
        """Return the field as a positional channel has it, with the format on its axis."""
        found: dict[str, object] = {"field": self.field, "type": self.kind, "title": self.title}
        axis: dict[str, object] = {"tickCount": 8} if self.kind == "quantitative" else {}
        axis |= {"format": self.format} if self.format else {}
        axis |= {"tickMinStep": 1} if self.is_count else {}
        return found | ({"axis": axis} if axis else {}) | more


def tooltip(*fields: Shown) -> list[dict[str, object]]:
    """Return the channel that shows fields beside the pointer."""
    return [it.channel() for it in fields]
