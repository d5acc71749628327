"""Profiles in the formats of other tools, with the same sums as the profile."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._flamegraph import (
        flame_script,
        flame_section,
        flame_style,
        flames_page,
        to_flame_section,
        to_flame_svg,
    )
    from ._flames import Flames, differences, drawable, flames_of, longest_flames, title_of, to_draw
    from ._pictures import REQUESTS, function_picture, query_picture
    from ._stacks import to_callgrind, to_collapsed, to_pprof, to_speedscope

__all__ = [
    "REQUESTS",
    "Flames",
    "differences",
    "drawable",
    "flame_script",
    "flame_section",
    "flame_style",
    "flames_of",
    "flames_page",
    "function_picture",
    "longest_flames",
    "query_picture",
    "title_of",
    "to_callgrind",
    "to_collapsed",
    "to_draw",
    "to_flame_section",
    "to_flame_svg",
    "to_pprof",
    "to_speedscope",
]

__getattr__ = lazy(
    __name__,
    """
    _stacks: to_callgrind
    _flamegraph: to_flame_svg
    _flamegraph: flame_script flame_section flame_style flames_page to_flame_section
    _flames: Flames differences drawable flames_of longest_flames title_of to_draw
    _pictures: REQUESTS function_picture query_picture
    _stacks: to_pprof
    _stacks: to_speedscope
    _stacks: to_collapsed
    """,
)
