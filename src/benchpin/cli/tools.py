"""`benchpin tools`: list the tools, and where each is enabled."""

from collections import Counter
from collections.abc import Iterator

import click

from benchpin.app import Listing

from .flags import FlaggedCommand, Flags
from .groups import spelled
from .output import echo_folded, print_json


@click.command(cls=FlaggedCommand)
@click.pass_obj
def tools(flags: Flags, /) -> None:
    """List all tools: whether a server offers them, whether they run here, and their commands.

    A tool that writes, runs programs or uses the network is off in a server until it is allowed.
    Here, typing its name allows it.

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
    click.echo(f"  {'tool':{width}}  server  here  command")
    for toolset in workbench.catalogue.toolsets:
        echo_folded(f"{toolset.name}: {toolset.description}")
        for listing in listings:
            if listing.toolset is toolset:
                here = _mark(is_on=not listing.verdict.is_barred)
                server = _mark(is_on=listing.verdict.is_enabled)
                click.echo(
                    f"  {listing.name:{width}}  {server:6}  {here:4}  {spelled(listing.name)}"
                )
    for line in _reasons(listings):
        echo_folded(line)
    for note in workbench.configuration.notes:
        echo_folded(f"Note: {note}", err=True)


def _mark(*, is_on: bool) -> str:
    return "on" if is_on else "off"


def _reasons(listings: list[Listing]) -> Iterator[str]:
    """Say why tools are off, once for each reason."""
    off = [it for it in listings if not it.verdict.is_enabled]
    reasons = Counter(
        (it.verdict.is_barred, it.verdict.reason, it.verdict.way_in.replace(it.name, "NAME"))
        for it in off
    )
    for (is_barred, reason, way_in), number in reasons.items():
        place = "everywhere" if is_barred else "in the server"
        yield f"{number} off {place}: {reason}. {way_in}".rstrip()


def _as_json(listing: Listing) -> dict[str, object]:
    return {
        "tool": listing.name,
        "toolset": listing.toolset.name,
        "effect": listing.definition.effect.value,
        "enabled": listing.verdict.is_enabled,
        "enabled_here": not listing.verdict.is_barred,
        "reason": listing.verdict.reason,
        "way_in": listing.verdict.way_in,
    }
