"""The `benchpin` command: its groups are the verbs of the tools, loaded when they are used."""

import difflib
import os
import sys
from typing import NoReturn

import click

from benchpin._version import __version__
from benchpin.core import BenchpinError, ConfigError, InvalidParams, InvalidPath

from .derived import derived_command, short_groups, verbs
from .flags import Flags, settings_options
from .output import FAILED, INTERRUPTED, USAGE_ERROR, print_error

GUIDE = """\
Benchpin reads, measures, annotates, scaffolds, runs and profiles a codebase.

\b
  benchpin tools                 what is enabled here, and why
  benchpin doctor                what this machine offers
  benchpin analyze .             where a codebase stands, on one screen
  benchpin get status            a tool as a command; every tool has one
  benchpin call TOOL --json '{}' a tool, JSON in and out
  benchpin perf ingest PATH...   what to fix first, from profiles and slow logs
  benchpin serve                 the MCP server, for editors and agents
  benchpin COMMAND --help        options and examples

\b
In an MCP host's configuration, the command is `benchpin` and there are no arguments.
Exit codes: 0 done, 1 the tool or the quality gate failed (`call`: any error), 2 wrong usage or
settings, 3 time ran out, 130 interrupted.\
"""

_OWN = ("serve", "tools", "call", "doctor")


class RootGroup(click.Group):
    """Benchpin's own commands, then one group for each verb."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Name the commands."""
        return [*_OWN, *short_groups(), *verbs()]

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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was typed, or say which comes nearest."""
        typed = args[0]
        nearest = difflib.get_close_matches(typed, self.list_commands(ctx), n=1)
        if self.get_command(ctx, typed) is None and nearest:
            ctx.fail(f"No such command {typed!r}. Did you mean {nearest[0]!r}?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; whatever goes wrong is said plainly, and ends with its exit code."""
        try:
            outcome = super().invoke(ctx)
            sys.stdout.flush()
        except BenchpinError as error:
            print_error(error)
            is_usage = isinstance(error, ConfigError | InvalidParams | InvalidPath)
            sys.exit(USAGE_ERROR if is_usage else FAILED)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            raise  # click's own way of ending when the reader has gone
        except OSError as error:
            _cannot_write(error)
        return outcome


def _cannot_write(error: OSError) -> NoReturn:
    click.echo(f"Error: {error.strerror}", err=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left in the buffer goes nowhere
    sys.exit(FAILED)


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
