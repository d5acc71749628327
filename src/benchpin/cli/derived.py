"""One command for each tool: `analyze_complexity` is `benchpin analyze complexity`."""

from pathlib import Path

import click

from benchpin.core import AnyTool, BenchpinError, InvalidParams, Toolset
from benchpin.toolsets import load_toolsets

from .options import arguments_of, options_for
from .output import fail, show
from .running import run_tool
from .settings import USAGE_ERROR, Flags

# Fields of tools begin with a letter, so these are never one.
_JSON, _ROOT = "_json", "_root"


def verbs() -> list[str]:
    """Name the groups: the first words of the tools' names."""
    return sorted({name.partition("_")[0] for toolset in load_toolsets() for name in toolset.tools})


def derived_command(verb: str) -> click.Command | None:
    """Return the group of a verb, or the command of a tool that is called by that one word."""
    for toolset in load_toolsets():
        if verb in toolset.tools:
            return tool_command(verb, toolset.load_tool(verb))
    return derived_group(verb)


def derived_group(verb: str) -> click.Group | None:
    """Return the group of a verb, if any tool begins with it."""
    owners = {
        name.partition("_")[2].replace("_", "-"): (name, toolset)
        for toolset in load_toolsets()
        for name in toolset.tools
        if name.partition("_")[0] == verb
    }
    return VerbGroup(verb, owners) if owners else None


class VerbGroup(click.Group):
    """The tools whose names begin with one verb."""

    def __init__(self, verb: str, owners: dict[str, tuple[str, Toolset]]) -> None:
        super().__init__(verb, help=f"Tools that {verb}: {', '.join(owners)}.")
        self._owners = owners

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Name the commands."""
        return sorted(self._owners)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        if cmd_name not in self._owners:
            return None
        name, toolset = self._owners[cmd_name]
        return tool_command(cmd_name, toolset.load_tool(name))


def tool_command(command_name: str, tool: AnyTool) -> click.Command:
    """Return the command of a tool."""

    def run(**given: object) -> None:
        flags = click.get_current_context().ensure_object(Flags).over({"root": given.pop(_ROOT)})
        as_json = bool(given.pop(_JSON))
        try:
            result = run_tool(flags, tool.name, arguments_of(tool.params_type, given))
        except InvalidParams as error:
            fail(error, USAGE_ERROR)
        except BenchpinError as error:
            fail(error)
        show(result, as_json=as_json)

    shared: list[click.Parameter] = [
        click.Option(["--json", _JSON], is_flag=True, help="Print the structured result."),
        click.Option(["--root", _ROOT], type=click.Path(path_type=Path), help="The workspace."),
    ]
    return click.Command(
        command_name,
        callback=run,
        params=[*options_for(tool.params_type), *shared],
        help=tool.description,
        epilog=f"The tool {tool.name}; effect: {tool.effect.value}.",
    )
