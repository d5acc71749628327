"""The toolsets, one package each; a package holds one module a tool.

To add a toolset, add its package's name to `TOOLSETS`. Another distribution adds one with an entry
point: see docs/extending.md.
"""

from functools import cache
from importlib import import_module

from benchpin._extensions import is_extended
from benchpin.core.errors import ToolsetBroken
from benchpin.core.tools import Toolset

TOOLSETS = (
    "server",
    "workspace",
    "repository",
    "analysis",
    "navigation",
    "comments",
    "templates",
    "performance",
    "fleet",
)


def load_toolsets() -> tuple[Toolset, ...]:
    """Return every toolset; the tools of Benchpin's own are not imported yet."""
    return (*own_toolsets(), *added_toolsets())


def own_toolsets() -> tuple[Toolset, ...]:
    """Return the toolsets of this distribution."""
    return tuple(import_module(f"{__name__}.{name}").TOOLSET for name in TOOLSETS)


def added_toolsets() -> tuple[Toolset, ...]:
    """Return the toolsets of other distributions that can be loaded."""
    return _others()[0]


def toolset_problems() -> tuple[ToolsetBroken, ...]:
    """Return why toolsets of other distributions are left out."""
    return _others()[1]


@cache
def _others() -> tuple[tuple[Toolset, ...], tuple[ToolsetBroken, ...]]:
    """Load them once: what is installed does not change while this process runs."""
    if not is_extended():
        return (), ()
    from ._added import load_added  # noqa: PLC0415 - importlib.metadata, which almost nobody needs

    return load_added(own_toolsets())
