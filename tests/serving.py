"""Servers as processes of their own: started, spoken to, and gone when the test ends."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from waiting import WAIT_S

TESTS = Path(__file__).parent


class StdioServer:
    """The fixture server over pipes."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.memory = psutil.Process(process.pid)

    def send(self, message: object) -> None:
        """Send a message, or bytes as they are, and the line end."""
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.send_raw(raw + b"\n")

    def send_raw(self, raw: bytes) -> None:
        """Send bytes."""
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def receive(self) -> Any:
        """Take the next answer."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, message: object) -> Any:
        """Send a message and take one answer."""
        self.send(message)
        return self.receive()

    def end(self) -> list[Any]:
        """Close the input, wait for the end, and return the answers that were still to come."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        rest = [json.loads(line) for line in self.process.stdout]
        self.process.wait(WAIT_S)
        return rest

    def resident_mib(self) -> float:
        """Return how much memory the server has."""
        return float(self.memory.memory_info().rss) / 2**20


@contextmanager
def stdio_server(cwd: Path, *arguments: str, stderr: int | None = None) -> Iterator[StdioServer]:
    """Start the fixture server in a folder."""
    command = [sys.executable, "-m", "everything", *arguments]
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=_environment(cwd),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if stderr is None else stderr,
    ) as process:
        try:
            yield StdioServer(process)
        finally:
            process.kill()


@contextmanager
def network_server(
    cwd: Path, **settings: object
) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Start the fixture server on a free port; gives `127.0.0.1:PORT` and the process."""
    command = [sys.executable, "-m", "everything", "http", json.dumps(settings)]
    with subprocess.Popen(
        command, cwd=cwd, env=_environment(cwd), stderr=subprocess.PIPE
    ) as process:
        try:
            assert process.stderr is not None
            listening = json.loads(process.stderr.readline())
            yield listening["http"].split("/")[2], process
        finally:
            process.kill()


def _environment(home: Path) -> dict[str, str]:
    return {
        "PYTHONPATH": str(TESTS),
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "PYTHONWARNDEFAULTENCODING": "1",
    }
