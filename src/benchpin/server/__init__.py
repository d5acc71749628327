"""MCP: the kernel on the SDK's low-level server, the rules at its edge, and the transports.

Read `session.py` first: one connection from the first byte to the last answer. `kernel.py` says
which methods there are, `stdio.py` and `network.py` how clients connect.
"""

from .kernel import Kernel
from .stdio import serve_stdio

__all__ = ["Kernel", "serve_stdio"]
