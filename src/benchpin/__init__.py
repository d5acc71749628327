"""Benchpin: read, measure, annotate, scaffold, run and profile a codebase.

import benchpin

bench = benchpin.Workbench.open(".")
print(bench.call("get_status").to_text())
"""

from typing import TYPE_CHECKING

from ._version import __version__

if TYPE_CHECKING:
    from benchpin.app import Workbench, configure
    from benchpin.core.errors import BenchpinError

__all__ = ["BenchpinError", "Workbench", "__version__", "configure"]


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: worker processes need none of them."""
    if name in {"Workbench", "configure"}:
        from benchpin import app  # noqa: PLC0415 - loaded when used

        return getattr(app, name)
    if name == "BenchpinError":
        from benchpin import core  # noqa: PLC0415 - loaded when used

        return core.BenchpinError
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
