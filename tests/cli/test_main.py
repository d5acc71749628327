import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from typing import NoReturn

import pytest
from click.testing import Result

import benchpin as package
from benchpin.cli.main import RootGroup, cli
from waiting import WAIT_S

Run = Callable[..., Result]
Process = Callable[..., "subprocess.CompletedProcess[bytes]"]

PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
HEAVY = ("mcp", "mcp_types", "uvicorn", "starlette", "websockets", "watchfiles")


def test_the_version_is_told(run: Run, process: Process) -> None:
    assert run("--version").output == f"benchpin, version {package.__version__}\n"
    shown = process("--version")
    assert (shown.returncode, shown.stdout.decode()) == (0, run("--version").output)


def test_help_names_every_command_and_the_exit_codes(run: Run) -> None:
    shown = run("--help")
    assert shown.exit_code == 0
    for word in ("analyze", "serve", "tools", "doctor", "Exit codes:", "--read-only"):
        assert word in shown.output


def test_help_says_where_a_cursor_comes_from(run: Run) -> None:
    shown = " ".join(run("analyze", "complexity", "--help").output.split())
    assert "--cursor TEXT The value after --cursor at the end of the previous page." in shown


def test_help_says_what_it_means_to_do_without_a_sandbox(run: Run) -> None:
    shown = " ".join(run("serve", "--help").output.split())
    assert "without a sandbox: they can read, change and send everything you can." in shown


@pytest.mark.parametrize(
    "command", [["serve"], ["tools"], ["call"], ["doctor"], ["get"], ["get", "status"]], ids=str
)
def test_every_command_has_help(run: Run, command: list[str]) -> None:
    shown = run(*command, "--help")
    assert shown.exit_code == 0
    assert shown.output.startswith(f"Usage: benchpin {' '.join(command)}")


def test_at_a_terminal_the_guide_is_shown(process: Process) -> None:
    leader, follower = pty.openpty()
    try:
        shown = process(stdin=follower)
    finally:
        os.close(leader)
        os.close(follower)
    guide = shown.stdout.decode()
    assert shown.returncode == 0
    assert "benchpin analyze ." in guide
    assert "\b" not in guide
    assert shown.stderr == b""


def test_in_a_pipe_it_serves(process: Process) -> None:
    served = process(stdin=PING)
    assert served.returncode == 0
    assert json.loads(served.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize("arguments", [[], ["serve"], ["serve", "--transport", "stdio"]], ids=str)
def test_an_empty_pipe_ends_the_server(process: Process, arguments: list[str]) -> None:
    served = process(*arguments)
    assert (served.returncode, served.stdout) == (0, b"")


def test_flags_before_the_command_and_after_it_both_reach_the_server(process: Process) -> None:
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    line = f"{call}\n".encode()
    for arguments in (
        ["--expose-tool", "get_status"],
        ["serve", "--expose-tool", "get_status"],
        ["--expose-tool", "get_status", "serve"],
    ):
        answer = json.loads(process(*arguments, stdin=line).stdout)
        assert [tool["name"] for tool in answer["result"]["tools"]] == ["get_status"]


def test_without_any_input_at_all_nothing_breaks(benchpin: str) -> None:
    closed = subprocess.run(
        ("/bin/sh", "-c", 'exec "$0" <&-', benchpin),
        capture_output=True,
        timeout=WAIT_S,
        check=False,
    )
    assert b"Traceback" not in closed.stderr
    assert closed.returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["get", "frobnicate"],
        ["tools", "--frobnicate"],
        ["serve", "--transport", "pigeon"],
        ["serve", "--port", "many"],
        ["--toolsets", "sever", "tools"],
        ["--allow", "everything", "tools"],
        ["--expose-tool", "get_sttus", "tools"],
        ["--root", "/no/such/folder", "tools"],
        ["--root", "~nosuchuser", "tools"],
        ["--tool-timeout", "0", "tools"],
        ["serve", "--transport", "http", "--port", "70000"],
    ],
    ids=" ".join,
)
def test_wrong_usage_and_wrong_settings_exit_with_2(run: Run, arguments: list[str]) -> None:
    ended = run(*arguments)
    assert ended.exit_code == 2
    assert ended.stdout == ""
    assert ended.stderr


