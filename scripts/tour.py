"""Show Benchpin at work: serve a repository over stdio to a real client, print the answers.

That is this repository, or the folder that is given.
"""

import asyncio
import os
import sys
import tempfile
import textwrap
from pathlib import Path

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent

from benchpin.core.errors import DependencyMissing
from benchpin.core.tools import Example
from benchpin.system.processes import has_extra
from benchpin.toolsets import load_toolsets

BENCHPIN = Path(sys.executable).with_name("benchpin")
MAX_LINES = 14


async def main(root: Path) -> int:
    """Hold one whole session: handshake, tool list, one call for each enabled toolset.

    Return how many calls failed; one that needs an extra did not.
    """
    server = StdioServerParameters(
        command=str(BENCHPIN), args=["serve"], cwd=root, env=dict(os.environ)
    )
    failed = 0
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        async with Client(stdio_client(server, errlog=log), mode="legacy") as client:
            show_handshake(client)
            enabled = await show_tools(client)
            for toolset in load_toolsets():
                if toolset.example.tool in enabled:
                    failed += not await show_call(client, toolset.title, toolset.example)
    print("\nThat was a whole MCP session. To use Benchpin from your editor, see README.md;")
    print(f"to use it here: {BENCHPIN} --help")
    if not has_extra("look"):
        print("Pictures and traces need two extras that are not installed here, `look` and `otel`;")
        print("`make setup` installs them.")
    return failed


def show_handshake(client: Client) -> None:
    """Say who answered."""
    heading("Handshake")
    info = client.server_info
    who = f"{info.name} {info.version}" if info else "The server"
    print(f"{who} speaks MCP {client.protocol_version}")


async def show_tools(client: Client) -> set[str]:
    """List the tools."""
    tools = (await client.list_tools()).tools
    heading(f"{len(tools)} tools")
    width = max(len(tool.name) for tool in tools)
    for tool in tools:
        summary = textwrap.shorten(tool.description or "", 100 - width, placeholder=" …")
        print(f"  {tool.name:{width}}  {summary}")
    return {tool.name for tool in tools}


async def show_call(client: Client, title: str, example: Example) -> bool:
    """Make one call, show the text that a model would read, and return whether it worked."""
    given = ", ".join(f"{name}={value!r}" for name, value in example.arguments.items())
    heading(f"{title}: {example.tool}({given})")
    result = await client.call_tool(example.tool, dict(example.arguments))
    text = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
    lines = text.splitlines()
    for line in lines[:MAX_LINES]:
        print(f"  {line}")
    if len(lines) > MAX_LINES:
        print(f"  … {len(lines) - MAX_LINES} more lines")
    kind = (result.meta or {}).get("benchpin/error", {}).get("kind")
    return not result.is_error or kind == DependencyMissing.kind


def heading(text: str) -> None:
    """Print a heading."""
    print(f"\n── {text} " + "─" * max(0, 76 - len(text)))


if __name__ == "__main__":
    given = sys.argv[1:] or [str(Path(__file__).parent.parent)]
    sys.exit(1 if asyncio.run(main(Path(given[0]))) else 0)
