"""Profiles in the formats of other tools; the sums are those of the profile."""

from .callgrind import to_callgrind
from .collapsed import to_collapsed
from .flamegraph import (
    SCRIPT_NAME,
    STYLE_NAME,
    asset,
    csp_source,
    to_flame_graph,
    to_flame_graph_page,
)
from .pprof import to_pprof
from .speedscope import to_speedscope

__all__ = [
    "SCRIPT_NAME",
    "STYLE_NAME",
    "asset",
    "csp_source",
    "to_callgrind",
    "to_collapsed",
    "to_flame_graph",
    "to_flame_graph_page",
    "to_pprof",
    "to_speedscope",
]
