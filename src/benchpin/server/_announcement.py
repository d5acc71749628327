"""What the server says about itself and its tools to a client that connects.

A model reads the list of tools before it does anything, so it is thin by default: no titles, no
output schemas, only the arguments that most callers need. Every argument is accepted, and
documented in docs/toolsets.
"""

from collections.abc import Callable

from benchpin._version import __version__
from benchpin.app import Listing, Workbench
from benchpin.core.tools import Effect
from benchpin.toolsets.server.skills import RESOURCE

from .jsonrpc import Json

NAME = "benchpin"
TITLE = "Benchpin"
# How long a client may keep a list of tools or prompts: they never change after launch.
LIST_TTL_MS = 3_600_000
# The extension by which clients find skills.
SKILLS = "io.modelcontextprotocol/skills"
# Loaded before us by `opentelemetry-instrument`, if spans are exported.
TELEMETRY = "opentelemetry.sdk"
# The tools that answer most questions. Claude Code hides the definitions of others behind a search,
# and agents that do not see a tool do not call it.
_ALWAYS_LOADED = frozenset(
    {"explore", "find_references", "trace_calls", "find_tests", "review_change"}
)
_ALWAYS_LOAD: Json = {"anthropic/alwaysLoad": True}
# What to say if these tools are listed; first what to call for a question, and before finishing.
_SENTENCES: tuple[tuple[frozenset[str], str], ...] = (
    (
        frozenset({"explore", "review_change"}),
        "For a question about the code call explore; before you finish a change, review_change.",
    ),
    (
        frozenset({"analyze_repository"}),
        "In a repository that you do not know, call analyze_repository first.",
    ),
    (
        frozenset({"find_tools", "call_tool"}),
        "find_tools finds tools that are not listed, call_tool calls them.",
    ),
    (
        frozenset({"read_result"}),
        "Long answers end with a next_cursor or a result:// link for read_result.",
    ),
)
_ALWAYS = (
    "path is relative to the workspace; lines count from 1. symbol: name, Class.method, path::name "
    "or path:line, several with commas; diff: uncommitted, staged, a revision, A..B. Lists take "
    "limit and cursor; format: json, csv, html, sarif, junit. Answers that are not whole, current "
    "and certain end with a note in []."
)


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
    if shown.name in _ALWAYS_LOADED:
        definition["_meta"] = _ALWAYS_LOAD
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
        **({"_meta": _ALWAYS_LOAD} if tool.name in _ALWAYS_LOADED else {}),
    }


def server_info() -> Json:
    """Return the name and version of the server."""
    return {"name": NAME, "title": TITLE, "version": __version__}


def instructions(workbench: Workbench, client: str) -> str:
    """Return what a model in this host should know before its first call."""
    listed = {listing.name for listing in workbench.catalogue.listed_for(client)}
    about = [sentence for names, sentence in _SENTENCES if names <= listed]
    enabled = {listing.toolset.name: listing.toolset for listing in workbench.catalogue.enabled}
    if "find_tools" in listed:  # it answers what they are for, when somebody needs to know
        return " ".join([*about, _ALWAYS, f"Toolsets: {', '.join(enabled)}."])
    toolsets = (f"- {name}: {toolset.description}" for name, toolset in enabled.items())
    return "\n".join((" ".join([*about, _ALWAYS]), "Toolsets:", *toolsets))


def capabilities(workbench: Workbench) -> Json:
    """Return what the server can do; only the list of resources changes after launch."""
    can_write = Effect.WRITE in workbench.bench.effects and any(
        resource.write is not None for resource in workbench.catalogue.resources
    )
    extensions: Json = {"extensions": {SKILLS: {}}} if serves_skills(workbench) else {}
    return {
        **extensions,
        "completions": {},
        "logging": {},
        "prompts": {"listChanged": False},
        "resources": {"subscribe": True, "listChanged": True, "write": can_write},
        "tools": {"listChanged": False},
    }


def serves_skills(workbench: Workbench) -> bool:
    """Whether skills can be read: their toolset may be disabled."""
    return any(RESOURCE in toolset.resources for toolset in workbench.catalogue.active())


def tool_definitions(workbench: Workbench, client: str) -> list[Json]:
    """Return the enabled tools, as `tools/list` has them for a client of this name."""
    wants_all = workbench.configuration.settings.schemas == "full"
    define: Callable[..., Json] = full_definition if wants_all else thin_definition
    return [define(listing) for listing in workbench.catalogue.listed_for(client)]
