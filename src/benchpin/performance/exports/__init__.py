"""Reports and profiles as files: Markdown, pages, flame graphs, formats of other tools."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._flamegraph import flame_script, flame_section, flame_style, flames_page, to_flame_svg
    from ._flames import Flames, differences, flames_of, longest_flames
    from ._pictures import function_picture, query_picture
    from ._report import make_report
    from ._stacks import to_callgrind, to_collapsed, to_pprof, to_speedscope

__all__ = [
    "Flames",
    "differences",
    "flame_script",
    "flame_section",
    "flame_style",
    "flames_of",
    "flames_page",
    "function_picture",
    "longest_flames",
    "make_report",
    "query_picture",
    "to_callgrind",
    "to_collapsed",
    "to_flame_svg",
    "to_pprof",
    "to_speedscope",
]

__getattr__ = lazy(
    __name__,
    """
    _flamegraph: flame_script flame_section flame_style flames_page to_flame_svg
    _flames: Flames differences flames_of longest_flames
    _pictures: function_picture query_picture
    _report: make_report
    _stacks: to_callgrind to_collapsed to_pprof to_speedscope
    """,
)
