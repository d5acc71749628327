"""`benchpin report`: one page about a codebase, to send or to keep."""

from pathlib import Path

import click

from .flags import FlaggedCommand, Flags
from .running import cancelling_on_interrupt, job_with_progress

DEFAULT = Path("benchpin-report.html")
_KIB = 1024


@click.command(cls=FlaggedCommand)
@click.argument(
    "path", required=False, type=click.Path(path_type=Path), help="A folder; the current one."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    default=DEFAULT,
    help=f"The file to write; - for stdout. [default: {DEFAULT}]",
)
@click.pass_obj
def report(flags: Flags, /, path: Path | None, output: Path) -> None:
    """Write one HTML page about a codebase: health, what to do first, a map, the findings.

    It needs no other file and no network, and opens from disk.

    Example: benchpin report ~/code/project --output project.html
    """
    workbench = flags.over({"root": path}).workbench()
    from benchpin.ui import write_report  # noqa: PLC0415 - help needs none of it

    limit_s = workbench.configuration.settings.chosen_timeout_of("report")
    with job_with_progress(limit_s) as job, cancelling_on_interrupt(job):
        page = write_report(workbench, job)
    if str(output) == "-":
        click.echo(page, nl=False)
        return
    body = page.encode()
    try:
        output.write_bytes(body)
    except OSError as error:
        raise click.ClickException(
            f"Cannot write {output}: {error.strerror}. Give another file with --output."
        ) from error
    click.echo(f"Wrote {output}, {len(body) / _KIB:,.0f} KiB.")
