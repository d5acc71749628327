from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchpin.app import Workbench, configure
from benchpin.core.calls import Job
from benchpin.core.errors import (
    AccessDenied,
    DependencyMissing,
    InvalidParams,
    InvalidPath,
    PathOutsideWorkspace,
    ToolDisabled,
)
from benchpin.run import sandbox as execution
from benchpin.run.sandbox import (
    MAX_ARGUMENT_BYTES,
    ExecutionReport,
    Sandbox,
)
from benchpin.run.sandbox import (
    _calls as calls,
)
from benchpin.run.sandbox import (
    _sandbox as remembered,
)
from benchpin.run.sandbox import (
    _workspace_mounts as workspace_mounts,
)
from benchpin.toolsets.workspace.execute_command import CommandParams, execute_command
from long_texts import Long, whole
from sandboxes import KINDS, executing_server, survivors, working
from serving import StdioServer
from waiting import with_enough_time
from wire import call, request

pytestmark = pytest.mark.slow

Shop = Callable[..., Workbench]
NAMES = ["execute_command", "python_executor"]


def _install(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    for module in (execution, calls, remembered):
        monkeypatch.setattr(module, "detect_sandbox", lambda _root: sandbox)


@pytest.fixture(params=KINDS)
def shop(request: pytest.FixtureRequest, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """Return a function that makes a workbench with programs allowed, in each kind of sandbox."""
    _install(monkeypatch, working(request.param))
    return lambda **settings: Workbench(
        configure(**{"root": workspace, "allow": ["execute"], **settings})
    )


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nothing that confines."""
    _install(monkeypatch, Sandbox("none", "bubblewrap (bwrap) is not installed"))


def _run(shop: Workbench, command: str, **arguments: object) -> ExecutionReport:
    params = CommandParams.parse({"command": command, **arguments})
    return shop.run(execute_command, params)


def test_a_command_runs_in_the_workspace(shop: Shop, workspace: Path) -> None:
    bench = shop()
    report = _run(bench, "pwd; echo oops >&2; exit 3")
    assert report.duration_ms > 0
    assert report.model_dump(exclude={"duration_ms"}) == {
        "exit_code": 3,
        "stdout": f"{workspace}\n",
        "stderr": "oops\n",
        "timed_out": False,
        "timeout_s": 30.0,
        "truncated": False,
        "stdout_cut_bytes": 0,
        "stderr_cut_bytes": 0,
        "signal": None,
        "exceeded": None,
        "sandbox": execution.detect_sandbox(Path("/nowhere")).name,
        "suggestion": None,
    }


def test_it_is_said_how_it_ended_then_what_was_written(shop: Shop) -> None:
    def text(command: str) -> list[str]:
        report = _run(shop(), command)
        return report.model_copy(update={"duration_ms": 1234}).to_text().splitlines()

    name = execution.detect_sandbox(Path("/nowhere")).name
    assert text("echo a; echo b >&2") == [
        f"Exit code 0 (1,234 ms, sandbox: {name})",
        *("stdout:", "a"),
        *("stderr:", "b"),
    ]
    assert text("kill -9 $$") == [f"Ended by SIGKILL (1,234 ms, sandbox: {name})"]


def test_a_command_runs_in_a_folder_of_the_workspace(shop: Shop, workspace: Path) -> None:
    (workspace / "sub").mkdir()
    (workspace / "file").touch()
    assert _run(shop(), "pwd", working_directory="sub").stdout == f"{workspace}/sub\n"
    with pytest.raises(PathOutsideWorkspace):
        _run(shop(), "pwd", working_directory="..")
    with pytest.raises(PathOutsideWorkspace):
        _run(shop(), "pwd", working_directory="/")
    for wrong in ("file", "missing"):
        with pytest.raises(InvalidPath):
            _run(shop(), "pwd", working_directory=wrong)
    (workspace / ".git").mkdir()
    with pytest.raises(AccessDenied):
        _run(shop(), "pwd", working_directory=".git")


def test_the_workspace_is_written_only_where_writing_is_allowed(
    shop: Shop, workspace: Path
) -> None:
    assert _run(shop(), "echo x >x").exit_code != 0
    assert not (workspace / "x").exists()
    assert _run(shop(allow=["execute", "write"]), "echo x >x").exit_code == 0
    assert (workspace / "x").exists()


def test_denied_files_are_hidden(shop: Shop, workspace: Path) -> None:
    for name in (".env", "server.pem", "plan.txt"):
        (workspace / name).write_text("hunter2", encoding="utf-8")
    rules = [
        {"pattern": "**", "operations": ["read", "write"]},
        {"pattern": "plan.txt", "operations": []},
    ]
    bench = shop(resource_permissions=rules, allow=["execute", "write"])
    report = _run(bench, "cat .env *; cp .env a; cat a; echo x >plan.txt")
    assert "hunter2" not in report.stdout
    assert (workspace / "plan.txt").read_text(encoding="utf-8") == "hunter2"


def test_a_timeout_stops_it(shop: Shop) -> None:
    bench = shop()
    report = with_enough_time(
        lambda limit_s: _run(bench, "echo begun; sleep 600", timeout=limit_s),
        2,
        lambda report: report.stdout != "",
    )
    assert (report.timed_out, report.exit_code, report.stdout) == (True, None, "begun\n")
    assert report.to_text().startswith(f"Stopped after {report.timeout_s:g} s (")


def test_the_time_that_the_server_has_left_counts_too(shop: Shop) -> None:
    job = Job(time_limit_s=2)
    bench = replace(shop().bench, job=job)
    report = execute_command(CommandParams(command="sleep 600"), bench)
    assert isinstance(report, ExecutionReport)
    assert report.timed_out
    assert report.timeout_s <= 2
    assert job.missing == ["output after the time limit of this server (tool_timeout)"]


def test_what_was_cut_is_counted(shop: Shop) -> None:
    report = _run(shop(), "yes | head -c 1000000")
    assert report.truncated
    assert report.stdout_cut_bytes == 1_000_000 - 32 * 1024
    assert f"[{report.stdout_cut_bytes:,} bytes cut]" in report.stdout
    assert report.stderr_cut_bytes == 0


def test_folders_that_were_not_searched_are_named(
    shop: Shop, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "deep").mkdir()
    (workspace / "deep" / "file").touch()
    monkeypatch.setattr(workspace_mounts, "MAX_ENTRIES", 1)
    report = _run(shop(), "ls deep")
    assert report.stdout == ""
    assert report.partial
    assert "1 folder hidden" in report.missing[0]


@pytest.mark.parametrize("timeout", [0, -1, 86_401, "soon"])
def test_a_timeout_is_some_seconds(timeout: object) -> None:
    with pytest.raises(InvalidParams):
        CommandParams.parse({"command": "true", "timeout": timeout})


@pytest.mark.parametrize("unconfined", [False, True])
@pytest.mark.parametrize(
    ("tool", "arguments", "problem"),
    [
        ("execute_command", {"command": "echo a\0b"}, "command has a NUL byte at position 6"),
        ("execute_command", {"command": "x" * 200_000}, "200,000 bytes, more than 131,071"),
        ("execute_command", {"command": "é" * 70_000}, "140,000 bytes, more than 131,071"),
        ("execute_command", {"command": "echo \ud83d"}, "lone surrogate at position 5"),
        ("python_executor", {"code": "print(1)\0"}, "code has a NUL byte at position 8"),
        ("python_executor", {"code": Long("#", 9_000_000)}, "9,000,000 bytes, more than 8,388,608"),
        ("python_executor", {"code": "'\udcff'"}, "lone surrogate at position 1"),
    ],
)
def test_what_cannot_reach_a_program_is_a_bad_argument(
    workspace: Path,
    tool: str,
    arguments: dict[str, str | Long[str]],
    problem: str,
    *,
    unconfined: bool,
) -> None:
    bench = Workbench(configure(root=workspace, allow=["execute"], unconfined=unconfined))
    listing = bench.catalogue.find(tool, for_operator=True)
    with pytest.raises(InvalidParams, match=problem) as caught:
        bench.prepare(listing, {name: whole(it) for name, it in arguments.items()}).run()
    assert caught.value.suggestion


def test_the_longest_command_and_long_code_are_run(shop: Shop) -> None:
    longest = "echo ok #".ljust(MAX_ARGUMENT_BYTES, "x")
    assert _run(shop(), longest).stdout == "ok\n"
    code = f"#{'x' * 200_000}\nprint('ok')"
    assert shop().call("python_executor", code=code).model_dump()["stdout"] == "ok\n"


def test_programs_are_off_until_they_are_allowed(workspace: Path) -> None:
    bench = Workbench(configure(root=workspace))
    assert not set(NAMES) & {it.name for it in bench.catalogue.enabled}
    with pytest.raises(ToolDisabled) as caught:
        bench.call("execute_command", command="true")
    assert "--allow execute" in caught.value.suggestion


@pytest.mark.usefixtures("no_sandbox")
@pytest.mark.parametrize("settings", [{"allow": ["execute"]}, {"expose_tools": NAMES}])
def test_without_a_sandbox_the_tools_are_not_listed(
    workspace: Path, settings: dict[str, object]
) -> None:
    bench = Workbench(configure(root=workspace, **settings))
    assert not set(NAMES) & {it.name for it in bench.catalogue.enabled}
    with pytest.raises(ToolDisabled) as caught:
        bench.call("execute_command", command="true")
    assert "no sandbox works" in caught.value.message
    assert "--unconfined" in caught.value.suggestion


@pytest.mark.usefixtures("no_sandbox")
def test_an_operator_who_types_the_name_gets_no_further(workspace: Path) -> None:
    bench = Workbench(configure(root=workspace))
    listing = bench.catalogue.find("execute_command", for_operator=True)
    with pytest.raises(DependencyMissing):
        bench.prepare(listing, {"command": "true"}).run()


def test_unconfined_is_the_operators_choice_and_named_in_the_result(
    shop: Shop, tmp_path: Path
) -> None:
    report = _run(shop(unconfined=True), f"echo x >{tmp_path}/x")
    assert (report.exit_code, report.sandbox) == (0, "none")
    assert (tmp_path / "x").exists()
    assert "sandbox: none" in report.to_text()


@pytest.mark.usefixtures("no_sandbox")
def test_unconfined_does_without_a_sandbox(workspace: Path) -> None:
    bench = Workbench(configure(root=workspace, allow=["execute"], unconfined=True))
    assert set(NAMES) <= {it.name for it in bench.catalogue.enabled}
    assert _run(bench, "echo hello").stdout == "hello\n"


BUSY = {
    "spins": "while :; do :; done",
    "floods": "yes & yes >&2",
    "forks": "for it in $(seq 200); do sleep 600 & done; wait",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("busy", BUSY)
def test_the_server_answers_while_a_program(workspace: Path, kind: str, busy: str) -> None:
    with executing_server(workspace, kind, "--tool-timeout", "120") as server:
        assert _started(server, "long", command=BUSY[busy], timeout=120)
        for number in range(20):
            server.send(request("ping", number))
            assert "long" not in _ids_until(server, number)


def _started(server: StdioServer, call_id: str, **arguments: object) -> bool:
    """Start a command, and wait until it is under way."""
    started = call("execute_command", call_id, **arguments)
    started["params"]["_meta"] = {"progressToken": call_id}
    return bool(server.ask(started)["method"] == "notifications/progress")


def _ids_until(server: StdioServer, wanted: object) -> list[object]:
    """Take answers up to one that is wanted, and return the ids of those before it."""
    ids: list[object] = []
    while (answer := server.receive()).get("id") != wanted:
        ids.append(answer.get("id"))
    assert answer["result"].get("structuredContent", {"timed_out": True})["timed_out"]
    return ids


@pytest.mark.parametrize("kind", KINDS)
def test_a_fork_bomb_is_survived(workspace: Path, kind: str) -> None:
    bomb = "import os\nfor _ in range(12): os.fork()\nimport time; time.sleep(600)"
    with executing_server(workspace, kind) as server:
        server.send(call("python_executor", "bomb", code=bomb, timeout=15))
        assert server.ask(request("ping", 1))["id"] == 1
        ended = server.receive()["result"]["structuredContent"]
        assert ended["exit_code"] != 0
        assert server.ask(request("ping", 2))["id"] == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_cancelled_call_and_a_closed_connection_leave_nothing(workspace: Path, kind: str) -> None:
    mark = f"600{id(workspace)}"
    command = f"setsid sleep {mark} & sleep {mark}"
    with executing_server(workspace, kind, "--tool-timeout", "120") as server:
        assert _started(server, "x", command=f"echo here; {command}")
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": "x"}}
        server.send({"jsonrpc": "2.0", **cancelled})
        server.send(call("execute_command", "y", command=command, timeout=1))
        assert "x" not in _ids_until(server, "y")
        assert survivors(mark) == []
        server.send(call("execute_command", "z", command=command, timeout=1))
        assert [it["id"] for it in server.end()] == ["z"]
    assert survivors(mark) == []


def test_the_environment_of_the_server_stays_its_own(workspace: Path) -> None:
    command = "env; cat /proc/*/environ"
    with executing_server(workspace, "namespaces") as server:
        answer = server.ask(call("execute_command", command=command))
    shown = answer["result"]["structuredContent"]["stdout"]
    assert "HOME=/tmp" in shown
    assert "hunter2" not in shown
