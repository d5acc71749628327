"""Ask a running server as a host would, and print what a model would see.

python call_tool.py PORT tools
python call_tool.py PORT TOOL '{"argument": "value"}'

The server is told that Claude Code connects; HOST names another, as in `HOST=codex-mcp-client`.
"""

import json
import os
import sys
import urllib.request
from typing import Any

_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": os.environ.get("HOST", "claude-code"), "version": "1"},
}


class Session:
    """A session over Streamable HTTP on this machine."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}/mcp"
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
        self.hello = self.ask("initialize", _HELLO)
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request; an error ends the program with its text."""
        answer = self._post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        if "error" in answer:
            sys.exit(f"ERROR {json.dumps(answer['error'])}")
        result: dict[str, Any] = answer["result"]
        return result

    def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        data = json.dumps(body).encode()
        request = urllib.request.Request(self._url, data, self._headers)  # noqa: S310 - a loopback address
        with urllib.request.urlopen(request, timeout=300) as response:  # noqa: S310 - as above
            text = response.read().decode()
            session = response.headers.get("Mcp-Session-Id")
        if session:
            self._headers["Mcp-Session-Id"] = session
        lines = [it[5:] for it in text.splitlines() if it.startswith("data:") and it[5:].strip()]
        messages: list[dict[str, Any]] = [json.loads(it) for it in lines or [text] if it.strip()]
        return next((it for it in messages if "result" in it or "error" in it), {})


def main(port: int, tool: str, arguments: str) -> None:
    """Print the list of tools, or the text of one answer."""
    session = Session(port)
    if tool == "tools":
        print(session.hello.get("instructions", ""))
        for listed in session.ask("tools/list", {})["tools"]:
            shown = {it: listed[it] for it in ("name", "description", "inputSchema")}
            print(json.dumps(shown, ensure_ascii=False))
        return
    result = session.ask("tools/call", {"name": tool, "arguments": json.loads(arguments)})
    if result.get("isError"):
        print("[isError]")
    for block in result["content"]:
        print(block.get("text") or json.dumps(block)[:2_000])


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "{}")  # noqa: PLR2004
