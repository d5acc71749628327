"""`benchpin tools`: list the tools, and why each is enabled or not."""

import click

from benchpin.app import Listing

from .flags import FlaggedCommand, Flags
from .output import print_json


@click.command(cls=FlaggedCommand)
@click.pass_obj
def tools(flags: Flags, /) -> None:
    """List every tool, and why it is enabled or not.

    Example: benchpin tools --allow write
    """
    workbench = flags.workbench()
    listings = list(workbench.catalogue.listings())
    if flags.is_json:
        print_json(
            {
                "tools": [_as_json(listing) for listing in listings],
                "notes": list(workbench.configuration.notes),
            }
        )
        return
    width = max(len(listing.name) for listing in listings)
    click.echo(f"  {'':3} {'tool':{width}}  why")
    for toolset in workbench.catalogue.toolsets:
        click.echo(f"{toolset.name}: {toolset.description}")
        for listing in listings:
            if listing.toolset is toolset:
                verdict = listing.verdict
                mark = "on " if verdict.is_enabled else "off"
                why = f"{verdict.reason}. {verdict.way_in}".rstrip()
                click.echo(f"  {mark} {listing.name:{width}}  {why}")
    for note in workbench.configuration.notes:
        click.echo(f"Note: {note}", err=True)


def _as_json(listing: Listing) -> dict[str, object]:
    return {
        "tool": listing.name,
        "toolset": listing.toolset.name,
        "effect": listing.definition.effect.value,
        "enabled": listing.verdict.is_enabled,
        "reason": listing.verdict.reason,
        "way_in": listing.verdict.way_in,
    }
