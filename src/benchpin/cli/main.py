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

from . import INTERRUPTED
from .flags import FlaggedGroup, Flags

# The file with a line about each command, written by `make generate`.
INDEX = "commands.json"

GUIDE = """\
Benchpin reads, measures, annotates, scaffolds, runs and profiles a codebase.

\b
  benchpin analyze .             measure a codebase, on one screen
  benchpin ui                    look at it in the browser
  benchpin report                write one HTML page about it, to send or to keep
  benchpin quality gate          fail if code exceeds its thresholds
  benchpin perf ingest PATH...   read profiles and slow logs, then `perf report`
  benchpin tools                 list all tools, and why each is enabled or not
  benchpin doctor                check this machine and the configuration
  benchpin get status            run a tool; every tool is a command like this
  benchpin call TOOL --json '{}' run a tool with JSON and print JSON
  benchpin serve                 run the MCP server, for editors and agents
  benchpin install               add it to the MCP hosts on this machine
  benchpin COMMAND --help        show options and examples

\b
In the configuration of an MCP host, the command is `benchpin`, without arguments.
Exit codes: 0 fine, 1 problems found, 2 wrong usage or not possible, 3 incomplete because time ran
out, 130 interrupted.\
"""

OWN = ("ui", "report", "serve", "install", "uninstall", "tools", "call", "doctor", "completion")


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
        """Return the names of the commands."""
        return list(_index())

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        if cmd_name in OWN:
            command: click.Command = getattr(import_module(f".{cmd_name}", __package__), cmd_name)
            return command
        from .derived import derived_command  # noqa: PLC0415 - help needs no tool

        return derived_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was typed, or fail with the nearest name."""
        typed = args[0]
        if self.get_command(ctx, typed) is None and not ctx.resilient_parsing:
            from .derived import ending_with, meant  # noqa: PLC0415 - help needs no tool

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
        """Write the own commands, then those of tools by their first word."""
        index = _index()
        own = {name: text for name, text in index.items() if name in OWN}
        derived = {name: text for name, text in index.items() if name not in OWN}
        for title, commands in (("Commands", own), ("Commands of tools", derived)):
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


@contextmanager
def _ending_interrupted() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _index() -> dict[str, str]:
    """Return what help says of each command, prepared so that help imports none of them."""
    text = Path(__file__).with_name(INDEX).read_text(encoding="utf-8")
    index: dict[str, str] = json.loads(text)
    if is_extended():
        from .derived import added_index  # noqa: PLC0415 - help of Benchpin alone needs no tool

        index = added_index(index)
    return index


@click.group(
    cls=RootGroup,
    invoke_without_command=True,
    help=GUIDE,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="benchpin")
@click.pass_context
def cli(ctx: click.Context, /) -> None:
    """Show the guide in a terminal; serve MCP when stdin is a pipe."""
    if ctx.invoked_subcommand is not None:
        return
    if sys.stdin is None or sys.stdin.isatty():
        click.echo(GUIDE.replace("\b\n", ""))
        return
    from .serve import run_server  # noqa: PLC0415 - loaded when used

    run_server(ctx.ensure_object(Flags))
