"""`benchpin serve`: the MCP server."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Timer
from typing import NoReturn

import click

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.errors import ConfigError

from .flags import FlaggedCommand, Flags
from .running import end_process

# How long a busy tool keeps the interpreter before the event loop gets it. Python's 5 ms would
# delay answers: each needs the interpreter several times.
_SWITCH_S = 0.001
# A client first asks for the handshake and the list of tools: they come before the index.
_DELAY_S = 1.0
_MANY_FILES = 1_000
_LIMIT_S = 600.0
_TOOL = "find_references"


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


@contextmanager
def prepared(workbench: Workbench) -> Iterator[None]:
    """Have the index of names made ready while a workbench is served, by a process of its own.

    It runs at idle priority and leaves its result in the cache: a question that comes
    before is answered from what is there. A small workspace is parsed when a question comes.
    """
    with ExitStack() as stack:
        timer = Timer(_DELAY_S, _prepare, (workbench, stack))
        timer.daemon = True
        enabled = (it.name for it in workbench.catalogue.enabled)
        if workbench.configuration.settings.index_ahead and _TOOL in enabled:
            timer.start()
        try:
            yield
        finally:
            timer.cancel()
            if timer.is_alive():
                timer.join()  # what it is about to start would not be ended otherwise


def _prepare(workbench: Workbench, stack: ExitStack) -> None:
    bench = workbench.bench
    if not has_many_files(bench.workspace.root, _MANY_FILES):
        return
    # Here, because they take longer than the start of a server may.
    from benchpin.facts import FileSelection  # noqa: PLC0415
    from benchpin.project.side_process import CODE_INDEX, SideMeasures  # noqa: PLC0415

    selection = FileSelection(bench.session, bench.permissions, Job(time_limit_s=_LIMIT_S))
    stack.enter_context(SideMeasures(selection, [CODE_INDEX], is_idle=True))


def has_many_files(root: Path, most: int) -> bool:
    """Whether there are many files; hidden folders do not count, and no link is followed."""
    seen = 0
    for _folder, folders, files in os.walk(root):
        folders[:] = [it for it in folders if not it.startswith(".")]
        seen += len(files)
        if seen >= most:
            return True
    return False
