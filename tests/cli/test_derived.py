import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from benchpin.cli.derived import tool_command, tool_group
from benchpin.cli.flags import Flags
from benchpin.core.calls import Bench
from benchpin.core.tools import AnyTool, Effect, Params, tool
from everything.echo import Echo

Run = Callable[..., Result]

everything_too = pytest.mark.usefixtures("with_everything")


def test_the_first_words_of_the_tools_are_the_groups() -> None:
    assert tool_group("frobnicate") is None
    group = tool_group("get")
    assert group is not None
    assert "status" in group.list_commands(click.Context(group))


def test_a_tool_is_a_command(run: Run, workspace: Path) -> None:
    shown = run("get", "status")
    assert shown.exit_code == 0
    assert f" on {workspace}, up " in shown.stdout
    assert json.loads(run("get", "status", "--json").stdout)["workspace"] == str(workspace)


def test_a_command_may_name_its_workspace(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for arguments in (
        ["get", "status", "--root", str(other)],
        ["--root", str(other), "get", "status"],
        ["--root", "/no/such/folder", "get", "status", "--root", str(other)],
    ):
        assert f" on {other}, up " in run(*arguments).stdout


def test_help_tells_the_tool_and_its_effect(run: Run) -> None:
    shown = run("read", "result", "--help").stdout
    assert "Tool: read_result. Effect: read." in shown
    assert "Usage: benchpin read result [OPTIONS] ID" in shown
    assert "--max-bytes" in shown
    assert "[default: 30000]" in shown


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["get", "status"], 0),
        (["read", "result", "0123456789abcdef"], 2),
        (["read", "result", "zz"], 2),
        (["read", "result"], 2),
        (["read", "result", "0123456789abcdef", "--max-bytes", "5"], 2),
        (["read", "result", "0123456789abcdef", "--max-bytes", "many"], 2),
        (["read", "result", "0123456789abcdef", "--frob"], 2),
    ],
    ids=str,
)
def test_what_was_not_done_ends_with_2(run: Run, arguments: list[str], code: int) -> None:
    ended = run(*arguments)
    assert ended.exit_code == code
    assert bool(ended.stderr) is bool(code)


@everything_too
def test_a_tool_with_consequences_runs_when_it_is_typed(run: Run, workspace: Path) -> None:
    assert run("append", "line", "a.txt", "first").stdout == "1 lines\n"
    assert run("append", "line", "a.txt", "second", "--pause-s", "0").stdout == "2 lines\n"
    assert (workspace / "a.txt").read_text(encoding="utf-8") == "first\nsecond\n"


@everything_too
def test_permissions_hold_on_the_command_line(run: Run, workspace: Path) -> None:
    ended = run("append", "line", ".env", "KEY=1")
    assert ended.exit_code == 2
    assert "May not write '.env'" in ended.stderr
    assert list(workspace.iterdir()) == []


@everything_too
def test_read_only_bars_a_command(run: Run) -> None:
    ended = run("--read-only", "append", "line", "a.txt", "x")
    assert ended.exit_code == 2
    assert ended.stderr.splitlines()[1] == "Start without --read-only."


@everything_too
def test_a_tool_of_one_word_is_a_command_too(run: Run) -> None:
    assert run("echo", "hello").stdout == "hello\n"
    assert run("echo", "--help").exit_code == 0


class AwkwardParams(Params):
    """Fields that are called as the command's own options are stored."""

    workspace: str = "unset"
    as_json: str = "unset"


@tool(title="Awkward", effect=Effect.READ)
def show_awkward(params: AwkwardParams, _bench: Bench) -> Echo:
    """Show the arguments."""
    return Echo(text=f"{params.workspace} {params.as_json}")


def test_fields_do_not_get_in_the_way_of_the_commands_own_options(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: dict[str, object] = {}

    def note(_flags: Flags, _name: str, arguments: dict[str, object]) -> Echo:
        given.update(arguments)
        return Echo(text="")

    monkeypatch.setattr("benchpin.cli.derived.run_tool", note)
    awkward: AnyTool = show_awkward  # type: ignore[assignment]  # tools are invariant
    command = tool_command("awkward", awkward)
    ended = CliRunner().invoke(command, ["--workspace", "a", "--as-json", "b"])
    assert ended.exit_code == 0
    assert given == {"workspace": "a", "as_json": "b"}
