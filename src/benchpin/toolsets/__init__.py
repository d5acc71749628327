"""The toolsets, one package each; a package holds one module a tool.

To add a toolset, add its package's name to `TOOLSETS`.
"""

from importlib import import_module

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
    """Return every toolset; their tools are not imported yet."""
    return tuple(import_module(f"{__name__}.{name}").TOOLSET for name in TOOLSETS)
