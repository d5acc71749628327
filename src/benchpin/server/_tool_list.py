"""What `tools/list` says of one tool.

A model reads the list before it does anything, so it is thin by default: no titles, no output
schemas, only the arguments that most callers need. Every argument is accepted, and documented in
docs/toolsets.
"""

from benchpin.app import Listing

from .jsonrpc import Json


def thin_definition(listing: Listing) -> Json:
    """Return what a caller needs to choose and call a tool; hints only where they differ.

    MCP's defaults are: not read-only, destructive, not idempotent, open world. The two in the
    middle mean nothing for a tool that only reads.
    """
    hints, shown = listing.reach.hints, listing.definition
    annotations: Json = {}
    if hints.read_only:
        annotations["readOnlyHint"] = True
    elif not hints.destructive:
        annotations["destructiveHint"] = False
    if not hints.open_world:
        annotations["openWorldHint"] = False
    definition: Json = {
        "name": shown.name,
        "description": shown.summary,
        "inputSchema": shown.schema,
    }
    return {**definition, "annotations": annotations} if annotations else definition


def full_definition(listing: Listing) -> Json:
    """Return everything there is to say about a tool."""
    tool, hints = listing.tool, listing.reach.hints
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": hints.read_only,
            "destructiveHint": hints.destructive,
            "idempotentHint": hints.idempotent,
            "openWorldHint": hints.open_world,
        },
    }
