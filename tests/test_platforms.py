"""Commands on macOS and Windows, as far as they can be imitated: see other_systems.py."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from repositories import Tree

OTHER_SYSTEMS = Path(__file__).with_name("other_systems.py")
NEEDS_NO_FILES: list[Sequence[str]] = [
    ("--version",),
    ("--help",),
    ("tools",),
    ("doctor",),
    ("completion", "bash"),
    ("install", "cursor", "--print"),
    ("get", "status"),
]
NEEDS_FILES: list[Sequence[str]] = [
    ("analyze", "."),
    ("analyze", "complexity", "."),
    ("quality", "gate", "--checks", "max_cyclomatic"),
    ("search", "files", "def"),
    ("read", "file", "a.py"),
    ("list", "directory", "."),
    ("add", "comment", "a.py", "1", "Why?", "TODO"),
    ("get", "file-comments", "a.py"),
    ("check", "links"),
    ("find", "symbol", "f"),
    ("map", "repository"),
    ("list", "templates", "--limit", "1"),
    ("--allow", "write", "scaffold", "project", "rust", "makefile", "--parameters",
     '{"project_name": "star"}', "--write", "--target", "made"),
    ("write", "file", "b.txt", "hello"),
    ("show", "history", "a.py"),
]  # fmt: skip
RUNS_PROGRAMS: list[Sequence[str]] = [
    ("execute", "command", "echo hello"),
    ("python", "executor", "print(1)"),
    ("--unconfined", "execute", "command", "echo hello"),
]
COMMANDS = [*NEEDS_NO_FILES, *NEEDS_FILES, *RUNS_PROGRAMS]


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


def run_on(system: str, folder: Path) -> dict[Sequence[str], Ended]:
    """Run all commands in one process that takes itself for another system."""
    tree = Tree(folder / "workspace")
    tree.commit({"a.py": b"def f(a):\n    return a\n", "README.md": b"# A\n\n[a](a.py)\n"})
    done = subprocess.run(
        (sys.executable, str(OTHER_SYSTEMS), system),
        cwd=tree.root,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "BENCHPIN_DEBUG": "tools"},
        input=json.dumps(COMMANDS),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    answers = [Ended(*it) for it in json.loads(done.stdout)]
    assert not [it for it in answers if "Traceback" in it.stdout + it.stderr]
    return dict(zip(COMMANDS, answers, strict=True))


@pytest.mark.slow
def test_on_macos_everything_works_but_the_sandbox(tmp_path: Path) -> None:
    ended = run_on("macos", tmp_path)
    for command in (*NEEDS_NO_FILES, *NEEDS_FILES):
        assert ended[command].code == 0, (command, ended[command])
    for command in RUNS_PROGRAMS[:2]:
        assert ended[command].code == 2
        assert "programs can be confined on Linux only" in ended[command].stderr
        assert "bubblewrap" not in ended[command].stderr
    assert ended[RUNS_PROGRAMS[2]].stdout == "hello\n"
    assert "programs run without a sandbox" in ended["doctor",].stdout


@pytest.mark.slow
def test_on_windows_what_cannot_work_says_so_and_where_it_does(tmp_path: Path) -> None:
    ended = run_on("windows", tmp_path)
    for command in NEEDS_NO_FILES:
        assert ended[command].code == 0, (command, ended[command])
    for command in NEEDS_FILES:
        assert (ended[command].code, ended[command].stdout) == (2, ""), (command, ended[command])
        assert "cannot be used on this system" in ended[command].stderr
        assert "WSL 2" in ended[command].stderr
    for command in RUNS_PROGRAMS:
        assert ended[command].code == 2
        assert "container" in ended[command].stderr
    assert "Windows cannot do that. Run Benchpin in WSL 2" in ended["doctor",].stdout
