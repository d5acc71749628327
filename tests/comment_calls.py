"""Calls of the comment tools, in process and over the wire."""

from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp_types import TextContent

from benchpin.app import Workbench

FILE = "src/services/auth.ts"


def call(shop: Workbench, tool: str, **arguments: object) -> dict[str, Any]:
    """Call a tool, and return its structured result."""
    return shop.call(tool, **arguments).model_dump(mode="json", by_alias=True)


def add(shop: Workbench, line: int = 5, text: str = "Add rate limiting", **more: object) -> str:
    """Add a comment, and return its id."""
    arguments = {"filePath": FILE, "line": line, "text": text, "tag": "TODO", **more}
    return str(call(shop, "add_comment", **arguments)["commentId"])


async def ask(client: Client, tool: str, **arguments: object) -> tuple[str, dict[str, Any]]:
    """Call a tool as a client does, and return the text and the whole result."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text, result.model_dump(by_alias=True)


def sidecar(workspace: Path, path: str = FILE) -> Path:
    """Return the sidecar of a file."""
    return workspace / f"{path}.comments"
