"""What a run leaves is read, and not what one before it left."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

_START = "import sys; from benchpin.run.tests import _harness as it; it.main(sys.argv[1])"


def run(folder: Path, script: str) -> list[list[str]]:
    """Return the reports of a script, each with its path."""
    plan = {
        "argv": ["sh", "-c", script],
        "environment": {},
        "read_only_environment": {},
        "path": [],
        "globs": [],
        "reports": ["target/TEST-*.xml"],
        "max_bytes": 1_000,
        "deadline": float("inf"),
        "grace_s": 1.0,
        "mark": "@",
    }
    command = [sys.executable, "-c", _START, json.dumps(plan)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    reports: list[list[str]] = json.loads(done.stdout.partition("\n@")[2])["reports"]
    return reports


def test_a_report_of_the_run_just_before_is_not_read_again(tmp_path: Path) -> None:
    write = "mkdir -p target && echo passed > target/TEST-a.xml"
    assert run(tmp_path, write) == [["./target/TEST-a.xml", "passed\n"]]
    later = time.time() + 60
    os.utime(tmp_path / "target/TEST-a.xml", (later, later))  # whatever the clock says
    assert run(tmp_path, "true") == []
    assert run(tmp_path, write) == [["./target/TEST-a.xml", "passed\n"]]
