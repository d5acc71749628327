"""What tests of the core share: a bench on an empty workspace."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchpin.core import Bench, Caller, Installation, ResultStore, Workspace, WorkspaceSession


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return a bench with nothing on it; the cache lies beside the workspace."""
    root = tmp_path / "ws"
    root.mkdir()
    return Bench(
        session=WorkspaceSession(root, tmp_path / "cache"),
        workspace=Workspace.at(root),
        cache_dir=tmp_path / "cache",
        results=ResultStore(tmp_path / "cache" / "results"),
        installation=Installation("1.2.3", lambda: ("echo",), datetime(2026, 1, 2, tzinfo=UTC)),
        caller=Caller(agent_id="local", from_agent="test", session_id="s"),
    )
