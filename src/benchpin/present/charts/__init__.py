"""Specifications of pictures by kind: bars, scatter plots, boxes and lines."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._bars import matrix, stacked_bars
    from ._checklist import MARKS, checklist
    from ._fields import Shown
    from ._layers import Pair, layered
    from ._node_link import CLOSES_CYCLE, KINDS, node_link
    from ._palette import BLUE, ORANGE, RED, by_level, by_share
    from ._scatter import scatter

__all__ = [
    "BLUE",
    "CLOSES_CYCLE",
    "KINDS",
    "MARKS",
    "ORANGE",
    "RED",
    "Pair",
    "Shown",
    "by_level",
    "by_share",
    "checklist",
    "layered",
    "matrix",
    "node_link",
    "scatter",
    "stacked_bars",
]

__getattr__ = lazy(
    __name__,
    """
    _bars: matrix stacked_bars
    _checklist: MARKS checklist
    _fields: Shown
    _layers: Pair layered
    _node_link: CLOSES_CYCLE KINDS node_link
    _palette: BLUE ORANGE RED by_level by_share
    _scatter: scatter
    """,
)
