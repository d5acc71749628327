"""Which types inherit from a type or implement it, and which methods override a method."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._contracts import Override, demands, lacking, misfit_of, only_raises, own_member, pairs_of
    from ._implementations import (
        Implementation,
        Relatives,
        declares,
        defined_by,
        implementations_of,
        inheriting,
        methods_of,
    )
    from ._subtypes import Heir, Subtypes

__all__ = [
    "Heir",
    "Implementation",
    "Override",
    "Relatives",
    "Subtypes",
    "declares",
    "defined_by",
    "demands",
    "implementations_of",
    "inheriting",
    "lacking",
    "methods_of",
    "misfit_of",
    "only_raises",
    "own_member",
    "pairs_of",
]

__getattr__ = lazy(__name__)
