"""Files that are made to hold a reader, through the tools of a running server.

CPU time is measured, not wall-clock time: what the server used between a ping and its answer is how
long something kept the event loop from the interpreter. A busy machine can let the answer lie here
while the server works on, so one attempt of several is enough. All but the first have a server and
caches of their own: a reader that holds the interpreter does so every time.
"""

import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from argument_attacks import ARGUMENTS
from pinging import PingedServer, pinged_server, place
from reader_attacks import ATTACKS, NAMED, Attack, repeated
from waiting import WAIT_S

pytestmark = pytest.mark.slow

HELD_S = 0.5
"""Half of it is for modules that the first call imports."""
ATTEMPTS = 5
CHOSEN = [
    *NAMED,
    *ARGUMENTS,
    *(
        it
        for it in ATTACKS
        if it.name
        in {
            ".gitattributes '*a*a*a*a linguist-generated\\n'",
            ".gitignore 'a\\n'",
            "Makefile '.PHONY: a \\\\\\n'",
            "Markdown '[a]('",
            "a.kt '{'",
            "lcov.info 'DA:1,1\\n'",
            "package.json '{\"a\":'",
            "pnpm-workspace.yaml '&a *a '",
            "secrets 'token='",
            "slow log '--'",
            "timings '['",
        }
    ),
]


def held_by(server: PingedServer, attack: Attack) -> list[str]:
    """Return the tools that hold up pings."""
    held = []
    for tool, arguments in attack.calls:
        called = server.call(tool, arguments)
        assert "internal_error" not in called.text
        if called.most_cpu_s >= HELD_S:
            held.append(f"{tool}: {called.most_cpu_s:.2f} s")
    return held


@contextmanager
def server_in(folder: Path) -> Iterator[tuple[PingedServer, Path]]:
    """Give a server and its workspace, with caches of its own."""
    workspace, home = folder / "workspace", folder / "home"
    workspace.mkdir(parents=True)
    home.mkdir()
    with pinged_server(workspace, home, "--tool-timeout", "5", "--allow", "write") as server:
        yield server, workspace


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[PingedServer, Path]]:
    """Give one server for the first attempts: a start costs as much as most attacks."""
    with server_in(tmp_path_factory.mktemp("shared")) as given:
        yield given


@pytest.mark.parametrize("attack", [pytest.param(it, id=it.name) for it in CHOSEN])
def test_pings_are_answered_while_a_tool_reads(
    shared: tuple[PingedServer, Path], attack: Attack, tmp_path: Path
) -> None:
    server, workspace = shared
    shutil.rmtree(workspace)
    workspace.mkdir()
    place(attack, workspace)
    attempts = [held_by(server, attack)]
    while attempts[-1] and len(attempts) < ATTEMPTS:
        with server_in(tmp_path / str(len(attempts))) as (server, workspace):
            place(attack, workspace)
            attempts.append(held_by(server, attack))
    assert not attempts[-1], f"pings waited in every attempt: {attempts}"


HELD = Attack("held", (), {f"a{number}.kt": repeated("{") for number in range(40)})
"""More than can be read in any time that a test takes."""


@pytest.mark.parametrize("how", ["input", "signal"])
def test_the_server_ends_while_a_tool_reads(how: str, home: Path, workspace: Path) -> None:
    place(HELD, workspace)
    with pinged_server(workspace, home, "--tool-timeout", "2") as server:
        server.start("analyze_complexity", {"cache_strategy": "force-refresh"})
        server.ping()
        children = psutil.Process(server.process.pid).children(recursive=True)
        if how == "input":
            server.close_input()
        else:
            server.process.send_signal(signal.SIGTERM)
        assert server.process.wait() == 0
        left = psutil.wait_procs(children, timeout=WAIT_S)[1]
        assert not [it for it in left if it.is_running()]
