"""Reading a file on FastMCP over Streamable HTTP: stateless, with JSON answers."""

import sys
from pathlib import Path

from fastmcp import FastMCP

server: FastMCP = FastMCP("fast")


@server.tool
def read_file(path: str) -> dict[str, str]:
    """Read a file of the current folder."""
    return {"path": path, "content": Path(path).read_text(encoding="utf-8")}


server.run(
    transport="http",
    port=int(sys.argv[1]),
    path="/mcp",
    stateless_http=True,
    json_response=True,
    show_banner=False,
    log_level="error",
)