def test_a_wrong_setting_is_said_in_words_with_a_suggestion(run: Run) -> None:
    assert run("tools", "--toolsets", "sever").stderr.splitlines() == [
        "Error: There is no toolset 'sever'",
        "Did you mean 'server'?",
    ]


def test_a_root_that_is_a_file_is_said_to_be_no_folder(run: Run) -> None:
    ended = run("tools", "--root", __file__)
    assert ended.exit_code == 2
    assert "is not a folder" in ended.stderr


def test_a_wrong_setting_ends_a_process_with_2(process: Process) -> None:
    ended = process("tools", BENCHPIN_PORT="many")
    assert ended.returncode == 2
    assert b"port" in ended.stderr
    assert b"Traceback" not in ended.stderr


def test_listening_to_the_network_without_a_token_is_refused(process: Process) -> None:
    ended = process("serve", "--transport", "http", "--host", "0.0.0.0", "--port", "0")  # noqa: S104 - refused
    assert ended.returncode == 2
    assert b"--auth-token" in ended.stderr


COMMANDS = (
    ["--help"],
    ["tools"],
    ["tools", "--json"],
    ["get", "status"],
    ["get", "status", "--help"],
    ["call", "get_status"],
    ["doctor"],
)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_nothing_heavy_is_loaded_for_a_command(arguments: list[str]) -> None:
    program = f"""
import sys
import benchpin
from benchpin.cli.main import cli
try:
    cli({arguments!r}, prog_name="benchpin", standalone_mode=False)
finally:
    loaded = {{name.partition(".")[0] for name in sys.modules}}
    print(sorted(loaded & set({HEAVY!r})), file=sys.stderr)
"""
    ended = subprocess.run(
        (sys.executable, "-c", program), capture_output=True, timeout=WAIT_S, check=False
    )
    assert (ended.returncode, ended.stderr.decode().strip()) == (0, "[]")


@pytest.mark.slow
def test_importing_benchpin_loads_neither_the_protocol_nor_the_command_line() -> None:
    program = "import sys, benchpin; print(sorted({'mcp', 'click'} & {*sys.modules}))"
    ended = subprocess.run(
        (sys.executable, "-c", program), capture_output=True, timeout=WAIT_S, check=False
    )
    assert ended.stdout.decode().strip() == "[]"


@pytest.mark.slow
def test_a_command_that_is_done_looks_for_no_more_garbage() -> None:
    program = """
import atexit, gc, sys
atexit.register(lambda: print(len(gc.get_objects()) < gc.get_freeze_count(), file=sys.stderr))
from benchpin.cli import main
sys.argv = ["benchpin", "--version"]
main()
"""
    ended = subprocess.run(
        (sys.executable, "-c", program), capture_output=True, timeout=WAIT_S, check=False
    )
    assert (ended.returncode, ended.stderr.decode().strip()) == (0, "True")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--help"], ["--version"]], ids=str)
def test_help_imports_neither_tools_nor_what_they_need(arguments: list[str]) -> None:
    program = f"""
import sys
from benchpin.cli.main import cli
cli({arguments!r}, prog_name="benchpin", standalone_mode=False)
print(sorted({{"pydantic", "benchpin.core", "asyncio"}} & {{*sys.modules}}), file=sys.stderr)
"""
    leader, follower = pty.openpty()
    ended = subprocess.run(
        (sys.executable, "-c", program),
        capture_output=True,
        stdin=follower,
        timeout=WAIT_S,
        check=False,
    )
    os.close(leader)
    os.close(follower)
    assert (ended.returncode, ended.stderr.decode().strip()) == (0, "[]")


@pytest.mark.parametrize("step", ["parse_args", "resolve_command"])
def test_an_interruption_before_a_tool_runs_exits_with_130(
    monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def interrupt(*_arguments: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(RootGroup, step, interrupt)
    with pytest.raises(SystemExit) as ended:
        cli(["tools"])
    assert ended.value.code == 130
