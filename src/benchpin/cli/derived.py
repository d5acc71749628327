"""Commands made from tools: `analyze_complexity` is `benchpin analyze complexity`.

Which command runs which tool is in `groups`.
"""

import difflib
import re
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast

import click

from benchpin.core.errors import BenchpinError
from benchpin.core.results import Result
from benchpin.core.text import TextStyle, visible
from benchpin.core.tools import AnyTool, Command, Effect, Schema
from benchpin.present import Report
from benchpin.toolsets import load_toolsets

from .flags import FlaggedCommand, FlaggedGroup, Flags
from .groups import GROUPS, GroupCommands, Owned, ending_with, single, spelled, words_of
from .guesses import meant
from .output import echo_folded, show, width_of_terminal
from .places import as_change, find_place, placed
from .running import confirming, run_confirmed, run_tool
from .tool_options import ToolOptions

_COLORS = {
    "red": ("error", "critical", "high", "failed", "p0"),
    "yellow": ("warning", "medium", "moderate", "not measured", "p1"),
    "blue": ("note", "info", "low", "reported", "p2"),
    "green": ("passed",),
}
# What a terminal shows instead of markup, unless that was asked for.
_ON_A_TERMINAL = {"markdown": "full", "html": "summary"}
_COLOR_OF = {level: color for color, levels in _COLORS.items() for level in levels}
# Names in quotes, paths and longer names are values, which stay as they are.
_NAME = re.compile(r"(?<![\w'\"/.-])(`?)([A-Za-z]\w*+)(?:=([^\s;,`]++))?\1(?![\w'\"/])")
# A stored result is named by its id where it is typed.
_STORED = re.compile(r"`benchpin show result` result://([0-9a-f]+)")
# How alike a word and a command are, from 0 to 1, to suggest the command.
_NEAR, _SLIP = 0.6, 0.8
_HAS_SEVERAL_WORDS = re.compile(r"_|[a-z][A-Z]")


class CommandStyle(TextStyle):
    """Flags for arguments and commands for tools, with or without colours."""

    says_confidence = False

    def __init__(
        self,
        flag_of: Callable[[str, str | None], str | None],
        *,
        is_colored: bool,
        width: int = 0,
    ) -> None:
        """Take what writes an argument of the command, with its value, as on a command line."""
        self.width = width
        self._flag_of = flag_of
        self._is_colored = is_colored
        # Texts of a repository cannot contain it, so only our own colours reach the terminal.
        self._mark = secrets.token_hex()

    def hint(self, text: str) -> str:
        """Return a hint with flags in place of arguments, and commands in place of tools."""
        return _STORED.sub(r"`benchpin show result \1`", _NAME.sub(self._written, text))

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
        # `remember` and `explore` are words of English, too, unless they are marked.
        command = spelled(name) if is_name else None
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


def load(owned: Owned, shown_name: str) -> click.Command:
    """Import a tool and return its command."""
    toolset, name = owned
    if name not in toolset.commands:
        return tool_command(shown_name, toolset.load_tool(name))
    command = toolset.load_command(name)
    return tool_command(shown_name, toolset.load_tool(command.tool), command)


def derived_command(name: str) -> click.Command | None:
    """Return a group, or the command of a tool whose name is one word."""
    if name == "tool":
        return AnyToolGroup()
    owned = None if name in GROUPS else single(name)
    return tool_group(name) if owned is None else load(owned, name)


def tool_group(name: str) -> click.Group | None:
    """Return a group of commands of tools; None if there is no such group."""
    words = words_of(name)
    return None if words is None else ToolGroup(name, words)


