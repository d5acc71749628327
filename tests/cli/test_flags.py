import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import Result

from benchpin.cli.flags import Flags
from benchpin.cli.main import cli
from benchpin.core.errors import ConfigError, InvalidPath
from benchpin.core.tools import Effect

Run = Callable[..., Result]


def test_flags_given_later_are_stronger_and_absent_ones_are_nothing() -> None:
    flags = Flags({"root": Path("a"), "allow": "write", "read_only": True})
    later = {"root": Path("b"), "allow": None, "read_only": False, "expose_tools": ()}
    assert flags.over(later) == Flags({"root": Path("b"), "allow": "write", "read_only": True})


def test_lists_with_commas_are_split(workspace: Path) -> None:
    flags = Flags({"root": workspace, "allow": "write, execute", "toolsets": "server,"})
    settings = flags.configuration().settings
    assert settings.allow == {Effect.WRITE, Effect.EXECUTE}
    assert settings.toolsets == ("server",)


def test_what_was_not_given_leaves_the_other_sources_their_say(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHPIN_READ_ONLY", "1")
    given = {"root": workspace, "read_only": False, "artifacts": (), "tool_timeout": None}
    flags = Flags().over(given)
    assert flags.configuration().settings.read_only


@pytest.mark.parametrize(
    "given", [{"frob": 1}, {"tool_timeout": -1.0}, {"allow": "x"}, {"root": Path("/no/such/place")}]
)
def test_settings_that_cannot_be_used_are_refused(given: dict[str, object]) -> None:
    with pytest.raises((ConfigError, InvalidPath)):
        Flags(given).workbench()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--json", "--root", "{}", "get", "status"],
        ["get", "--json", "--root", "{}", "status"],
        ["get", "status", "--json", "--root", "{}"],
        ["--root", "{}", "get", "status", "--json"],
        ["--root", "/no/such/folder", "get", "--root", "{}", "--json", "status"],
    ],
    ids=str,
)
def test_global_flags_may_be_given_before_and_after_the_command(
    run: Run, arguments: list[str], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shown = run(*(it.format(other) for it in arguments))
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["workspace"] == str(other)


@pytest.mark.parametrize("command", [["get", "status"], ["tools"], ["call", "get_status"]], ids=str)
@pytest.mark.parametrize(
    "flags", [["--toolsets", "server"], ["--expose-tool", "get_status"], ["--read-only"]], ids=str
)
def test_every_command_takes_every_global_flag_on_both_sides(
    run: Run, command: list[str], flags: list[str]
) -> None:
    before, after = run(*flags, *command), run(*command, *flags)
    assert before.exit_code == 0, before.stderr
    assert re.sub(r"up \d+ s|\d+ bytes|\d", "", before.stdout) == re.sub(
        r"up \d+ s|\d+ bytes|\d", "", after.stdout
    )


def test_help_names_the_global_flags_and_describes_the_arguments(run: Run) -> None:
    shown = " ".join(run("analyze", "complexity", "--help").stdout.split())
    assert "Global options, see benchpin --help: --root, --json, --color," in shown
    assert "[PROJECT-PATH] File or folder to analyze; relative to the workspace." in shown
    assert "--top-files also ranks" in shown
    assert "--cursor TEXT The value after --cursor at the end of the previous page." in shown
    assert "--root PATH The folder to work on" in " ".join(run("--help").stdout.split())


def test_every_positional_argument_of_every_command_has_help() -> None:
    root = click.Context(cli, info_name="benchpin")

    def commands(group: click.Group) -> Iterator[click.Command]:
        for name in group.list_commands(root):
            command = group.get_command(root, name)
            assert command is not None
            yield from commands(command) if isinstance(command, click.Group) else [command]

    undescribed = [
        f"{command.name} {it.name}"
        for command in commands(cli)
        for it in command.params
        if isinstance(it, click.Argument) and not it.help
    ]
    assert undescribed == []
