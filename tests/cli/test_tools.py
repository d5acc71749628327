import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from inline_snapshot import snapshot

Run = Callable[..., Result]


@pytest.mark.usefixtures("with_server_only")
def test_tools_are_listed_by_toolset_with_the_reason(run: Run) -> None:
    assert run("tools", "--expose-tool", "get_status").stdout == snapshot("""\
  tool         server  here  command
server: State of Benchpin, long results, tools for a task.
  get_status   on      on    show status
  read_result  off     on    show result
  find_tools   off     on    find tools
  call_tool    off     on    tool call_tool
  run_script   off     on    run script
4 off in the server: only exposed tools are enabled. Add --expose-tool NAME.
""")


def test_what_is_barred_is_off_here_too(run: Run) -> None:
    shown = run("tools", "--read-only").stdout
    assert re.search(r"^  edit_file +off +off +edit file$", shown, re.MULTILINE)
    assert re.search(r"^\d+ off everywhere: ", shown, re.MULTILINE)


def test_tools_are_listed_as_json(run: Run) -> None:
    listed = run("tools", "--json", "--toolsets", "server")
    assert json.loads(listed.stdout)["tools"][0] == {
        "tool": "get_status",
        "toolset": "server",
        "effect": "read",
        "enabled": True,
        "enabled_here": True,
        "reason": "read is allowed",
        "way_in": "",
    }


@pytest.mark.usefixtures("with_everything")
@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], {"echo": True, "append_line": False, "run_child": False}),
        (["--allow", "write"], {"echo": True, "append_line": True, "run_child": False}),
        (["--allow", "write, execute"], {"echo": True, "append_line": True, "run_child": True}),
        (["--allow", "write", "--read-only"], {"echo": True, "append_line": False}),
        (["--toolsets", "server"], {"echo": False, "get_status": True}),
        (["--toolsets", "server,everything"], {"echo": True, "get_status": True}),
        (["--expose-tool", "run_child"], {"echo": False, "run_child": True}),
        (["--expose-tool", "echo.say", "--expose-tool", "get_status"], {"echo": True}),
    ],
    ids=str,
)
def test_flags_switch_tools(run: Run, flags: list[str], expected: dict[str, bool]) -> None:
    for arguments in (["tools", "--json", *flags], [*flags, "tools", "--json"]):
        listed = {
            entry["tool"]: entry["enabled"] for entry in json.loads(run(*arguments).stdout)["tools"]
        }
        assert {name: listed[name] for name in expected} == expected


def test_the_flag_nearest_to_the_command_wins(run: Run) -> None:
    shown = run("--expose-tool", "get_status", "tools", "--json", "--expose-tool", "read_result")
    enabled = [entry["tool"] for entry in json.loads(shown.stdout)["tools"] if entry["enabled"]]
    assert enabled == ["read_result"]


def test_variables_and_files_are_read(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHPIN_EXPOSE_TOOLS", "get_status")
    assert re.search(r"read_result +off", run("tools").stdout)
    monkeypatch.delenv("BENCHPIN_EXPOSE_TOOLS")
    (workspace / "benchpin.toml").write_text("expose_tools = ['read_result']", encoding="utf-8")
    assert re.search(
        "off everywhere: the workspace's configuration file excludes it.", run("tools").stdout
    )


def test_what_a_workspace_asked_for_in_vain_is_noted_on_stderr(run: Run, workspace: Path) -> None:
    (workspace / "benchpin.toml").write_text("port = 1\nallow = ['write']", encoding="utf-8")
    assert run("tools").stderr.splitlines() == [
        "Note: benchpin.toml: port can only be set by the operator and is ignored",
        "Note: benchpin.toml: write was not granted; start with --allow write",
    ]
