"""What tests of the analyses share: a workbench, and files in it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from benchpin.app import Workbench

Write = Callable[[str, str], Path]


@pytest.fixture
def shop(workspace: Path) -> Iterator[Workbench]:
    """Give a workbench on the workspace."""
    opened = Workbench.open(workspace)
    yield opened
    opened.close()


@pytest.fixture
def write(workspace: Path) -> Write:
    """Return a function that puts a file into the workspace."""

    def write_file(path: str, text: str) -> Path:
        place = workspace / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(dedent(text), encoding="utf-8")
        return place

    return write_file
