"""Hold real sessions with the official clients: over stdio and HTTP, in both protocol eras."""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from fixture_server import STDIO_COMMAND, ServerFailed, environment, serving_http
from npm_packages import FOLDER, ROOT, UNAVAILABLE, Unavailable, installed_version, prepare, script

Plan = dict[str, object]

HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"
VERSIONS = {"legacy": HANDSHAKE, "auto": STATELESS, STATELESS: STATELESS}
"""What each way of connecting must arrive at, for clients that tell; the Inspector does not."""
TYPESCRIPT = "@modelcontextprotocol/sdk"
TYPESCRIPT_2 = "@modelcontextprotocol/client"
INSPECTOR = "@modelcontextprotocol/inspector"

_GREETING = "hello, wörld 🌍"
_FIXTURE: Plan = {
    "works": {
        "tool": "echo",
        "arguments": {"text": _GREETING},
        "text": _GREETING,
        "structured": {"text": _GREETING},
    },
    "fails": {
        "tool": "fail_known",
        "arguments": {},
        "text": "Error: File not found: nowhere.txt",
    },
    "resource": {
        "uri": "test://static-text",
        "text": "This is the content of the static text resource.",
    },
    "reconnects": None,
    "strict": False,
}
_BENCHPIN: Plan = {
    "works": {
        "tool": "get_status",
        "arguments": {},
        "text": f"benchpin {version('benchpin')} on ",
        "structured": {"version": version("benchpin")},
    },
    "fails": {
        "tool": "get_status",
        "arguments": {"nonsense": 1},
        "text": "Error: Invalid params: nonsense: ",
    },
    "resource": None,
    "reconnects": None,
    "strict": True,
}

_SESSION_TIMEOUT_S = 60
_RUN_TIMEOUT_S = 240


@dataclass(frozen=True, slots=True)
class Row:
    """One session to hold."""

    server: str
    client: str
    transport: str
    mode: str
    program: tuple[str, ...]
    plan: Plan

    def hold(self, home: Path, workspace: Path, timeout_s: float) -> str | None:
        """Return why the session failed, None when it went as planned."""
        try:
            done = subprocess.run(
                [*self.program, json.dumps(self.plan)],
                cwd=workspace,
                env=environment(home),
                capture_output=True,
                text=True,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"did not end within {timeout_s:.0f} s"
        return _reason(done.stderr) if done.returncode else None


def main() -> int:
    """Install, serve, hold the sessions, report."""
    try:
        node = prepare()
    except Unavailable as error:
        print(f"Cannot hold the sessions: {error}")
        return UNAVAILABLE
    try:
        with serving_http() as url, tempfile.TemporaryDirectory() as folder:
            failed = _hold_all(list(_rows(str(node), url)), Path(folder))
    except ServerFailed as error:
        print(error)
        return 1
    return 1 if failed else 0


def _rows(node: str, url: str) -> Iterator[Row]:
    """List every session: each server, then each client in each of its ways to connect."""
    benchpin = {"command": [str(Path(sys.executable).with_name("benchpin"))]}
    stdio = {"command": list(STDIO_COMMAND), "env": {"PYTHONPATH": str(ROOT / "tests")}}
    python = (sys.executable, str(FOLDER / "session.py"))
    typescript = (node, str(FOLDER / "session.mjs"))
    inspector = (sys.executable, str(FOLDER / "inspect_session.py"))
    clients: list[tuple[str, str, tuple[str, ...], tuple[str, ...]]] = [
        ("mcp (Python)", version("mcp"), ("legacy", "auto", STATELESS), python),
        (TYPESCRIPT, str(installed_version(TYPESCRIPT)), ("legacy",), typescript),
        (
            TYPESCRIPT_2,
            str(installed_version(TYPESCRIPT_2)),
            ("legacy", "auto", STATELESS),
            typescript,
        ),
        (INSPECTOR, str(installed_version(INSPECTOR)), ("legacy", "modern"), inspector),
    ]
    for served, transport, server, story in (
        ("fixture", "stdio", stdio, _FIXTURE),
        ("fixture", "http", {"url": url}, {**_FIXTURE, "reconnects": "test_reconnection"}),
        ("benchpin", "stdio", benchpin, _BENCHPIN),
    ):
        for name, release, modes, program in clients:
            for mode in modes:
                plan: Plan = {
                    **story,
                    "client": name,
                    "inspector": [node, str(script(INSPECTOR, "mcp-inspector"))],
                    "mode": mode,
                    "version": None if program is inspector else VERSIONS[mode],
                    "server": server,
                }
                yield Row(served, f"{name} {release}", transport, mode, program, plan)


def _hold_all(rows: list[Row], folder: Path) -> int:
    """Hold the sessions one after the other and return how many failed."""
    home, workspace = folder / "home", folder / "workspace"
    home.mkdir()
    workspace.mkdir()
    deadline = time.monotonic() + _RUN_TIMEOUT_S
    failed = 0
    for row in rows:
        left = deadline - time.monotonic()
        reason = "no time was left"
        if left > 0:
            reason = row.hold(home, workspace, min(left, _SESSION_TIMEOUT_S)) or ""
        failed += bool(reason)
        spoken = row.plan["version"]
        way = f"{row.mode} ({spoken})" if spoken else f"{row.mode} era"
        session = f"{row.server:<10}{row.client:<40}{row.transport:<7}{way:<25}"
        print(session + (f"failed: {reason}" if reason else "ok"), flush=True)
    print(f"{len(rows) - failed} of {len(rows)} sessions went as planned")
    return failed


def _reason(stderr: str) -> str:
    """Return the line that says what went wrong, of a Python or a Node traceback."""
    lines = [line.strip(" |") for line in stderr.splitlines() if line.strip(" |")]
    telling = [line for line in lines if re.match(r"[\w.]*(Error|Failed|Expired)\b", line)]
    return (telling or lines or ["no reason given"])[-1][:300]


if __name__ == "__main__":
    sys.exit(main())
