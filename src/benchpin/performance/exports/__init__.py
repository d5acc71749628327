"""Reports and profiles as files: Markdown, pages, flame graphs, formats of other tools."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._flamegraph import (
        ProfileFormat,
        flame_script,
        flame_section,
        flame_style,
        to_flame_svg,
        write_profile,
    )
    from ._flames import Flames, differences, longest_flames, to_draw
    from ._pictures import function_picture, query_picture
    from ._report import make_report
    from ._report_tables import ANALYSIS_TABLES, analysis_headline

__all__ = [
    "ANALYSIS_TABLES",
    "Flames",
    "ProfileFormat",
    "analysis_headline",
    "differences",
    "flame_script",
    "flame_section",
    "flame_style",
    "function_picture",
    "longest_flames",
    "make_report",
    "query_picture",
    "to_draw",
    "to_flame_svg",
    "write_profile",
]

__getattr__ = lazy(__name__)
