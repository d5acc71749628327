"""Commands made from tools: `analyze_complexity` is `benchpin analyze complexity`.

A toolset can declare commands of its own: in a group, such as `benchpin perf`, or beside those of
its tools, such as `list_comments`.
"""

import difflib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import click

from benchpin.core.errors import BenchpinError
from benchpin.core.results import Result
from benchpin.core.tools import AnyTool, Command, Effect, Toolset
from benchpin.present import Report
from benchpin.toolsets import added_toolsets, load_toolsets

from .command_style import CommandStyle
from .flags import FlaggedCommand, FlaggedGroup, Flags
from .output import show
from .places import find_place, place_outside
from .running import run_tool
from .tool_options import ToolOptions

# The command to run when only a path follows the verb.
_FIRST_LOOK = {"analyze": "comprehensive"}


class Owned(NamedTuple):
    """A command of a toolset, by the name of its tool or of its declaration."""

    toolset: Toolset
    name: str

    def load(self, shown_name: str) -> click.Command:
        """Import the tool and return its command."""
        toolset, name = self
        if name not in toolset.commands:
            return tool_command(shown_name, toolset.load_tool(name))
        command = toolset.load_command(name)
        return tool_command(shown_name, toolset.load_tool(command.tool), command)


def _owned() -> dict[str, Owned]:
    """Return the commands that are named as tools are, by name."""
    owned: dict[str, Owned] = {}
    for toolset in load_toolsets():
        declared = () if toolset.command else toolset.commands
        alone = {toolset.load_command(it).tool for it in declared if "_" not in it}
        owned |= {it: Owned(toolset, it) for it in toolset.tools if it not in alone}
        owned |= {it: Owned(toolset, it) for it in declared}
    return owned


def _owned_by(verb: str) -> dict[str, Owned]:
    """Return the commands of a group, by the words after its verb."""
    return {
        name.partition("_")[2].replace("_", "-"): owned
        for name, owned in sorted(_owned().items())
        if name.partition("_")[0] == verb
    }


def verbs() -> list[str]:
    """Return the names of the groups: the first words of the names."""
    return sorted({name.partition("_")[0] for name in _owned()})


def short_groups() -> dict[str, Toolset]:
    """Return the toolsets that have a group of short commands, by the name of the group."""
    return {toolset.command: toolset for toolset in load_toolsets() if toolset.command}


def derived_command(name: str) -> click.Command | None:
    """Return a group, or the command of a tool whose name is one word."""
    if name in short_groups():
        toolset = short_groups()[name]
        owners = {it: Owned(toolset, it) for it in toolset.commands}
        return ToolGroup(name, owners, toolset.description)
    if name in _owned():
        return _owned()[name].load(name)
    return verb_group(name)


def verb_group(verb: str) -> click.Group | None:
    """Return the group of the tools whose names begin with a verb; None if there are none."""
    owners = _owned_by(verb)
    if not owners:
        return None
    first = _FIRST_LOOK.get(verb)
    hint = f" With only a PATH, run {verb} {first}." if first else ""
    return ToolGroup(verb, owners, f"Run a tool whose name begins with {verb}.{hint}")


def command_index(own: Mapping[str, click.Command]) -> dict[str, str]:
    """Return what the root's help says of each command: a sentence, or the words that follow it."""
    index = {name: (it.help or "").partition("\n")[0] for name, it in own.items()}
    index |= {name: toolset.description for name, toolset in short_groups().items()}
    # `report` and `call` are commands of their own, which come before `report_fleet`, `call_tool`.
    return index | {it: ", ".join(_owned_by(it)) for it in verbs() if it not in index}


def added_index(index: Mapping[str, str]) -> dict[str, str]:
    """Return what the root's help says of each command, with those of other distributions."""
    added = added_toolsets()
    groups = {it.command: it.description for it in added if it.command}
    changed = {name.partition("_")[0] for it in added for name in it.tools}
    more = {it: ", ".join(_owned_by(it)) for it in changed if not index.get(it, "").endswith(".")}
    # The sentences of Benchpin's own commands and groups stay; only lists of words grow.
    return {**index, **groups, **dict(sorted(more.items()))}


class ToolGroup(FlaggedGroup):
    """Commands of tools: those whose names begin with one verb, or the short ones of a toolset."""

    def __init__(self, name: str, owners: Mapping[str, Owned], text: str) -> None:
        super().__init__(name, help=text)
        self._owners = owners
        self._first_look = _FIRST_LOOK.get(name)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self._owners)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        owned = self._owners.get(cmd_name)
        return None if owned is None else owned.load(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was typed, or the first look at a path."""
        typed = args[0]
        if typed in self._owners or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        near = difflib.get_close_matches(typed, self._owners, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        if self._first_look is None:
            ctx.fail(f"There is no command {typed!r}.{hint}")
        flags = ctx.ensure_object(Flags)
        place = find_place(flags, typed)
        if place is None:
            ctx.fail(f"There is no command, file or folder {typed!r}.{hint}")
        ctx.obj = flags.over({"root": place.root})
        command = self.get_command(ctx, self._first_look)
        return self._first_look, command, [place.path, *args[1:]]


def _output_option() -> click.Option:
    return click.Option(
        ["--output"],
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write the result to this file instead of printing it.",
    )


def _writes_a_file(tool: AnyTool) -> bool:
    """Whether the tool itself writes the file that `--output` is a copy of."""
    return tool.result_type.written_file is not Result.written_file


def tool_command(command_name: str, tool: AnyTool, command: Command | None = None) -> click.Command:
    """Return the command of a tool; `command` declares where it differs from the tool."""
    options = ToolOptions(tool.params_type, command.fields if command else None)

    def run(*, output: Path | None = None, **given: object) -> None:
        flags = click.get_current_context().ensure_object(Flags)
        given = options.by_field(given)
        path = options.path_name
        if path and given.get(path) and tool.effect in {Effect.READ, Effect.RECORD}:
            place = place_outside(flags, str(given[path]))
            if place is not None:
                flags, given[path] = flags.over({"root": place.root}), place.path
        folders = options.folders(given)
        if folders:
            flags = flags.over({"artifacts": (*flags.configuration().settings.artifacts, *folders)})
        style = CommandStyle(options.written, is_colored=flags.has_color(sys.stdout))
        try:
            workbench, arguments = flags.workbench(), options.arguments(given)
            if command and command.complete:
                arguments = command.complete(arguments, workbench.bench)
            result = run_tool(workbench, tool.name, arguments)
            if command and command.remember:
                command.remember(result, workbench.bench)
        except BenchpinError as error:
            raise options.explained(error, style) from None
        is_timed = workbench.configuration.settings.chosen_timeout_of(tool.name) is not None
        styled = result.in_style(style)
        show(styled, as_json=flags.is_json, is_timed=is_timed, output=output)

    written = CommandStyle(options.written, is_colored=False)
    parameters = options.parameters()
    for parameter in parameters:
        parameter.help = written.hint(parameter.help or "")
    if issubclass(tool.result_type, Report) or _writes_a_file(tool):
        parameters.append(_output_option())
    return FlaggedCommand(
        command_name,
        callback=run,
        params=parameters,
        help=written.hint(f"{tool.description} {command.help if command else ''}".rstrip()),
        epilog=f"Tool: {tool.name}. Effect: {tool.effect.value}.",
    )
