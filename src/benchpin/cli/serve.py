"""`benchpin serve`: the MCP server."""

import asyncio
import logging
import os
import signal
import sys
from typing import NoReturn

import click

from benchpin.app import Workbench, prepared
from benchpin.core.errors import ConfigError

from .flags import FlaggedCommand, Flags
from .running import end_process

# How long a busy tool keeps the interpreter before the event loop gets it. Python's 5 ms would
# delay answers: each needs the interpreter several times.
_SWITCH_S = 0.001


class ServeCommand(FlaggedCommand):
    """The command that most hosts run: its help has every flag."""

    lists_flags = True


@click.command(cls=ServeCommand)
@click.option(
    "--transport",
    type=click.Choice(["stdio", "ws", "http"]),
    help="How clients connect; ws and http share a port and path. [default: stdio]",
)
@click.option(
    "--profile",
    metavar="NAME",
    help="Which tools to list: full, lean, or a name from the configuration; auto is lean "
    "in hosts that have file tools. [default: auto]",
)
@click.option(
    "--schemas",
    type=click.Choice(["thin", "full"]),
    help="What tools/list says: thin costs agents less, full has every schema. [default: thin]",
)
@click.option("--host", help="The address to listen on. [default: 127.0.0.1]")
@click.option("--port", type=int, help="The port to listen on; 0 for any free one. [default: 3000]")
@click.option("--auth-token", help="The bearer token that network clients must send.")
@click.pass_obj
def serve(outer: Flags, /, **flags: object) -> None:
    """Serve MCP clients over stdio, WebSocket or HTTP.

    Example: benchpin serve --transport http --port 3000 --allow write
    """
    run_server(outer.over(flags))


def run_server(flags: Flags) -> None:
    """Serve until the input ends or a signal arrives, then end the process.

    Raises:
        BenchpinError: when the server cannot start.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_before_start)
    workbench = flags.workbench()
    settings = workbench.configuration.settings
    from benchpin.server import configure_logging  # noqa: PLC0415 - only to serve

    configure_logging(debug=bool(settings.debug))
    sys.setswitchinterval(_SWITCH_S)
    for note in workbench.configuration.notes:
        logging.getLogger("benchpin").warning(note)
    if settings.transport == "stdio":
        _check_stdio()
    asyncio.run(_serve(workbench))
    workbench.catalogue.remember_sandbox()
    end_process()


def _check_stdio() -> None:
    if sys.stdin is None or sys.stdout is None:
        name = "stdin" if sys.stdin is None else "stdout"
        hint = "Serve over pipes, or use --transport http."
        raise ConfigError(f"{name} is closed", suggestion=hint)
    if sys.stdin.isatty():
        click.echo("Serving MCP on stdin and stdout; press Ctrl-D to end.", err=True)


def _end_before_start(_number: int, _frame: object) -> NoReturn:
    os._exit(0)


async def _serve(workbench: Workbench) -> None:
    with prepared(workbench):
        await _serve_clients(workbench)


async def _serve_clients(workbench: Workbench) -> None:
    if workbench.configuration.settings.transport == "stdio":
        from benchpin.server.pipes import serve_stdio  # noqa: PLC0415 - only to serve

        await serve_stdio(workbench)
        return
    from benchpin.server import Kernel, collect_less  # noqa: PLC0415 - needs the SDK
    from benchpin.server.network import serve_network  # noqa: PLC0415 - needs uvicorn

    kernel = Kernel(workbench)
    collect_less()
    await serve_network(kernel, workbench.configuration.settings)
