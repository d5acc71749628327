"""Pictures that join several measures of a project."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._call_map import CallMap, call_map, describe_calls
    from ._dependencies import DependencyMap, file_map, folder_map
    from ._excerpts import MAX_GROUPS, excerpt
    from ._folders import PERIOD_DAYS, FileState, Landscape, describe_folders, survey, tree_rows
    from ._over_time import over_time, past_rows
    from ._together import together_rows
    from ._treemap import Colors, color_rows, treemap

__all__ = [
    "MAX_GROUPS",
    "PERIOD_DAYS",
    "CallMap",
    "Colors",
    "DependencyMap",
    "FileState",
    "Landscape",
    "call_map",
    "color_rows",
    "describe_calls",
    "describe_folders",
    "excerpt",
    "file_map",
    "folder_map",
    "over_time",
    "past_rows",
    "survey",
    "together_rows",
    "tree_rows",
    "treemap",
]

__getattr__ = lazy(
    __name__,
    """
    _call_map: CallMap call_map describe_calls
    _dependencies: DependencyMap file_map folder_map
    _excerpts: MAX_GROUPS excerpt
    _folders: FileState Landscape PERIOD_DAYS describe_folders survey tree_rows
    _over_time: over_time past_rows
    _together: together_rows
    _treemap: Colors color_rows treemap
    """,
)
