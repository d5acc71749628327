"""Runs inside the sandbox: executes a script and passes its calls of tools to the server.

Only the standard library is there. Messages are JSON, one a line: the script arrives on stdin, then
the results of its calls; calls, printed text and the outcome go to stdout.
"""

import ast
import io
import json
import os
import sys
import threading
import traceback
from typing import Any

_NAME = "<script>"


class ToolError(Exception):
    """A call of a tool failed; `kind` and `suggestion` say more."""

    def __init__(self, error: "dict[str, str]") -> None:
        super().__init__(f"{error['message']}. {error['suggestion']}")
        self.kind = error["kind"]
        self.suggestion = error["suggestion"]


class ServerPipe:
    """The pipe to the server."""

    def __init__(self) -> None:
        # Private copies: what the script or a child writes to the originals is lost.
        self._source = os.fdopen(os.dup(0), "rb")
        self._sink = os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)

    def send(self, message: "dict[str, object]") -> None:
        """Send a message to the server."""
        text = json.dumps(message, ensure_ascii=False)
        self._sink.write(text.encode(errors="replace") + b"\n")
        self._sink.flush()

    def receive(self) -> "dict[str, Any]":
        """Wait for a message of the server."""
        message: dict[str, Any] = json.loads(self._source.readline())
        return message


class ScriptBench:
    """What a script sees as `bench`."""

    def __init__(self, channel: ServerPipe) -> None:
        self._channel = channel
        self._turn = threading.Lock()

    def call(self, tool: str, /, **arguments: object) -> object:
        """Call a tool and return its result as plain data."""
        with self._turn:  # one call at a time: threads of a script share the pipe
            self._channel.send({"call": tool, "arguments": arguments})
            answer = self._channel.receive()
        if "error" in answer:
            raise ToolError(answer["error"])
        return answer["result"]


class Printer(io.TextIOBase):
    """Sends printed text to the server."""

    def __init__(self, channel: ServerPipe) -> None:
        self._channel = channel

    def writable(self) -> bool:
        """Whether it can be written to."""
        return True

    def write(self, text: str) -> int:
        """Send a text."""
        self._channel.send({"print": text})
        return len(text)


def run(code: str, names: "dict[str, object]") -> object:
    """Execute a script and return the value of its last line, if that is an expression."""
    body = ast.parse(code, _NAME).body
    last = body[-1] if body and isinstance(body[-1], ast.Expr) else None
    if last is not None:
        body.pop()
    exec(compile(ast.Module(body, []), _NAME, "exec"), names)  # noqa: S102 - in the sandbox
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), _NAME, "eval"), names)  # noqa: S307 - in the sandbox


def plain(value: object) -> object:
    """Return a value if JSON can hold it, otherwise its text."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
    return value


def main() -> None:
    """Run the script that the server sends."""
    channel = ServerPipe()
    code = channel.receive()["code"]
    sys.stdout = Printer(channel)
    names = {"__name__": "__main__", "bench": ScriptBench(channel), "ToolError": ToolError}
    try:
        outcome = {"value": plain(run(code, names))}
    except SystemExit as ended:
        failed = ended.code not in {None, 0}
        outcome = (
            {"error": f"The script ended with status {ended.code}"} if failed else {"value": None}
        )
    except BaseException as error:  # noqa: BLE001 - reported to the caller
        stack = traceback.TracebackException.from_exception(error)
        stack.stack[:] = [it for it in stack.stack if it.filename != __file__]
        outcome = {"error": "".join(stack.format())}
    channel.send(outcome)


if __name__ == "__main__":
    main()
