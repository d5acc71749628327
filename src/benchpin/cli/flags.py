"""The global flags, which may be given before and after a command, and what they lead to."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from .guesses import at_lines, meant, near_options

if TYPE_CHECKING:
    from benchpin.app import Configuration, Workbench

_FOLDER = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags that were given; those after the command win over those before it."""

    given: Mapping[str, object] = field(default_factory=dict)
    is_json: bool = False
    color: str = "auto"

    def over(self, flags: Mapping[str, object]) -> "Flags":
        """Return these flags with later ones added; later ones win."""
        later = {key: it for key, it in flags.items() if it is not None and it is not False}
        later = {key: it for key, it in later.items() if it != ()}
        is_json = bool(later.pop("json", self.is_json))
        color = str(later.pop("color", self.color))
        return Flags({**self.given, **later}, is_json, color)

    def configuration(self) -> "Configuration":
        """Read the configuration.

        Raises:
            ConfigError, InvalidPath: when a setting is wrong.
        """
        from benchpin.app import load  # noqa: PLC0415 - help needs no configuration

        return load(self.given)

    def workbench(self) -> "Workbench":
        """Return a workbench with this configuration.

        Raises:
            ConfigError, InvalidPath: when a setting is wrong.
        """
        from benchpin.app import Workbench  # noqa: PLC0415 - help needs no configuration

        return Workbench(self.configuration())

    def has_color(self, stream: TextIO | None) -> bool:
        """Whether a stream gets colours: by --color, or else if it is a terminal that wants them.

        NO_COLOR turns them off, as https://no-color.org says.
        """
        if self.color != "auto" or stream is None:
            return self.color == "always"
        is_wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return is_wanted and stream.isatty()


def _option(flag: str, **attributes: object) -> click.Option:
    """Return a global flag; fields of tools have no underscore in front, so names never collide."""
    return click.Option([flag, f"_{_key(flag)}"], **attributes)  # type: ignore[arg-type]  # click's


def _key(flag: str) -> str:
    """Return the name of the setting."""
    return {"--expose-tool": "expose_tools"}.get(flag, flag.removeprefix("--").replace("-", "_"))


OPTIONS = (
    _option("--root", type=_FOLDER, help="The folder to work on; the current one by default."),
    _option("--json", is_flag=True, help="Print the structured result as JSON."),
    _option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        help="When to use colours; auto is for a terminal, unless NO_COLOR is set.",
    ),
    _option("--tool-timeout", type=float, metavar="SECONDS", help="Time limit of a tool."),
    _option("--toolsets", metavar="A,B", help="Enable only these toolsets."),
    _option(
        "--expose-tool",
        multiple=True,
        metavar="TOOL",
        help="Enable only this tool, whatever its effect; repeatable.",
    ),
    _option(
        "--allow",
        metavar="EFFECTS",
        help="Also enable tools with these effects: write, execute, network.",
    ),
    _option("--read-only", is_flag=True, help="Enable only tools that read."),
    _option(
        "--unconfined",
        is_flag=True,
        help="Run programs without a sandbox: they can read, change and send everything you can.",
    ),
    _option(
        "--artifacts",
        type=_FOLDER,
        multiple=True,
        metavar="DIR",
        help="A folder outside the workspace with profiles and logs; repeatable.",
    ),
    _option(
        "--git-folders",
        type=_FOLDER,
        multiple=True,
        metavar="DIR",
        help="A folder outside the workspace whose objects git may read, such as the original "
        "of a clone made with --shared; repeatable.",
    ),
    _option(
        "--data-dir",
        type=_FOLDER,
        metavar="DIR",
        help="The folder of snapshots and reports; .benchpin in the workspace by default.",
    ),
)


class FlaggedCommand(click.Command):
    """A command that takes the global flags; the object of its context is all of them so far."""

    lists_flags = False
    """Whether its help describes the global flags, and not only names them."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters; where one of them has the name of a global flag, it wins."""
        own = super().get_params(ctx)
        taken = {flag for it in own for flag in (*it.opts, *it.secondary_opts)}
        return [*own, *(it for it in OPTIONS if taken.isdisjoint(it.opts))]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an option that does not exist is answered with one that does."""
        try:
            return super().parse_args(ctx, at_lines(args, self.params))
        except click.NoSuchOption as error:
            typed = error.option_name
            text = f"No such option {typed!r}.{meant(near_options(typed, self.get_params(ctx)))}"
            raise click.NoSuchOption(typed, text, None, ctx) from None

    def invoke(self, ctx: click.Context) -> object:
        """Add the flags to those before the command, and run it."""
        flags = {it.name: ctx.params.pop(it.name) for it in OPTIONS if it.name in ctx.params}
        nearer = {name.removeprefix("_"): it for name, it in flags.items()}
        ctx.obj = ctx.ensure_object(Flags).over(nearer)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options, and describe or name the global ones."""
        every = [it for it in self.get_params(ctx) if isinstance(it, click.Option)]
        shown = [it for it in every if self.lists_flags or it not in OPTIONS]
        records = [record for it in shown if (record := it.get_help_record(ctx))]
        with formatter.section("Options"):
            formatter.write_dl(records)
        if not self.lists_flags:
            names = ", ".join(it.opts[0] for it in every if it in OPTIONS)
            formatter.write_paragraph()
            formatter.write_text(f"Global options, see benchpin --help: {names}.")


class FlaggedGroup(FlaggedCommand, click.Group):
    """A group that takes the global flags."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first sentence about each command, whole."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, ((it and it.help) or "").partition(". ")[0]) for name, it in commands]
        with formatter.section("Commands"):
            formatter.write_dl([(name, f"{text.rstrip('.')}.") for name, text in rows])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands first, and then the options."""
        self.format_commands(ctx, formatter)
        FlaggedCommand.format_options(self, ctx, formatter)
