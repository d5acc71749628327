"""`benchpin ui`: pages about a codebase in the browser."""

import asyncio
import webbrowser
from pathlib import Path

import click

from .flags import FlaggedCommand, Flags
from .running import end_process


@click.command(cls=FlaggedCommand)
@click.argument(
    "path", required=False, type=click.Path(path_type=Path), help="A folder; the current one."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=0,
    help="The port to listen on. [default: any free one]",
)
@click.option(
    "--diff",
    default="",
    help="Open the page of a change: uncommitted, staged, a revision such as main, A..B.",
)
@click.option("--no-open", is_flag=True, help="Only print the address; open no browser.")
@click.pass_obj
def ui(flags: Flags, /, path: Path | None, port: int, diff: str, *, no_open: bool) -> None:
    """Show a codebase in the browser: overview, map, sources, findings, a change.

    Only this machine can see it, and only with the address that is printed. Ctrl-C ends it.

    Example: benchpin ui ~/code/project --diff main
    """
    workbench = flags.over({"root": path}).workbench()
    from benchpin.ui import serve_pages  # noqa: PLC0415 - needs uvicorn

    def show(address: str) -> None:
        click.echo(f"{address}\nCtrl-C ends it.")
        if not no_open:
            webbrowser.open(address)

    asyncio.run(serve_pages(workbench, port, show, diff))
    end_process()
