"""The MCP server: the kernel on the SDK's low-level server, our connections and transports.

Read `session.py` first: it serves one connection. `kernel.py` lists the methods, `tools.py` runs
tools, `stdio.py` and `network.py` are the transports; `welcome.py` answers before the SDK is there.
"""
