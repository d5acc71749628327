"""Where names lead, beside go/types: what find_references and trace_calls are made of."""

import tempfile
from pathlib import Path
from shutil import which

from navigation import compare_with_compiler, read_project, shares

from .table import Missing, Row, checkout

_PROJECTS = ("gin-gonic/gin", "junegunn/fzf", "charmbracelet/bubbletea")
_NAMES = 1_000


def rows(projects: Path) -> list[Row]:
    """Return a row for each project of Go; `bench/navigation.py` compares Python and TypeScript."""
    if which("go") is None:
        raise Missing("go is not installed")
    found = []
    with tempfile.TemporaryDirectory() as cache:
        for name in _PROJECTS:
            root = checkout(projects, name)
            tally = compare_with_compiler("go", root, read_project(root, Path(cache)), _NAMES)
            found.append(Row("uses of names", "go/types", f"{name}, {_NAMES:,}", shares(tally)))
    return found
