"""Specifications of pictures by kind: bars, scatter plots, boxes and lines."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._node_link import CLOSES_CYCLE, KINDS, Pair, layered, node_link
    from ._plots import (
        BLUE,
        MARKS,
        ORANGE,
        RED,
        Shown,
        by_level,
        by_share,
        checklist,
        labels_apart,
        matrix,
        scatter,
        stacked_bars,
    )

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
    "labels_apart",
    "layered",
    "matrix",
    "node_link",
    "scatter",
    "stacked_bars",
]

__getattr__ = lazy(__name__)
