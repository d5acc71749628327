"""What `tools/list` says of each tool.

A model reads the list before it does anything, so the list is thin by default: no titles, no output
schemas, arguments that most callers need. Every argument is accepted, and documented in
docs/toolsets.
"""

from mcp_types import Tool, ToolAnnotations

from benchpin.app import Listing


def thin_definition(listing: Listing) -> Tool:
    """Return what a caller needs to choose and call a tool; hints only where they differ.

    MCP's defaults are: not read-only, destructive, not idempotent, open world. The two in the
    middle mean nothing for a tool that only reads.
    """
    hints = listing.reach.hints
    annotations = ToolAnnotations(
        read_only_hint=True if hints.read_only else None,
        destructive_hint=False if not (hints.destructive or hints.read_only) else None,
        open_world_hint=None if hints.open_world else False,
    )
    shown = listing.definition
    return Tool(
        name=shown.name,
        description=shown.summary,
        input_schema=shown.schema,
        annotations=annotations,
    )


def full_definition(listing: Listing) -> Tool:
    """Return everything there is to say about a tool."""
    tool, hints = listing.tool, listing.reach.hints
    return Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )
