"""Answer a question about code: the definitions that matter, and what is around them."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._answer import answer
    from ._explored import Excerpted, Explored, UsedSetting

__all__ = [
    "Excerpted",
    "Explored",
    "UsedSetting",
    "answer",
]

__getattr__ = lazy(__name__)
