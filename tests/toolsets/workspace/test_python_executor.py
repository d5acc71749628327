"""Code that misbehaves is a result like any other."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchpin.core.errors import InvalidParams
from benchpin.toolsets.workspace.python_executor import CodeParams
from sandboxes import KINDS, executing_server
from serving import StdioServer
from waiting import with_enough_time
from wire import call, request

pytestmark = pytest.mark.slow

RPC = '{"jsonrpc": "2.0", "id": 1, "result": {}}'

ENDINGS: dict[str, tuple[str, int]] = {
    "ends well": ("print(6 * 7)", 0),
    "fails": ("1 / 0", 1),
    "is no Python": ("def", 1),
    "exits": ("import sys; sys.exit(5)", 5),
    "exits at once": ("import os; os._exit(6)", 6),
    "kills itself": ("import os; os.kill(os.getpid(), 9)", 137),
    "aborts": ("import os; os.abort()", 134),
    "crashes": ("import ctypes; ctypes.string_at(0)", 139),
    "closes its output": ("import os; os.close(1); os.close(2)", 0),
    "speaks the protocol": (f"print({RPC!r})", 0),
    "has a huge traceback": ("raise ValueError('x' * 10**6)", 1),
    "recurses": ("def f(): f()\nf()", 1),
    "reads its input": ("print(repr(input()))", 1),
    "writes what is no text": ("import os; os.write(1, bytes(range(256)))", 0),
}


@pytest.fixture(scope="module", params=KINDS)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StdioServer]:
    """Give one server that runs all of it in turn."""
    with executing_server(tmp_path_factory.mktemp("workspace"), request.param) as started:
        yield started


@pytest.mark.parametrize("name", ENDINGS)
def test_the_server_goes_on_when_code(server: StdioServer, name: str) -> None:
    code, exit_code = ENDINGS[name]
    answer = server.ask(call("python_executor", name, code=code))
    assert answer["id"] == name
    assert not answer["result"].get("isError")
    assert answer["result"]["structuredContent"]["exit_code"] == exit_code
    assert server.ask(request("ping", 2))["id"] == 2


def _run(server: StdioServer, code: str, **arguments: object) -> dict[str, object]:
    answer = server.ask(call("python_executor", code=code, **arguments))
    report: dict[str, object] = answer["result"]["structuredContent"]
    return report


def test_what_code_prints_is_the_result(server: StdioServer) -> None:
    assert _run(server, f"print({RPC!r})")["stdout"] == f"{RPC}\n"
    assert _run(server, "print('é€😀')")["stdout"] == "é€😀\n"


def test_a_traceback_shows_the_line(server: StdioServer) -> None:
    shown = str(_run(server, "def f():\n    return 1 / 0\n\nf()\n")["stderr"])
    assert "line 2, in f\n    return 1 / 0\n" in shown
    assert shown.endswith("ZeroDivisionError: division by zero\n")


def test_the_interpreter_is_the_servers_own_and_isolated(server: StdioServer) -> None:
    code = "import sys; print(sys.version_info[:3], sys.flags.isolated, sys.executable)"
    expected = f"{sys.version_info[:3]} 1 {sys.executable}\n"
    assert _run(server, code)["stdout"] == expected


def test_nothing_is_kept_from_one_call_to_the_next(server: StdioServer) -> None:
    code = "import os; print(sorted(os.listdir('/tmp'))); open('/tmp/kept', 'w'); kept = 1"
    first, second = (_run(server, code)["stdout"] for _ in range(2))
    assert first == second
    assert "kept" not in str(first)


def test_code_of_any_length_runs(server: StdioServer) -> None:
    assert (
        _run(server, f"x = {'1' * 4000}\n" + "# filler\n" * 60_000 + "print('end')")["stdout"]
        == "end\n"
    )


def test_code_is_stopped_at_the_timeout(server: StdioServer) -> None:
    code = "print('begun', flush=True)\nwhile True: pass"
    report = with_enough_time(
        lambda limit_s: _run(server, code, timeout=limit_s),
        1,
        lambda report: bool(report["stdout"]),
    )
    assert (report["timed_out"], report["exit_code"], report["stdout"]) == (True, None, "begun\n")


def test_only_code_and_a_timeout_are_taken(workspace: Path) -> None:
    assert CodeParams.parse({"code": "1"}).timeout == 30
    for wrong in ({}, {"code": "1", "cwd": str(workspace)}, {"code": "1", "timeout": 0}):
        with pytest.raises(InvalidParams):
            CodeParams.parse(wrong)
