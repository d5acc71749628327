"""What the server says about itself to a client that connects."""

from collections.abc import Callable

from benchpin._version import __version__
from benchpin.app import Workbench
from benchpin.core import Effect

from .jsonrpc import Json
from .tool_list import full_definition, thin_definition

NAME = "benchpin"
TITLE = "Benchpin"
LIST_TTL_MS = 3_600_000
"""How long a client may keep a list of tools or prompts: they never change after launch."""
TELEMETRY = "opentelemetry.sdk"
"""Loaded before us by `opentelemetry-instrument`, if spans are exported."""
_INSTRUCTIONS = (
    "Benchpin reads, measures, annotates, scaffolds, runs and profiles the codebase it was started "
    "in. In a repository that you do not know, call analyze_repository first, then map_repository; "
    "for its state and what to fix first, analyze_comprehensive. path is relative to the "
    "workspace; lines are counted from 1. Lists take limit and cursor; format shows them as json, "
    "csv, markdown, sarif or junit. Long answers end with a next_cursor or a result:// link, which "
    "read_result pages through. Errors say what to do next."
)


def server_info() -> Json:
    """Return the name and version of the server."""
    return {"name": NAME, "title": TITLE, "version": __version__}


def instructions(workbench: Workbench) -> str:
    """Return what a model should know before its first call."""
    enabled = {listing.toolset.name for listing in workbench.catalogue.enabled}
    lines = (
        f"- {it.name}: {it.description}"
        for it in workbench.catalogue.active()
        if it.name in enabled
    )
    return "\n".join((_INSTRUCTIONS, "Toolsets:", *lines))


def capabilities(workbench: Workbench) -> Json:
    """Return what the server can do; only the list of resources changes after launch."""
    can_write = Effect.WRITE in workbench.bench.effects and any(
        resource.write is not None for resource in workbench.catalogue.resources
    )
    return {
        "completions": {},
        "logging": {},
        "prompts": {"listChanged": False},
        "resources": {"subscribe": True, "listChanged": True, "write": can_write},
        "tools": {"listChanged": False},
    }


def tool_definitions(workbench: Workbench) -> list[Json]:
    """Return the enabled tools, as `tools/list` has them."""
    wants_all = workbench.configuration.settings.schemas == "full"
    define: Callable[..., Json] = full_definition if wants_all else thin_definition
    return [define(listing) for listing in workbench.catalogue.listed]
