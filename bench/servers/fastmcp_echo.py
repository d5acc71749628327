"""The trivial tool on FastMCP."""

from fastmcp import FastMCP

server: FastMCP = FastMCP("fast")


@server.tool
async def echo(text: str) -> dict[str, str]:
    """Say the text again."""
    return {"text": text}


server.run(show_banner=False)
