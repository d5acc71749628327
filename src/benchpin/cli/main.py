"""The `benchpin` command: its groups are the verbs of the tools, loaded when they are used."""

import sys

import click

from benchpin._version import __version__

from .derived import derived_command, verbs
from .settings import Flags, settings_options

GUIDE = """\
Benchpin reads, measures, annotates, scaffolds, runs and profiles a codebase.

\b
  benchpin tools                 what is enabled here, and why
  benchpin doctor                what this machine offers
  benchpin get status            a tool as a command; every tool has one
  benchpin call TOOL --json '{}' a tool, JSON in and out
  benchpin serve                 the MCP server, for editors and agents
  benchpin COMMAND --help        options and examples

\b
In an MCP host's configuration, the command is `benchpin` and there are no arguments.
Exit codes: 0 done, 1 the tool failed, 2 wrong usage or settings, 130 interrupted.\
"""

_OWN = ("serve", "tools", "call", "doctor")


class RootGroup(click.Group):
    """Benchpin's own commands, then one group for each verb."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Name the commands."""
        return [*_OWN, *verbs()]

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        match cmd_name:
            case "serve":
                from .serve import serve  # noqa: PLC0415 - loaded when used

                return serve
            case "tools":
                from .tools import tools  # noqa: PLC0415 - loaded when used

                return tools
            case "call":
                from .call import call  # noqa: PLC0415 - loaded when used

                return call
            case "doctor":
                from .doctor import doctor  # noqa: PLC0415 - loaded when used

                return doctor
            case _:
                return derived_command(cmd_name)


@click.group(cls=RootGroup, invoke_without_command=True, help=GUIDE)
@settings_options
@click.version_option(__version__, prog_name="benchpin")
@click.pass_context
def cli(ctx: click.Context, /, **flags: object) -> None:
    """Show the guide at a terminal; serve stdio in a pipe."""
    ctx.obj = Flags(flags)
    if ctx.invoked_subcommand is not None:
        return
    if sys.stdin is None or sys.stdin.isatty():
        click.echo(GUIDE.replace("\b\n", ""))
        return
    from .serve import run_server  # noqa: PLC0415 - loaded when used

    run_server(ctx.obj)
