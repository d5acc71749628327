"""What commands print is in the words of a person who types: no names of arguments of tools."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from benchpin.toolsets import own_toolsets
from command_kit import GIVEN, every_command, wide_project

Run = Callable[..., Result]
OTHER_WORDS = re.compile(
    r"result://|\[confidence|next_cursor|[a-z_]+=(?:true|false|full|mention)\b|✅"
)
# Names of arguments that are also the names of settings, which are typed like that in a file, or
# the content of something: a schema, a template, the status of a server.
ELSEWHERE = {"gate", "find tools", "template scaffold", "template generate", "show status"}
ELSEWHERE |= {"find text", "show pack", "fleet report"}


def _names() -> set[str]:
    """Return what only tools call things: their arguments, and their own names."""
    tools = [toolset.load_tool(name) for toolset in own_toolsets() for name in toolset.tools]
    names = {name for tool in tools for name in tool.params_type.model_fields}
    names |= {
        it.alias for tool in tools for it in tool.params_type.model_fields.values() if it.alias
    }
    names |= {tool.name for tool in tools}
    return {it for it in names if "_" in it or re.search("[a-z][A-Z]", it)}


@pytest.fixture
def project(workspace: Path) -> Path:
    return wide_project(workspace)


@pytest.mark.slow
@pytest.mark.usefixtures("project")
def test_no_command_prints_the_words_of_agents(run: Run) -> None:
    found: dict[str, str] = {}
    agents = re.compile(rf"\b(?:{'|'.join(sorted(_names()))})\b")
    for name in [*every_command(), "review", "gate", "analyze . --format full", "explore choose"]:
        if name in ELSEWHERE:
            continue
        ended = run(*name.split(), *GIVEN.get(name, []))
        for line in (ended.stdout + ended.stderr).splitlines():
            if agents.search(line) or OTHER_WORDS.search(line):
                found.setdefault(name, line)
    assert found == {}
