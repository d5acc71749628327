"""Commands made from tools: `analyze_complexity` is `benchpin analyze complexity`.

A toolset can declare commands of its own: in a group, such as `benchpin perf`, or beside those of
its tools, such as `list_comments`.
"""

import difflib
import re
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from benchpin.app import OWN_FILES
from benchpin.core.errors import BenchpinError, FileMissing
from benchpin.core.results import Result
from benchpin.core.text import TextStyle
from benchpin.core.tools import AnyTool, Command, Effect, Toolset
from benchpin.present import Report
from benchpin.toolsets import added_toolsets, load_toolsets

from .flags import FlaggedCommand, FlaggedGroup, Flags
from .output import show
from .running import run_tool
from .tool_options import ToolOptions

_COLORS = {
    "red": ("error", "critical", "high", "failed", "p0"),
    "yellow": ("warning", "medium", "moderate", "not measured", "p1"),
    "blue": ("note", "info", "low", "reported", "p2"),
    "green": ("passed",),
}
_COLOR_OF = {level: color for color, levels in _COLORS.items() for level in levels}
# Names in quotes, paths and longer names are values, which stay as they are.
_NAME = re.compile(r"(?<![\w'\"/.-])(`?)([A-Za-z]\w*+)(?:=([^\s;,`]++))?\1(?![\w'\"/])")
_HAS_SEVERAL_WORDS = re.compile(r"_|[a-z][A-Z]")
# The command to run when only a path follows the verb.
_FIRST_LOOK = {"analyze": "comprehensive"}


class CommandStyle(TextStyle):
    """Flags for arguments and commands for tools, with or without colours."""

    def __init__(
        self, flag_of: Callable[[str, str | None], str | None], *, is_colored: bool
    ) -> None:
        """Take what writes an argument of the command, with its value, as on a command line."""
        self._flag_of = flag_of
        self._is_colored = is_colored
        # Texts of a repository cannot contain it, so only our own colours reach the terminal.
        self._mark = secrets.token_hex()

    def hint(self, text: str) -> str:
        """Return a hint with flags in place of arguments, and commands in place of tools."""
        return _NAME.sub(self._written, text)

    def arguments(self, given: Mapping[str, str]) -> str:
        """Return what is typed, quoted for a shell."""
        typed = (self._flag_of(name, value) for name, value in given.items())
        return " ".join(it for it in typed if it is not None)

    def _written(self, found: re.Match[str]) -> str:
        mark, name, given = found.groups()
        value = given and given.rstrip(".")
        is_name = mark or value or _HAS_SEVERAL_WORDS.search(name)
        flag = self._flag_of(name.removeprefix("next_"), value) if is_name else None
        if flag is not None:
            return flag + (given or "")[len(value or "") :]  # the full stop of the sentence
        command = _command_of(name)
        return found[0] if command is None else f"`benchpin {command}`"

    def severity(self, level: str, text: str) -> str:
        """Return a text in the colour of its level."""
        color = _COLOR_OF.get(level.strip().lower()) if self._is_colored else None
        return f"{self._mark}{color};{text}{self._mark};" if color else text

    def finish(self, text: str) -> str:
        """Return the text with colours in place of their marks."""
        for color in _COLORS:
            code = click.style("", fg=color, bold=color == "red" or None, reset=False)
            text = text.replace(f"{self._mark}{color};", code)
        return text.replace(f"{self._mark};", click.style("", reset=True))


def _command_of(tool: str) -> str | None:
    """Return the command of a tool, preferably a short one; None if there is no such tool."""
    for toolset in load_toolsets():
        if tool not in toolset.tools:
            continue
        short = toolset.commands if toolset.command else ()
        names = (it for it in short if toolset.load_command(it).tool == tool)
        words = tool.replace("_", " ", 1).replace("_", "-")
        return next((f"{toolset.command} {it}" for it in names), words)
    return None


class WorkspacePath(NamedTuple):
    """A path, and the workspace that it is relative to."""

    root: Path
    path: str


def find_place(flags: Flags, typed: str) -> WorkspacePath | None:
    """Return whether a path is part of the workspace or a workspace itself; None if it is missing.

    A folder is a workspace if it is a git repository and the current workspace has no
    configuration file. A path outside belongs to the repository around it.
    """
    workspace = flags.configuration().settings.root
    is_fixed = _is_fixed(flags, workspace)
    try:
        root, path = workspace.resolve(), (workspace / typed).resolve()
        if not path.exists():
            return None
        is_repository = (path / ".git").exists() and path != root
        is_own = is_repository and not any((root / name).exists() for name in OWN_FILES)
    except (OSError, RuntimeError, ValueError):
        return None
    if path.is_relative_to(root):
        return WorkspacePath(path, ".") if is_own else WorkspacePath(workspace, typed)
    return WorkspacePath(workspace, typed) if is_fixed else _in_its_repository(path)


def place_outside(flags: Flags, typed: str) -> WorkspacePath | None:
    """Return the place of a path outside the current folder; None if it is inside.

    Typing a path is reason enough to read there, unless the operator chose a workspace.

    Raises:
        FileMissing: when nothing is there.
    """
    workspace = flags.configuration().settings.root
    if _is_fixed(flags, workspace):
        return None
    try:
        path = (workspace / typed).resolve()
        if path.is_relative_to(workspace.resolve()) or typed.startswith("file:"):
            return None
        is_there = path.exists()
    except (OSError, RuntimeError, ValueError):
        return None  # the tool says what is wrong with it
    if not is_there:
        hint = "Check the path; it is relative to the current folder."
        raise FileMissing(f"There is nothing at {typed!r}", suggestion=hint)
    return _in_its_repository(path)


def _is_fixed(flags: Flags, workspace: Path) -> bool:
    """Whether a flag or the environment names the workspace."""
    return "root" in flags.given or workspace != Path()


def _in_its_repository(path: Path) -> WorkspacePath:
    """Return a path in the repository or configured folder around it, or else in its own folder."""
    folder = path if path.is_dir() else path.parent
    marks = (".git", *OWN_FILES)
    around = (it for it in (folder, *folder.parents) if any((it / mark).exists() for mark in marks))
    root = next(around, folder)
    return WorkspacePath(root, str(path.relative_to(root)))


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


def ending_with(word: str) -> list[str]:
    """Return the commands whose words after the first are this: `quality gate` for `gate`."""
    verbed = [f"{verb} {word}" for verb in verbs() if word in _owned_by(verb)]
    short = [f"{name} {word}" for name, it in short_groups().items() if word in it.commands]
    return verbed + short


def meant(names: Sequence[str]) -> str:
    """Return the question whether one of some commands was meant; empty without any."""
    return f" Did you mean {' or '.join(map(repr, names))}?" if names else ""


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
        parts = [it for it in self._owners if typed in it.split("-")]
        hint = meant(difflib.get_close_matches(typed, self._owners, n=1) or parts)
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


def _in_format(
    arguments: dict[str, object], tool: AnyTool, output: Path | None
) -> dict[str, object]:
    """Choose the format that the name of the file asks for, unless one was named."""
    form = output and tool.result_type.format_of(output.suffix)
    return {"format": form, **arguments} if form else arguments


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
            result = run_tool(workbench, tool.name, _in_format(arguments, tool, output))
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
