"""What tests of the core share: a bench on an empty workspace."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchpin.core.calls import Bench, Caller, Installation, Workspace, WorkspaceSession
from benchpin.core.errors import UnknownTool
from benchpin.core.results import Result, ResultStore
from benchpin.core.tools import Schema, ToolDefinition


class NoTools:
    """No tool is enabled."""

    def definitions(self) -> list[ToolDefinition]:
        return []

    def every_definition(self) -> list[ToolDefinition]:
        return []

    def way_in(self, _name: str) -> str:
        return ""

    def input_schema(self, name: str) -> Schema:
        raise UnknownTool(name, suggestion="")

    def call(self, name: str, _arguments: Mapping[str, object], _bench: Bench) -> Result:
        raise UnknownTool(name, suggestion="")


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
        installation=Installation("1.2.3", NoTools(), datetime(2026, 1, 2, tzinfo=UTC)),
        caller=Caller(agent_id="local", from_agent="test", session_id="s"),
    )
