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
@click.option("--no-open", is_flag=True, help="Only print the address; open no browser.")
@click.pass_obj
def ui(flags: Flags, /, path: Path | None, port: int, *, no_open: bool) -> None:
    """Show a codebase in the browser: overview, map, sources with comments, findings.

    Only this machine can see it, and only with the address that is printed. Ctrl-C ends it.

    Example: benchpin ui ~/code/project --port 8000
    """
    workbench = flags.over({"root": path}).workbench()
    from benchpin.ui import serve_pages  # noqa: PLC0415 - needs uvicorn

    def show(address: str) -> None:
        click.echo(f"{address}\nCtrl-C ends it.")
        if not no_open:
            webbrowser.open(address)

    asyncio.run(serve_pages(workbench, port, show))
    end_process()
