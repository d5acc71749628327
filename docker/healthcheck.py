"""Whether the server in this container answers: ask what it is, as an MCP client would."""

import json
import os
import sys
from http.client import HTTPConnection, HTTPException

TIMEOUT_S = 4
REVISION = "2026-07-28"
"""The first without sessions, so that one request is enough."""
META = "io.modelcontextprotocol/"


def main() -> int:
    """Return 0 if it answers."""
    connection = HTTPConnection(
        "127.0.0.1", int(os.environ.get("BENCHPIN_PORT", "3000")), TIMEOUT_S
    )
    headers = {
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {os.environ.get('BENCHPIN_AUTH_TOKEN', '')}",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": REVISION,
        "Mcp-Method": "server/discover",
    }
    envelope = {
        f"{META}protocolVersion": REVISION,
        f"{META}clientInfo": {"name": "healthcheck", "version": "1"},
        f"{META}clientCapabilities": {},
    }
    question = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "server/discover",
        "params": {"_meta": envelope},
    }
    try:
        connection.request("POST", "/mcp", json.dumps(question), headers)
        answer = connection.getresponse()
        body = answer.read().decode(errors="replace")
    except (OSError, HTTPException) as error:
        print(f"no answer: {error}")
        return 1
    print(answer.status, body.strip()[:200])
    return 0 if answer.status == 200 else 1  # noqa: PLR2004 - HTTP's OK


if __name__ == "__main__":
    sys.exit(main())
