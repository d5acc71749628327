"""What every test may use: a workspace of its own, a client, a raw wire."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from mcp.client.client import Client

from benchpin.app import Workbench
from everything.serving import kernel_for
from wire import Wire

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

ERAS = ("legacy", "2026-07-28")


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio, as the server does."""
    return "asyncio"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's configuration and cache out of the tests, and the tests out of them."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))


@pytest.fixture(autouse=True)
def close_workbenches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close every workbench that a test opened, and with it the worker processes."""
    opened: list[Callable[[], object]] = []
    make = Workbench.__init__

    def open_workbench(self: Workbench, *arguments: Any, **named: Any) -> None:
        make(self, *arguments, **named)
        opened.append(self.close)

    monkeypatch.setattr(Workbench, "__init__", open_workbench)
    yield
    for close in opened:
        close()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return an empty workspace."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture(params=ERAS)
async def client(request: pytest.FixtureRequest, workspace: Path) -> AsyncIterator[Client]:
    """Give a real client in the same process, once in each protocol era."""
    async with Client(kernel_for(workspace), mode=request.param) as connected:
        yield connected


@pytest.fixture
async def wire(workspace: Path) -> AsyncIterator[Wire]:
    """Give a raw connection in the same process."""
    connection = Wire(kernel_for(workspace))
    yield connection
    await connection.close()


@pytest.fixture
def benchpin() -> str:
    """Return the installed command."""
    return str(Path(sys.executable).with_name("benchpin"))
