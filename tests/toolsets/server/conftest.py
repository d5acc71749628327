"""What tests of this toolset share."""

from pathlib import Path

import pytest

from benchpin.app import Workbench


@pytest.fixture
def shop(workspace: Path) -> Workbench:
    """Return a workbench with the real toolsets on an empty workspace."""
    return Workbench.open(workspace)
