"""Small blocking MCP clients over stdio, HTTP and WebSocket, and the server that they talk to."""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
READY: dict[str, object] = {"jsonrpc": "2.0", "method": "notifications/initialized"}
WAIT_S = 600.0
SOURCE = Path(__file__).parent.parent / "src"

Answer = dict[str, Any]


class Client(Protocol):
    """What all three clients can do."""

    def ask(self, method: str, params: dict[str, object] | None = None) -> Answer:
        """Send a request and return its answer, skipping notifications."""

    def abandon(self, method: str, params: dict[str, object]) -> None:
        """Send a request and take it back before it is answered."""

    def close(self) -> None:
        """End the connection."""


def call(client: Client, tool: str, /, **arguments: object) -> Answer:
    """Call a tool and return its answer."""
    return client.ask("tools/call", {"name": tool, "arguments": arguments})


def cancel(number: int) -> dict[str, object]:
    """Return the notification that takes a request back."""
    params = {"requestId": number, "reason": "not needed any more"}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


def request(number: int, method: str, params: dict[str, object] | None) -> dict[str, object]:
    """Return a request."""
    message: dict[str, object] = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else {**message, "params": params}


class HttpClient:
    """A session over Streamable HTTP, on one connection."""

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address, timeout=WAIT_S)
        self._number = 0
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        self.ask("initialize", dict(HELLO))
        self._headers["MCP-Protocol-Version"] = str(HELLO["protocolVersion"])
        self._post(READY)

    def ask(self, method: str, params: dict[str, object] | None = None) -> Answer:
        """Send a request and return its answer, skipping notifications."""
        self._number += 1
        body = self._post(request(self._number, method, params))
        for line in body.splitlines():
            text = line.removeprefix(b"data:").strip()
            if text.startswith(b"{"):
                message: Answer = json.loads(text)
                if message.get("id") == self._number:
                    return message
        raise ConnectionError(body[:200].decode(errors="replace"))

    def abandon(self, method: str, params: dict[str, object]) -> None:
        """Send a request and disconnect."""
        self._number += 1
        message = json.dumps(request(self._number, method, params))
        self._connection.close()  # it may be idle, and closed by the server
        self._connection.request("POST", "/mcp", message, self._headers)
        self._connection.close()  # the next request opens it again
        self._post(cancel(self._number))

    def close(self) -> None:
        """End the connection; the session stays until it expires."""
        self._connection.close()

    def _post(self, message: dict[str, object]) -> bytes:
        body = json.dumps(message)
        try:
            self._connection.request("POST", "/mcp", body, self._headers)
            response = self._connection.getresponse()
        except ConnectionError:  # the server has closed a connection that was idle
            self._connection.close()
            self._connection.request("POST", "/mcp", body, self._headers)
            response = self._connection.getresponse()
        session_id = response.getheader("mcp-session-id")
        if session_id is not None:
            self._headers["mcp-session-id"] = session_id
        return response.read()


class WebSocketClient:
    """A connection over WebSocket."""

    def __init__(self, address: str) -> None:
        self._socket = connect(f"ws://{address}/mcp", max_size=None, open_timeout=WAIT_S)
        self._number = 0
        self.ask("initialize", dict(HELLO))
        self._socket.send(json.dumps(READY))

    def ask(self, method: str, params: dict[str, object] | None = None) -> Answer:
        """Send a request and return its answer, skipping notifications."""
        self._number += 1
        try:
            self._socket.send(json.dumps(request(self._number, method, params)))
            while True:
                message: Answer = json.loads(self._socket.recv(WAIT_S))
                if message.get("id") == self._number:
                    return message
        except ConnectionClosed as error:
            raise ConnectionError(str(error)) from error

    def abandon(self, method: str, params: dict[str, object]) -> None:
        """Send a request and take it back before it is answered."""
        self._number += 1
        self._socket.send(json.dumps(request(self._number, method, params)))
        self._socket.send(json.dumps(cancel(self._number)))

    def close(self) -> None:
        """End the connection."""
        self._socket.close()


class PipeClient:
    """A server of its own, over pipes."""

    def __init__(self, command: list[str], variables: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command,
            env=variables,
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0
        self.ask("initialize", dict(HELLO))
        self.send(READY)

    def send(self, message: dict[str, object]) -> None:
        """Send a message."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Answer:
        """Take the next message."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise ConnectionError("the server has ended")
        message: Answer = json.loads(line)
        return message

    def ask(self, method: str, params: dict[str, object] | None = None) -> Answer:
        """Send a request and return its answer, skipping notifications."""
        self._number += 1
        self.send(request(self._number, method, params))
        while (answer := self.receive()).get("id") != self._number:
            pass
        return answer

    def abandon(self, method: str, params: dict[str, object]) -> None:
        """Send a request and take it back before it is answered."""
        self._number += 1
        self.send(request(self._number, method, params))
        self.send(cancel(self._number))

    def close(self) -> None:
        """Close the input and wait for the end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(WAIT_S)


class StdioClient(PipeClient):
    """Benchpin, over pipes."""

    def __init__(self, root: Path, cache: Path, *flags: str, source: Path = SOURCE) -> None:
        serve = [sys.executable, "-m", "benchpin", "serve", "--root", str(root), *flags]
        super().__init__(serve, environment(source, cache))


@contextmanager
def network_server(
    root: Path, cache: Path, *flags: str, source: Path = SOURCE
) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
    """Start a server on a free port; gives `127.0.0.1:PORT` and the process."""
    serve = (sys.executable, "-m", "benchpin", "serve", "--transport", "http", "--port", "0")
    with subprocess.Popen(
        [*serve, "--root", str(root), *flags],
        env=environment(source, cache),
        cwd="/",
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stderr is not None
            address = json.loads(process.stderr.readline())["http"].split("/")[2]
            # Nobody reads its log; the server drops lines rather than waits.
            yield address, process
        finally:
            process.terminate()
            process.wait(WAIT_S)


def environment(source: Path, cache: Path) -> dict[str, str]:
    """Return the environment of a server that runs from a source folder with its own cache."""
    return {**os.environ, "PYTHONPATH": str(source), "XDG_CACHE_HOME": str(cache)}
