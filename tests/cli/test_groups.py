"""The commands by task: what help lists, and that each tool has a command."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

import click
import pytest
from click.testing import Result

from benchpin.cli.derived import derived_command
from benchpin.cli.groups import ENTRIES, GROUPS, spelled, words_of
from benchpin.cli.main import OWN, cli
from benchpin.toolsets import own_toolsets

Run = Callable[..., Result]
WIDTH = 80
MAX_LISTED = 20
TOOLS = [name for toolset in own_toolsets() for name in toolset.tools]


def _commands(group: click.Group, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from _commands(command, (*path, name))


LISTED = [(), *_commands(cli, ()), *((name,) for name in OWN if name not in ENTRIES)]


def _described(shown: str) -> list[str]:
    """Return the sentences about the commands that a help lists, on one line each."""
    listing = shown.partition("Options:")[0]
    rows = re.findall(r"^  (?:[a-z-]+) {2,}(\S.*(?:\n {4,}\S.*)*)", listing, re.MULTILINE)
    return [" ".join(it.split()) for it in rows]


def test_the_first_screen_can_be_scanned(run: Run) -> None:
    described = _described(run("--help").stdout)
    assert MAX_LISTED - 2 <= len(described) <= MAX_LISTED
    assert max(map(len, described)) < WIDTH - len("  comments  ")


@pytest.mark.parametrize("path", LISTED, ids=" ".join)
def test_help_fits_the_width_of_a_terminal(run: Run, path: tuple[str, ...]) -> None:
    shown = run(*path, "--help")
    assert shown.exit_code == 0
    assert [it for it in shown.stdout.splitlines() if len(it) > WIDTH] == []


@pytest.mark.parametrize("name", ["", *GROUPS])
def test_no_two_lines_say_the_same(run: Run, name: str) -> None:
    described = _described(run(*[name] * bool(name), "--help").stdout)
    assert len(described) > 1
    assert [it for it, times in Counter(described).items() if times > 1] == []


@pytest.mark.parametrize("name", GROUPS)
def test_a_group_has_an_example_of_its_own(run: Run, name: str) -> None:
    shown = " ".join(run(name, "--help").stdout.split())
    assert f"Example: {GROUPS[name].example}" in shown
    for example in GROUPS[name].example.split(" && "):
        program, group, word = example.split()[:3]
        words = words_of(group)
        assert (program, group) == ("benchpin", name)
        assert words is not None
        assert word in words.listed


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_has_a_command_by_task_by_its_name_and_by_its_words(run: Run, tool: str) -> None:
    words = spelled(tool)
    assert words is not None
    ways = [words.split(), ["tool", tool], ["tool", tool.replace("_", "-")]]
    verb, _, rest = tool.partition("_")
    if verb not in OWN and rest:  # `report` and `call` were never groups
        ways.append([verb, rest.replace("_", "-")])
    for way in ways:
        if derived_command(way[0]) is None:
            assert tool == "review_change"  # which has been `review` alone from the start
            continue
        shown = run(*way, "--help")
        assert shown.exit_code == 0, way
        assert f"Tool: {tool}." in shown.stdout


def test_only_what_agents_need_has_no_place_of_its_own() -> None:
    assert [it for it in TOOLS if spelled(it) == f"tool {it}"] == ["call_tool"]


def test_a_tool_that_does_not_exist_is_refused_with_the_nearest(run: Run) -> None:
    ended = run("tool", "get_sttus")
    assert ended.exit_code == 2
    assert "There is no tool 'get_sttus'. Did you mean 'get_status'?" in ended.stderr


def test_a_word_with_one_command_needs_no_second(run: Run) -> None:
    alone = run("trace", "nothing_of_the_kind")
    assert alone.stderr == run("find", "calls", "nothing_of_the_kind").stderr
    assert alone.stderr.startswith("Error: No symbol is called")
