"""A workbench on a workspace, for the tools that look at repositories."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchpin.app.workbench import Workbench
from benchpin.engines.source.index import close_indexes


@pytest.fixture
def shop(workspace: Path) -> Iterator[Workbench]:
    """Give a workbench on the workspace."""
    yield Workbench.open(workspace)
    close_indexes()
