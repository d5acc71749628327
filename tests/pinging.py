"""A real server over pipes that is pinged while a tool runs."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from reader_attacks import Arguments, Attack
from waiting import WAIT_S
from wire import call, request

_BETWEEN_S = 0.02
"""How long the answer of a tool is awaited before the next ping; more would pass the rate limit."""


class Frozen(Exception):
    """The server answers nothing."""


@dataclass(frozen=True, slots=True)
class Called:
    """How a call went, and how the server answered pings meanwhile."""

    tool: str
    answer: Mapping[str, Any]
    seconds: float
    pings: int
    longest_wait_s: float
    most_cpu_s: float
    """The most CPU time that the server used between a ping and its answer: what held it."""

    @property
    def text(self) -> str:
        """The answer, as one text."""
        return json.dumps(self.answer, ensure_ascii=False)


class PingedServer:
    """One server, and the calls that it answers."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self._measured = psutil.Process(process.pid)
        self._lines = b""
        self._last_id = 0
        self._answers: dict[int, Mapping[str, Any]] = {}

    def start(self, tool: str, arguments: Mapping[str, Any]) -> int:
        """Send a call; returns its id."""
        self._last_id += 1
        self._send(call(tool, self._last_id, **arguments))
        return self._last_id

    def call(self, tool: str, arguments: Arguments) -> Called:
        """Call a tool, and ping until it answers.

        Raises:
            Frozen: when the server answers nothing for too long.
        """
        started = time.monotonic()
        wanted = self.start(tool, arguments() if callable(arguments) else arguments)
        pings, longest_s, most_cpu_s = 0, 0.0, 0.0
        while not self.has_answered(wanted, _BETWEEN_S):
            sent, cpu_s = time.monotonic(), self._cpu_s()
            self.ping()
            pings += 1
            longest_s = max(longest_s, time.monotonic() - sent)
            most_cpu_s = max(most_cpu_s, self._cpu_s() - cpu_s)
        seconds = time.monotonic() - started
        return Called(tool, self._answers.pop(wanted), seconds, pings, longest_s, most_cpu_s)

    def ping(self) -> None:
        """Ping, and wait for the answer.

        Raises:
            Frozen: when none comes.
        """
        self._last_id += 1
        self._send(request("ping", self._last_id))
        if not self.has_answered(self._last_id, WAIT_S):
            raise Frozen
        del self._answers[self._last_id]

    def has_answered(self, wanted: int, wait_s: float) -> bool:
        """Whether a request is answered within some time."""
        assert self.process.stdout is not None
        end = time.monotonic() + wait_s
        while wanted not in self._answers:
            left_s = max(0.0, end - time.monotonic())
            if not select.select([self.process.stdout], [], [], left_s)[0]:
                return False
            chunk = os.read(self.process.stdout.fileno(), 1 << 20)
            if not chunk:
                raise Frozen
            *lines, self._lines = (self._lines + chunk).split(b"\n")
            self._answers |= {it["id"]: it for it in map(json.loads, lines) if "id" in it}
        return True

    def close_input(self) -> None:
        """Say that nothing more comes."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def _send(self, message: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _cpu_s(self) -> float:
        used = self._measured.cpu_times()
        return float(used.user + used.system)


@contextmanager
def pinged_server(root: Path, home: Path, *flags: str) -> Iterator[PingedServer]:
    """Start the server that users start, in a workspace."""
    command = (sys.executable, "-m", "benchpin", "serve", "--root", str(root), *flags)
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(
        command,
        cwd=root,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            server = PingedServer(process)
            server.ping()
            yield server
        finally:
            process.kill()


def place(attack: Attack, root: Path) -> None:
    """Write the files of an attack into a workspace."""
    for path, content in attack.files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content())
