"""The server that the official clients are tried on, with the tools of `tests/everything`."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
STDIO_COMMAND = (sys.executable, "-m", "everything", "stdio")

_START_S = 30.0
_END_S = 20.0
_POLL_S = 0.05


class ServerFailed(Exception):
    """The server did not start, or did not end as it should."""


def environment(home: Path) -> dict[str, str]:
    """Return an environment that finds the fixture tools and keeps out of the user's folders."""
    return {
        **os.environ,
        "HOME": str(home),
        "PYTHONPATH": str(ROOT / "tests"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
    }


@contextmanager
def serving_http() -> Iterator[str]:
    """Serve over HTTP on a free port, inside the block, and give the URL.

    Raises:
        ServerFailed: when it does not start, or does not end with status 0 on SIGTERM.
    """
    with tempfile.TemporaryDirectory() as folder:
        home, log = Path(folder) / "home", Path(folder) / "log"
        workspace = Path(folder) / "workspace"
        home.mkdir()
        workspace.mkdir()
        with log.open("wb") as stderr:
            process = subprocess.Popen(
                [sys.executable, "-m", "everything", "http", "0"],
                cwd=workspace,
                env=environment(home),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
            )
            try:
                yield _url(process, log)
            except BaseException:
                process.kill()
                process.wait()
                raise
            _end(process, log)


def _url(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and process.poll() is None:
        for line in log.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n") and '"listening"' in line:
                return str(json.loads(line)["http"])
        time.sleep(_POLL_S)
    raise ServerFailed(f"The fixture server did not start:\n{_tail(log)}")


def _end(process: subprocess.Popen[bytes], log: Path) -> None:
    process.terminate()
    try:
        status = process.wait(_END_S)
    except subprocess.TimeoutExpired as error:
        process.kill()
        process.wait()
        raise ServerFailed(f"The server did not end within {_END_S:g} s of SIGTERM") from error
    if status:
        raise ServerFailed(f"The server ended with status {status}:\n{_tail(log)}")


def _tail(log: Path) -> str:
    return log.read_text(encoding="utf-8")[-2000:]
