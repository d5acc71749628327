"""Commands made from tools: `analyze_complexity` is `benchpin analyze complexity`.

A toolset can also have a group of short commands, such as `benchpin perf`.
"""

import difflib
from pathlib import Path
from typing import NamedTuple

import click

from benchpin.app.config_files import OWN_FILES
from benchpin.core import AnyTool, Command, Toolset
from benchpin.toolsets import load_toolsets

from .flags import Flags
from .output import show
from .running import run_tool
from .tool_options import ToolOptions

# Names of fields begin with a letter, so these cannot collide with one.
_JSON, _ROOT, _TIMEOUT = "_json", "_root", "_tool_timeout"
_FIRST_LOOK = {"analyze": "comprehensive"}
"""The command to run when only a path follows the verb."""


def verbs() -> list[str]:
    """Return the names of the groups: the first words of the tools' names."""
    return sorted({name.partition("_")[0] for toolset in load_toolsets() for name in toolset.tools})


def short_groups() -> dict[str, Toolset]:
    """Return the toolsets that have a group of short commands, by the name of the group."""
    return {toolset.command: toolset for toolset in load_toolsets() if toolset.command}


def derived_command(name: str) -> click.Command | None:
    """Return a group, or the command of a tool whose name is one word."""
    if name in short_groups():
        return ShortGroup(short_groups()[name])
    for toolset in load_toolsets():
        if name in toolset.tools:
            return tool_command(name, toolset.load_tool(name))
    return verb_group(name)


def verb_group(verb: str) -> click.Group | None:
    """Return the group of the tools whose names begin with a verb; None if there are none."""
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
        first = _FIRST_LOOK.get(verb)
        hint = f" With only a PATH, runs {verb} {first}." if first else ""
        super().__init__(verb, help=f"Commands: {', '.join(owners)}.{hint}")
        self._owners = owners
        self._first_look = first

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted(self._owners)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        if cmd_name not in self._owners:
            return None
        name, toolset = self._owners[cmd_name]
        return tool_command(cmd_name, toolset.load_tool(name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was typed, or the first look at a path."""
        typed = args[0]
        if typed in self._owners:
            return super().resolve_command(ctx, args)
        near = difflib.get_close_matches(typed, self._owners, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        if self._first_look is None:
            ctx.fail(f"There is no command {typed!r}.{hint}")
        flags = ctx.ensure_object(Flags)
        place = _find_place(flags.configuration().settings.root, typed)
        if place is None:
            ctx.fail(f"There is no command, file or folder {typed!r}.{hint}")
        ctx.obj = flags.over({"root": place.root})
        command = self.get_command(ctx, self._first_look)
        return self._first_look, command, [place.path, *args[1:]]


class ShortGroup(click.Group):
    """The short commands of a toolset."""

    def __init__(self, toolset: Toolset) -> None:
        super().__init__(toolset.command, help=toolset.description)
        self._toolset = toolset

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order in which they are used."""
        return list(self._toolset.commands)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        if cmd_name not in self._toolset.commands:
            return None
        command = self._toolset.load_command(cmd_name)
        return tool_command(cmd_name, self._toolset.load_tool(command.tool), command)


class _Place(NamedTuple):
    """A path, and the workspace that it is relative to."""

    root: Path
    path: str


def _find_place(workspace: Path, typed: str) -> _Place | None:
    """Return whether a path is part of the workspace or a workspace itself; None if it is missing.

    A folder is a workspace if it is outside, or if it is a git repository and the current workspace
    has no benchpin.toml.
    """
    try:
        root, path = workspace.resolve(), (workspace / typed).resolve()
        if not path.exists():
            return None
        is_own = (path / ".git").exists() and not any((root / name).exists() for name in OWN_FILES)
        is_part = path.is_relative_to(root) and (path == root or not is_own)
        is_folder = path.is_dir()
    except (OSError, RuntimeError, ValueError):
        return None
    if is_part:
        return _Place(workspace, typed)
    return _Place(path, ".") if is_folder else _Place(path.parent, path.name)


def tool_command(command_name: str, tool: AnyTool, command: Command | None = None) -> click.Command:
    """Return the command of a tool; `command` declares a short one."""
    options = ToolOptions(tool.params_type, command.fields if command else None)

    def run(**given: object) -> None:
        nearer = {"root": given.pop(_ROOT), "tool_timeout": given.pop(_TIMEOUT)}
        flags = click.get_current_context().ensure_object(Flags).over(nearer)
        as_json = bool(given.pop(_JSON))
        folders = options.folders(given)
        if folders:
            flags = flags.over({"artifacts": (*flags.configuration().settings.artifacts, *folders)})
        workbench, arguments = flags.workbench(), options.arguments(given)
        if command and command.complete:
            arguments = command.complete(arguments, workbench.bench)
        result = run_tool(workbench, tool.name, arguments)
        if command and command.remember:
            command.remember(result, workbench.bench)
        show(result, as_json=as_json)

    shared: list[click.Parameter] = [
        click.Option(["--json", _JSON], is_flag=True, help="Print the structured result as JSON."),
        click.Option(["--root", _ROOT], type=click.Path(path_type=Path), help="The workspace."),
        click.Option(["--tool-timeout", _TIMEOUT], type=float, help="Time limit in seconds."),
    ]
    return click.Command(
        command_name,
        callback=run,
        params=[*options.parameters(), *shared],
        help=f"{tool.description} {command.help if command else ''}".rstrip(),
        epilog=f"Tool: {tool.name}. Effect: {tool.effect.value}.",
    )
