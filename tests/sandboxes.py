"""Sandboxes for tests: each kind that works here, and a way to see what a program left behind."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psutil
import pytest

from benchpin.run.sandbox._detection import candidates, probe
from benchpin.run.sandbox._sandbox import Sandbox
from serving import StdioServer

KINDS = ("bubblewrap", "namespaces")


def working(kind: str) -> Sandbox:
    """Return a sandbox of a kind, or skip the test with the reason."""
    found, reason = _tried(kind)
    if found is None:
        pytest.skip(reason)
    return found


@cache
def _tried(kind: str) -> tuple[Sandbox | None, str]:
    reason = f"{kind} is not installed"
    for candidate in candidates(shutil.which("bwrap")):
        if candidate.name == kind:
            failure = probe(candidate)
            if failure is None:
                return candidate, ""
            reason = failure
    return None, reason


def survivors(mark: str) -> list[str]:
    """Return the command lines of processes that have a mark in them."""
    found = [" ".join(it.info["cmdline"] or ()) for it in psutil.process_iter(["cmdline"])]
    return [line for line in found if mark in line]


@contextmanager
def executing_server(root: Path, kind: str, *flags: str) -> Iterator[StdioServer]:
    """Start Benchpin itself over pipes, with programs allowed and one kind of sandbox."""
    found = working(kind)
    path = Path(found.bubblewrap.program).parent if found.bubblewrap else "/nowhere"
    environment = {
        "HOME": str(root),
        "PATH": str(path),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "SECRET_OF_THE_SERVER": "hunter2",
    }
    command = (sys.executable, "-m", "benchpin", "--root", str(root), "--allow", "execute", *flags)
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield StdioServer(process)
        finally:
            process.kill()
