"""Hold one session as the official Python client: `python session.py PLAN`, a plan in JSON.

Ends with status 0 when everything was as planned; an assertion says what was not.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent, TextResourceContents

_RESUMED = "Reconnection test completed."


async def main(plan: dict[str, Any], log: TextIO) -> None:
    server = plan["server"].get("url")
    if server is None:
        command, *arguments = plan["server"]["command"]
        parameters = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
        server = stdio_client(parameters, log)
    async with Client(server, mode=plan["mode"]) as client:
        await _converse(client, plan)


async def _converse(client: Client, plan: dict[str, Any]) -> None:
    assert client.protocol_version == plan["version"], f"speaks {client.protocol_version}"
    if plan["mode"] != plan["version"]:  # a pinned client adopts the version and asks nothing
        assert client.server_info is not None, "the server has no name"
        assert client.server_info.name == "benchpin", client.server_info
    names = [tool.name for tool in (await client.list_tools()).tools]
    assert plan["works"]["tool"] in names, names
    await _call(client, plan["works"], is_error=False)
    await _call(client, plan["fails"], is_error=True)
    with pytest.raises(MCPError) as refusal:
        await client.call_tool("no_such_tool", {})
    assert refusal.value.code == -32602, refusal.value
    if plan["resource"]:
        await _read(client, plan["resource"])
    if plan["reconnects"]:
        planned = {"tool": plan["reconnects"], "arguments": {}, "text": _RESUMED}
        await _call(client, planned, is_error=False)


async def _call(client: Client, planned: dict[str, Any], *, is_error: bool) -> None:
    result = await client.call_tool(planned["tool"], planned["arguments"])
    assert result.is_error is is_error, result
    first = result.content[0]
    assert isinstance(first, TextContent), first
    assert first.text.startswith(planned["text"]), f"{planned['tool']} said {first.text!r}"
    for key, value in planned.get("structured", {}).items():
        assert (result.structured_content or {}).get(key) == value, result.structured_content


async def _read(client: Client, planned: dict[str, Any]) -> None:
    uris = [resource.uri for resource in (await client.list_resources()).resources]
    assert planned["uri"] in uris, uris
    contents = (await client.read_resource(planned["uri"])).contents[0]
    assert isinstance(contents, TextResourceContents), contents
    assert contents.text == planned["text"], f"{planned['uri']} holds {contents.text!r}"


if __name__ == "__main__":
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        asyncio.run(main(json.loads(sys.argv[1]), nowhere))
