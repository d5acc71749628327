"""Which types inherit from a type or implement it, and which methods override a method."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._demands import demands, lacking
    from ._implementations import Implementation, Relatives, declares, implementations_of
    from ._subtypes import Heir, Subtypes

__all__ = [
    "Heir",
    "Implementation",
    "Relatives",
    "Subtypes",
    "declares",
    "demands",
    "implementations_of",
    "lacking",
]

__getattr__ = lazy(__name__)
