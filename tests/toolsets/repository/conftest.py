"""A workbench on a workspace, for the tools that look at repositories."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchpin.app import Workbench


@pytest.fixture
def shop(workspace: Path) -> Iterator[Workbench]:
    """Give a workbench on the workspace."""
    opened = Workbench.open(workspace)
    yield opened
    opened.close()
