"""The pipes to a language server, for tests that send it frame by frame."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO, Any, cast

from waiting import WAIT_S

DIAGNOSTICS = "textDocument/publishDiagnostics"
CODE = "RETRIES = 3\n\n\ndef charge(card):\n    return send(card, retries=RETRIES)\n"
NOTE = "three are enough"


class Wire:
    """The pipes to a language server."""

    def __init__(self, root: Path, server: "subprocess.Popen[bytes]") -> None:
        self.root, self.process = root, server
        self.uri = (root / "pay.py").as_uri()
        self.output = cast("IO[bytes]", server.stdout)
        self.said: list[str] = []
        self._last = 0
        self._read: Queue[Any] = Queue()
        Thread(target=self._follow, daemon=True).start()  # a server waits for who does not read

    def raw(self, content: bytes) -> None:
        pipe = cast("IO[bytes]", self.process.stdin)
        pipe.write(content)
        pipe.flush()

    def frame(self, message: object) -> None:
        content = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))

    def tell(self, method: str, params: object) -> None:
        self.frame({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: object) -> Any:
        """Return the result of a request, or the code and the message of its error."""
        self._last += 1
        self.frame({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        return self.answer(self._last)

    def _follow(self) -> None:
        length = 0
        while line := self.output.readline():
            name, _, value = line.partition(b":")
            if name == b"Content-Length":
                length = int(value)
            elif not line.strip():
                self._read.put(json.loads(self.output.read(length)))

    def read(self) -> Any:
        """Return the next message, but for diagnostics."""
        while (found := self._read.get(timeout=WAIT_S)).get("method") == DIAGNOSTICS:
            pass
        return found

    def answer(self, ident: object) -> Any:
        while True:
            found = self.read()
            if found.get("method") == "window/showMessage":
                self.said.append(found["params"]["message"])
            if "method" not in found and found.get("id") == ident:
                error = found.get("error")
                return found.get("result") if error is None else (error["code"], error["message"])

    def initialize(self, **options: object) -> Any:
        asked: dict[str, object] = {
            "processId": None,
            "rootUri": self.root.as_uri(),
            "capabilities": {"textDocument": {"inlayHint": {}}},
            "initializationOptions": {"review": False, "navigation": True, **options},
        }
        return self.ask("initialize", asked)

    def open(self, uri: str, text: str) -> None:
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def type(self, uri: str, version: int, text: str) -> None:
        document = {"uri": uri, "version": version}
        changed = {"textDocument": document, "contentChanges": [{"text": text}]}
        self.tell("textDocument/didChange", changed)

    def hover(self, uri: str = "", line: object = 4) -> Any:
        return self.ask("textDocument/hover", at(uri or self.uri, line))

    def hints(self, uri: str) -> list[tuple[int, int]]:
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}
        document = {"uri": uri}
        found = self.ask("textDocument/inlayHint", {"textDocument": document, "range": whole})
        return [(it["position"]["line"], it["position"]["character"]) for it in found]

    def is_alive(self) -> bool:
        return NOTE in str(self.hover())


def at(uri: str, line: object, character: object = 0) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


@contextmanager
def serving(root: Path, status: int = 0) -> Iterator[Wire]:
    """Start a server; it must end by itself, at once."""
    command = [sys.executable, "-m", "benchpin", "lsp", str(root)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        try:
            yield Wire(root, server)
            cast("IO[bytes]", server.stdin).close()
            assert server.wait(WAIT_S) == status
        finally:
            server.kill()


@contextmanager
def editing(root: Path, **options: object) -> Iterator[Wire]:
    with serving(root) as wire:
        wire.initialize(**options)
        wire.open(wire.uri, CODE)
        assert wire.is_alive()
        yield wire
