"""What tests of the workspace tools share."""

from pathlib import Path

import pytest

from benchpin.app import Workbench


@pytest.fixture
def shop(workspace: Path) -> Workbench:
    """Return a workbench that may write."""
    return Workbench.open(workspace, allow=("write",))


@pytest.fixture
def outside(workspace: Path) -> Path:
    """Return a folder beside the workspace, with a secret and a name that begins the same."""
    folder = workspace.with_name(f"{workspace.name}-evil")
    folder.mkdir()
    (folder / "secret.txt").write_text("secret", encoding="utf-8")
    return folder
