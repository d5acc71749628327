"""Pictures that join several measures of a project."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._call_map import CallMap, call_map, describe_calls
    from ._folders import PERIOD_DAYS, FileState, Landscape, describe_folders, survey, tree_rows
    from ._treemap import Colors, color_rows, treemap

__all__ = [
    "PERIOD_DAYS",
    "CallMap",
    "Colors",
    "FileState",
    "Landscape",
    "call_map",
    "color_rows",
    "describe_calls",
    "describe_folders",
    "survey",
    "tree_rows",
    "treemap",
]

__getattr__ = lazy(__name__)
