"""What every test may use: a workspace of its own, a client, a raw wire; and what makes it slow."""

import gc
import itertools
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings
from mcp.client.client import Client

import parquet_reading
from benchpin.app import Workbench
from benchpin.core.calls import give_back_free_memory
from benchpin.facts.workers import _pool as pool
from benchpin.fleet import _packs, _questions
from benchpin.run.sandbox import detect_sandbox
from everything.serving import kernel_for
from kept_workers import KeptAnswers, KeptWorker, end_spare_workers
from wire import Wire

# Off until the tests are collected, then what was collected is left alone: the collector walked
# 2 million objects that stay anyway, for 6 s in collection and again in every full pass after it.
gc.disable()
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

ERAS = ("legacy", "2026-07-28")
SLOW_FIXTURES = frozenset({"benchpin", "sandbox"})
"""Who asks for one of these starts the installed command, or programs in a sandbox."""

_homes = ""
_numbers = itertools.count()
_opened: list[Callable[[], object]] = []
_started: list[str] = []
_make_workbench = Workbench.__init__


def _open_workbench(self: Workbench, *arguments: Any, **named: Any) -> None:
    _make_workbench(self, *arguments, **named)
    _opened.append(self.close)


Workbench.__init__ = _open_workbench  # type: ignore[method-assign]  # to close what tests open
pool._Worker = KeptWorker  # type: ignore[misc]  # two starts cost more than most tests
_packs.Answers = _questions.Answers = KeptAnswers  # type: ignore[attr-defined]  # a start takes half a second


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


def pytest_collection_finish() -> None:
    """Leave out of garbage collection what lives as long as the process."""
    gc.freeze()
    gc.enable()


def _is_quick(command: str) -> bool:
    program, *arguments = command.split()
    is_module = arguments[:1] == ["-m"] and "benchpin." in command
    is_ours = program == sys.executable and (is_module or arguments == [parquet_reading.__file__])
    return is_ours or Path(program).name == "git"


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio, as the server does."""
    return "asyncio"


@pytest.fixture(autouse=True, scope="session")
def once_a_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Try the sandboxes before any test is held to account for it; end the workers at the end."""
    global _homes  # noqa: PLW0603 - one for this process
    _homes = str(tmp_path_factory.mktemp("homes"))
    detect_sandbox(Path("/nowhere"))
    yield
    end_spare_workers()


@pytest.fixture(autouse=True, scope="module")
def memory_given_back() -> Iterator[None]:
    """Return what the tests of a module have freed, so that no worker keeps the sum of all."""
    yield
    give_back_free_memory()


@pytest.fixture(autouse=True)
def apart(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep tests apart from the user, from one another, and unmarked ones from slow programs.

    One fixture does it all: 7,000 tests pay for each that there is.
    """
    home = f"{_homes}/{next(_numbers)}"
    os.mkdir(home)  # noqa: PTH102 - a tenth of the time
    os.environ |= {
        "HOME": home,
        "XDG_CACHE_HOME": f"{home}/cache",
        "XDG_CONFIG_HOME": f"{home}/config",
    }
    _started.clear()
    _opened.clear()  # what fixtures of a module opened they close themselves
    yield
    for close in _opened:
        close()
    programs = [it for it in _started if not _is_quick(it)]
    if programs and request.node.get_closest_marker("slow") is None:
        pytest.fail(f"It starts {programs[0]!r}: mark it with pytest.mark.slow", pytrace=False)


@pytest.fixture
def home() -> Path:
    """Return the home of the test, which is empty."""
    return Path(os.environ["HOME"])


@pytest.fixture
def go_cache(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what Go compiles of its library for the next run: in an empty home that takes 20 s."""
    monkeypatch.setenv("GOCACHE", str(pytestconfig.cache.mkdir("go-build")))


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
