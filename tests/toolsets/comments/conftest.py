"""Fixtures of the comment tests."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from mcp.client.client import Client

from benchpin.app import Workbench, configure
from benchpin.server import Kernel
from wire import Wire

AUTH = """\
import { hash } from "./crypto";

export class AuthService {
  validatePassword(given: string, wanted: string): boolean {
    const digest = hash(given);
    return digest === wanted;
  }

  comparePasswords(a: string, b: string): boolean {
    return a === b;
  }
}
"""
NOON = datetime(2025, 10, 19, 15, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def source(workspace: Path) -> Path:
    """Return a source file in the workspace."""
    place = workspace / "src/services/auth.ts"
    place.parent.mkdir(parents=True)
    place.write_text(AUTH, encoding="utf-8")
    return place


@pytest.fixture
def shop(workspace: Path) -> Workbench:
    """Return a workbench on the workspace."""
    return Workbench(configure(root=workspace))


@pytest.fixture(params=["legacy", "2026-07-28"])
async def client(request: pytest.FixtureRequest, workspace: Path) -> AsyncIterator[Client]:
    """Give a real client, once in each protocol era."""
    kernel = Kernel(Workbench(configure(root=workspace)))
    async with Client(kernel, mode=request.param) as connected:
        yield connected


@pytest.fixture
async def old_wire(workspace: Path) -> AsyncIterator[Wire]:
    """Give a raw connection without a handshake, so errors have numbers."""
    connection = Wire(Kernel(Workbench(configure(root=workspace))))
    yield connection
    await connection.close()
