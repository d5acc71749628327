"""What every test may use: a workspace of its own, a client, a raw wire; and what makes it slow."""

import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings
from mcp.client.client import Client

from benchpin.app import Workbench
from benchpin.engines.execution.sandbox import detect_sandbox
from benchpin.engines.source import pool
from everything.serving import kernel_for
from kept_workers import KeptWorker, end_spare_workers
from wire import Wire

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

ERAS = ("legacy", "2026-07-28")
SLOW_FIXTURES = frozenset({"benchpin", "sandbox"})
"""Who asks for one of these starts the installed command, or programs in a sandbox."""

_started: list[str] = []


def _note_program(event: str, arguments: tuple[object, ...]) -> None:
    if event == "subprocess.Popen":
        _started.append(_shown(arguments[1]))


def _shown(command: object) -> str:
    parts = [command] if isinstance(command, str | bytes | os.PathLike) else command
    return " ".join(os.fsdecode(it) for it in parts)  # type: ignore[attr-defined]  # as Popen takes


sys.addaudithook(_note_program)


def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Mark what starts programs through a fixture, and what tries a hundred made-up inputs."""
    for item in items:
        if SLOW_FIXTURES & set(item.fixturenames) or is_hypothesis_test(item.obj):
            item.add_marker("slow")


@pytest.fixture(autouse=True)
def quick_unless_slow(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hold tests to their mark: without it they start git and children of Benchpin, no more."""
    _started.clear()
    yield
    programs = [it for it in _started if not _is_quick(it)]
    if programs and request.node.get_closest_marker("slow") is None:
        pytest.fail(f"It starts {programs[0]!r}: mark it with pytest.mark.slow", pytrace=False)


def _is_quick(command: str) -> bool:
    program, *arguments = command.split()
    return Path(program).name == "git" or (
        program == sys.executable and arguments[:1] == ["-m"] and "benchpin.engines" in command
    )


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


@pytest.fixture(autouse=True)
def kept_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand worker processes on from test to test: two starts cost more than most tests."""
    monkeypatch.setattr(pool, "_Worker", KeptWorker)


@pytest.fixture(autouse=True, scope="session")
def once_a_process() -> Iterator[None]:
    """Try the sandboxes before any test is held to account for it; end the workers at the end."""
    detect_sandbox(Path("/nowhere"))
    yield
    end_spare_workers()


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
