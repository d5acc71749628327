import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from benchpin.cli.output import CONTINUE_HINT

Run = Callable[..., Result]
Process = Callable[..., "subprocess.CompletedProcess[bytes]"]

everything_too = pytest.mark.usefixtures("with_everything")


def test_a_call_prints_the_structured_result_as_json(run: Run, workspace: Path) -> None:
    called = run("call", "get_status")
    status = json.loads(called.stdout)
    assert called.exit_code == 0
    assert called.stderr == ""
    assert status["workspace"] == str(workspace)
    assert status["enabled_tools"][:2] == ["get_status", "read_result"]
    assert called.stdout.count("\n") == 1


@everything_too
@pytest.mark.parametrize("text", ["hello", "héllo 😀", "", "two\nlines"])
def test_arguments_are_json_from_the_line_or_from_stdin(run: Run, text: str) -> None:
    arguments = json.dumps({"text": text})
    assert json.loads(run("call", "echo", "--json", arguments).stdout) == {"text": text}
    piped = run("call", "echo", "--json", "-", stdin=arguments)
    assert json.loads(piped.stdout) == {"text": text}
    assert json.loads(run("call", "echo.say", "--json", arguments).stdout) == {"text": text}


@everything_too
def test_broken_text_is_printed_all_the_same(run: Run) -> None:
    called = run("call", "echo", "--json", r'{"text": "caf\udce9"}')
    assert called.exit_code == 0
    assert json.loads(called.stdout) == {"text": "caf\udce9"}


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["get_status", "--json", "{"], "invalid_params"),
        (["get_status", "--json", ""], "invalid_params"),
        (["get_status", "--json", "[]"], "invalid_params"),
        (["get_status", "--json", "null"], "invalid_params"),
        (["get_status", "--json", "{'a': 1}"], "invalid_params"),
        (["get_status", "--json", "[" * 100_000], "invalid_params"),
        (["get_status", "--json", '{"verbose": true}'], "invalid_params"),
        (["read_result"], "invalid_params"),
        (["read_result", "--json", '{"id": "0123456789abcdef"}'], "resource_not_found"),
        (["get_stats"], "unknown_tool"),
        (["--json", "{}", "zzz"], "unknown_tool"),
    ],
)
def test_a_call_that_fails_prints_json_on_stderr_and_exits_with_2(
    run: Run, arguments: list[str], kind: str
) -> None:
    called = run("call", *arguments)
    assert (called.exit_code, called.stdout) == (2, "")
    error = json.loads(called.stderr)["error"]
    assert set(error) == {"kind", "message", "suggestion", "data"}
    assert error["kind"] == kind
    assert error["suggestion"]


def test_a_call_names_the_problem(run: Run) -> None:
    error = json.loads(run("call", "read_result").stderr)["error"]
    assert error["data"] == {"problems": [{"path": "id", "problem": "Field required"}]}


@everything_too
def test_a_tool_that_was_typed_by_name_is_exposed(run: Run, workspace: Path) -> None:
    called = run("call", "append_line", "--json", '{"path": "a.txt", "line": "x"}')
    assert json.loads(called.stdout) == {"lines": 1}
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "x\n"


@everything_too
@pytest.mark.parametrize("where", ["before", "after"])
def test_read_only_bars_a_tool_that_was_typed_by_name(run: Run, where: str) -> None:
    words = ["call", "append_line", "--json", '{"path": "a.txt", "line": "x"}']
    called = run(*(["--read-only", *words] if where == "before" else [*words, "--read-only"]))
    assert called.exit_code == 2
    assert json.loads(called.stderr)["error"]["kind"] == "tool_disabled"


@everything_too
def test_a_call_out_of_time_gives_what_there_is(run: Run) -> None:
    called = run(
        *("call", "count_slowly", "--json", '{"items": 3, "pause_s": 0}'),
        *("--tool-timeout", "1e-9"),
    )
    assert called.exit_code == 3
    assert json.loads(called.stdout) == {
        "counted": 0,
        "partial": True,
        "missing": ["3 of 3 items"],
    }
    assert called.stderr == f"Partial: left out 3 of 3 items. {CONTINUE_HINT}\n"


def test_a_call_needs_a_tool(run: Run) -> None:
    called = run("call")
    assert called.exit_code == 2
    assert "TOOL" in called.stderr


def test_a_real_call(process: Process) -> None:
    called = process("call", "get_status", "--json", "-", stdin=b"{}")
    assert called.returncode == 0
    assert json.loads(called.stdout)["enabled_tools"][:2] == ["get_status", "read_result"]
    failed = process("call", "get_sttus")
    assert failed.returncode == 2
    assert json.loads(failed.stderr)["error"]["data"]["nearest"][0] == "get_status"


def test_arguments_that_are_no_text_are_refused_like_any_other(process: Process) -> None:
    called = process("call", "get_status", "--json", "-", stdin=b"\xff", PYTHONIOENCODING="utf-8")
    assert called.returncode == 2
    assert json.loads(called.stderr)["error"]["kind"] == "invalid_params"
