"""What the tests of reviews share."""

from pathlib import Path

import pytest

from repositories import Tree


@pytest.fixture
def tree(workspace: Path) -> Tree:
    """Return an empty repository."""
    return Tree(workspace)
