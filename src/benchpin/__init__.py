"""Benchpin: read, measure, annotate, scaffold, run and profile a codebase.

import benchpin

bench = benchpin.Workbench.open(".")
print(bench.call("get_status").to_text())
"""

from ._version import __version__
from .app import Workbench, configure
from .core import BenchpinError

__all__ = ["BenchpinError", "Workbench", "__version__", "configure"]
