"""The `benchpin` command. Its subcommands are imported when they are used."""

import difflib
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from benchpin._extensions import is_extended
from benchpin._version import __version__

from . import end_interrupted
from .flags import FlaggedGroup, Flags
from .guesses import meant

# The file with a line about each command, written by `make generate`.
INDEX = "commands.json"

GUIDE = """\
Benchpin reads, measures, annotates, scaffolds, runs and profiles a codebase.

\b
  benchpin analyze .        an overview on one screen
  benchpin COMMAND --help   what it does, its options, an example
"""
END = """\
An MCP host runs `benchpin` without arguments. Exit codes: 0 fine, 1 problems found, 2 wrong usage
or not possible, 3 incomplete because time ran out, 130 interrupted.\
"""

OWN = (
    *("ui", "report", "serve", "install", "uninstall"),
    *("tools", "call", "doctor", "completion"),
)
# Programs run these, so help does not list them.
UNLISTED = ("hook", "lsp")


class RootGroup(FlaggedGroup):
    """The root command."""

    lists_flags = True

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Read the command line; click itself would end with 1 when it is interrupted."""
        with _ending_interrupted():
            return super().make_context(info_name, args, parent, **extra)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of the commands that help shows."""
        return [name for section in _index().values() for name in section]

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        if cmd_name in (*OWN, *UNLISTED):
            command: click.Command = getattr(import_module(f".{cmd_name}", __package__), cmd_name)
            return command
        from .derived import derived_command  # noqa: PLC0415 - help needs no tool

        return derived_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was typed, or fail with the nearest name."""
        typed = args[0]
        if typed == "help" and not ctx.resilient_parsing:
            args = [*args[1:], "--help"]
            typed = args[0]
        if typed in {"version", "--help"} and not ctx.resilient_parsing:
            click.echo(ctx.get_help() if typed == "--help" else f"benchpin, version {__version__}")
            ctx.exit()
        if self.get_command(ctx, typed) is None and not ctx.resilient_parsing:
            from .groups import ending_with  # noqa: PLC0415 - help needs no tool

            near = difflib.get_close_matches(typed, self.list_commands(ctx), n=1)
            ctx.fail(f"There is no command {typed!r}.{meant(ending_with(typed) or near)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; print errors and end with their exit code."""
        with _ending_interrupted():
            from .running import ending_with_a_code  # noqa: PLC0415 - help needs none of this

            with ending_with_a_code():
                outcome = super().invoke(ctx)
                sys.stdout.flush()
        return outcome

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by task."""
        for title, commands in _index().items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


@contextmanager
def _ending_interrupted() -> Iterator[None]:
    """End with the exit code of Ctrl-C, and fold what is wrong with the words that were typed."""
    try:
        yield
    except KeyboardInterrupt:
        end_interrupted()
    except click.UsageError as error:
        from .output import folded_error  # noqa: PLC0415 - only for errors

        raise folded_error(error) from None


def _index() -> dict[str, dict[str, str]]:
    """Return what help says of each command, prepared so that help imports none of them."""
    text = Path(__file__).with_name(INDEX).read_text(encoding="utf-8")
    index: dict[str, dict[str, str]] = json.loads(text)
    if is_extended():
        from .groups import added_section  # noqa: PLC0415 - help of Benchpin alone needs no tool

        index["Other distributions"] = added_section()
    return index


@click.group(
    cls=RootGroup,
    invoke_without_command=True,
    help=GUIDE,
    epilog=END,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, "-V", "--version", prog_name="benchpin")
@click.pass_context
def cli(ctx: click.Context, /) -> None:
    """Show the guide in a terminal; serve MCP when stdin is a pipe."""
    if ctx.invoked_subcommand is not None:
        return
    if sys.stdin is None or sys.stdin.isatty():
        click.echo(ctx.get_help())
        return
    from .serve import run_server  # noqa: PLC0415 - loaded when used

    run_server(ctx.ensure_object(Flags))
