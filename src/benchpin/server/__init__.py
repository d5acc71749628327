"""The MCP server: the kernel on the SDK's low-level server, our connections and transports.

Read `session.py` first: it serves one connection. `kernel.py` lists the methods, `tools.py` runs
tools, `stdio.py` and `network.py` are the transports.
"""

from .kernel import Kernel
from .stdio import serve_stdio

__all__ = ["Kernel", "serve_stdio"]
