"""Hold one session as the Inspector's command line: `python inspect_session.py PLAN`, in JSON.

Ends with status 0 when everything was as planned; an assertion says what was not.
"""

import json
import subprocess
import sys
from typing import Any

_STAMP = "io.modelcontextprotocol/serverInfo"
"""What results of the stateless era carry, and those of the handshake era do not."""
_CALL_TIMEOUT_S = 20
_TOOL_FAILED = 5
"""The Inspector's exit status for `isError`."""


class Inspector:
    def __init__(self, plan: dict[str, Any]) -> None:
        server = plan["server"]
        self._command = [*plan["inspector"], "--cli", "--protocol-era", plan["mode"]]
        self._command += ["--format", "json", "--quiet"]
        for name, value in server.get("env", {}).items():
            self._command += ["-e", f"{name}={value}"]
        if "url" in server:
            self._command += ["--server-url", server["url"]]
        self._program = ["--", *server["command"]] if "command" in server else []

    def ask(self, method: str, *options: str, status: int = 0) -> dict[str, Any]:
        command = [*self._command, "--method", method, *options, *self._program]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_CALL_TIMEOUT_S, check=False
        )
        assert done.returncode == status, f"{method}: status {done.returncode}: {done.stderr}"
        result: dict[str, Any] = json.loads(done.stdout)["result"]
        return result

    def call(self, planned: dict[str, Any], status: int = 0) -> dict[str, Any]:
        options = ["--tool-name", planned["tool"]]
        options += ["--tool-args-json", json.dumps(planned["arguments"])]
        return self.ask("tools/call", *options, status=status)


def main(plan: dict[str, Any]) -> None:
    inspector = Inspector(plan)
    strictly = ["--strict"] if plan["strict"] else []
    names = [tool["name"] for tool in inspector.ask("tools/list", *strictly)["tools"]]
    assert plan["works"]["tool"] in names, names
    result = inspector.call(plan["works"])
    assert (_STAMP in result.get("_meta", {})) == (plan["mode"] == "modern"), "the era"
    assert result["content"][0]["text"].startswith(plan["works"]["text"]), result
    for key, value in plan["works"]["structured"].items():
        assert result["structuredContent"][key] == value, result
    failed = inspector.call(plan["fails"], status=_TOOL_FAILED)
    assert failed["isError"] is True, failed
    assert failed["content"][0]["text"].startswith(plan["fails"]["text"]), failed
    if plan["resource"]:
        uris = [listed["uri"] for listed in inspector.ask("resources/list")["resources"]]
        assert plan["resource"]["uri"] in uris, uris
        read = inspector.ask("resources/read", "--uri", plan["resource"]["uri"])
        assert read["contents"][0]["text"] == plan["resource"]["text"], read


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