class ToolGroup(FlaggedGroup):
    """Commands of tools by task, or those of the tools whose names begin with one word."""

    def __init__(self, name: str, words: GroupCommands) -> None:
        entry = GROUPS.get(name)
        described = next((it.description for it in load_toolsets() if it.command == name), "")
        text = entry.text if entry else described or f"Run a tool whose name begins with {name}."
        example = f"\n\nExample: {entry.example}" if entry else ""
        super().__init__(name, help=f"{text}{example}")
        self._words = words
        # A tool that is alone needs no second word.
        alone = words.listed[0] if len(words.listed) == 1 and not entry else ""
        self._by_default = entry.by_default if entry else alone
        self._alone = entry.alone if entry else ""
        self._takes = entry.takes if entry else "path"
        self._synonyms = entry.synonyms if entry else {}

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of the commands that help shows."""
        return list(self._words.listed)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        owned = self._words.owners.get(cmd_name)
        return None if owned is None else load(owned, cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take options before a path as those of the command that runs by default."""
        if not args and self._alone and not ctx.resilient_parsing:
            args = [self._alone]
        typed = list(args)  # click takes away from the list that it is given
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption:
            if not self._by_default:
                raise
            return super().parse_args(ctx, [self._by_default, *typed])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was typed, or the one that runs by default."""
        typed, owners = args[0], self._words.owners
        if typed not in owners and typed in self._synonyms:
            args = [*self._synonyms[typed].split(), *args[1:]]
            typed = args[0]
        if typed in owners or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        parts = [it for it in self._words.listed if typed in it.split("-")]
        # Where any name may be typed, only a slip of the fingers is a misspelt command.
        takes_name = self._takes == "name"
        cutoff = _SLIP if takes_name else _NEAR
        near = difflib.get_close_matches(typed, [*owners, *self._synonyms], 1, cutoff)
        elsewhere = ending_with(typed)
        hint = meant(near or parts or elsewhere)
        # No name in code has a hyphen, so `find dead-code` asks for another command.
        if not self._by_default or (takes_name and (near or ("-" in typed and elsewhere))):
            ctx.fail(f"There is no command {typed!r}.{hint}")
        command = self.get_command(ctx, self._by_default)
        if self.name not in GROUPS or takes_name:
            return self._by_default, command, args
        flags = ctx.ensure_object(Flags)
        place = find_place(flags, typed)
        if place is None:
            ctx.fail(f"There is no command, file or folder {typed!r}.{hint}")
        ctx.obj = flags.over({"root": place.root})
        return self._by_default, command, [place.path, *args[1:]]


class AnyToolGroup(FlaggedGroup):
    """Every tool by the name that agents use."""

    def __init__(self) -> None:
        super().__init__(
            "tool",
            help="Run any tool by its name, as agents call it; `benchpin tools` lists the names."
            "\n\nExample: benchpin tool get_status",
            subcommand_metavar="NAME [ARGS]...",
        )

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of all tools."""
        return [name for toolset in load_toolsets() for name in toolset.tools]

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one tool."""
        name = cmd_name.replace("-", "_")
        toolsets = (it for it in load_toolsets() if name in it.tools)
        return next((tool_command(cmd_name, it.load_tool(name)) for it in toolsets), None)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the tool that was typed, or fail with the nearest name."""
        if self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            ctx.fail(f"There is no tool {args[0]!r}.{meant(near)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: `benchpin tools` lists them."""


def _output_option() -> click.Option:
    return click.Option(
        ["--output"],
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write the result to this file instead of printing it.",
    )


def _writes_a_file(tool: AnyTool) -> bool:
    """Whether the tool itself writes the file that `--output` is a copy of."""
    return tool.result_type.written_file is not Result.written_file


def _format_of(
    arguments: Mapping[str, object], tool: AnyTool, output: Path | None, style: CommandStyle
) -> str | None:
    """Return the format, where none was typed; None if nothing asks for one.

    A file gets the one that its name asks for, and a terminal no markup.
    """
    properties = cast("Mapping[str, Schema]", tool.input_schema["properties"])
    field = properties.get("format", {})
    form = None
    if output is not None:
        form = tool.result_type.format_of(output.suffix)
    elif style.width and issubclass(tool.result_type, Report):
        form = _ON_A_TERMINAL.get(str(arguments.get("format", field.get("default"))))
    return form if form in cast("Sequence[str]", field.get("enum", ())) else None


def _style(options: ToolOptions, confirm: str, flags: Flags, output: Path | None) -> CommandStyle:
    """Return how the text of a result is written."""
    is_shown = output is None and not flags.is_json
    width = width_of_terminal() if is_shown else 0

    def as_typed(name: str, value: str | None = None) -> str | None:
        # At a terminal a person is asked about what is shown, and need not type its digest.
        return options.written(name, None if width and name == confirm else value)

    return CommandStyle(as_typed, is_colored=flags.has_color(sys.stdout), width=width)


def _said(result: Result, command: Command | None) -> str:
    """Return what is printed in place of the text; empty if that is printed."""
    return visible(command.say(result)) if command and command.say else ""


def tool_command(command_name: str, tool: AnyTool, command: Command | None = None) -> click.Command:
    """Return the command of a tool; `command` declares where it differs from the tool."""
    options = ToolOptions(tool.params_type, command.fields if command else None)
    confirm = command.confirm if command else ""

    def run(*, output: Path | None = None, **given: object) -> None:
        flags = click.get_current_context().ensure_object(Flags)
        given = options.by_field(given)
        if tool.effect in {Effect.READ, Effect.RECORD}:
            as_change(given, options.path_name, flags)
            flags = placed(given, options.path_name, flags)
        folders = options.folders(given)
        if folders:
            flags = flags.over({"artifacts": (*flags.configuration().settings.artifacts, *folders)})
        style = _style(options, confirm, flags, output)
        try:
            workbench, arguments = flags.workbench(), options.arguments(given)
            if command and command.complete:
                arguments = command.complete(arguments, workbench.bench)
            form = given.get("format") or _format_of(arguments, tool, output, style)
            arguments |= {"format": form} if form else {}
            call = partial(run_tool, workbench, tool.name)
            preview = partial(show, as_json=flags.is_json)
            result = run_confirmed(call, arguments, confirm, lambda it: preview(it.in_style(style)))
            if command and command.remember:
                command.remember(result, workbench.bench)
        except BenchpinError as error:
            raise options.explained(error, style) from None
        is_timed = workbench.configuration.settings.chosen_timeout_of(tool.name) is not None
        if output is None and not flags.is_json and (said := _said(result, command)):
            return echo_folded(said)
        styled = result.in_style(style)
        place = workbench.bench.workspace.root / str(given.get(options.path_name or "") or "")
        return show(styled, as_json=flags.is_json, is_timed=is_timed, output=output, place=place)

    written = CommandStyle(options.written, is_colored=False)
    parameters = confirming(options.parameters(), confirm)
    for parameter in parameters:
        parameter.help = written.hint(parameter.help or "")
    if issubclass(tool.result_type, Report) or _writes_a_file(tool):
        parameters.append(_output_option())
    return FlaggedCommand(
        command_name,
        callback=run,
        params=parameters,
        help=written.hint(_described(tool, command)),
        epilog=f"Tool: {tool.name}. Effect: {tool.effect.value}.",
    )


def _described(tool: AnyTool, command: Command | None) -> str:
    if command is None:
        return tool.description
    return f"{command.summary or tool.description} {command.help}".rstrip()
