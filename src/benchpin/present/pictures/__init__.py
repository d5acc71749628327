"""Pictures of a report: declared once, drawn in pages, SVG, PNG and text."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._picture import VEGA, VEGA_LITE, Drawn, Picture, PictureRow, Specification, Value, theme
    from ._picture_text import bars, over_time
    from ._vega import MISSING, is_installed, script_bundle, to_png, to_svg

__all__ = [
    "MISSING",
    "VEGA",
    "VEGA_LITE",
    "Drawn",
    "Picture",
    "PictureRow",
    "Specification",
    "Value",
    "bars",
    "is_installed",
    "over_time",
    "script_bundle",
    "theme",
    "to_png",
    "to_svg",
]

__getattr__ = lazy(__name__)
