"""A second process that takes measures beside the first, so that both cores work."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._side_measures import CODE_INDEX, SideMeasures, worth_taking_aside

__all__ = ["CODE_INDEX", "SideMeasures", "worth_taking_aside"]

__getattr__ = lazy(__name__)
