"""Which tools have an app, and which clients show apps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchpin.server.jsonrpc import Json

if TYPE_CHECKING:
    from benchpin.server import CallContext

UI = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
# The `_meta` key of a result with what its app shows.
DATA = "benchpin/app"
_SCHEME = "ui://benchpin/"


@dataclass(frozen=True, slots=True)
class App:
    """A page for the results of one tool."""

    name: str
    title: str
    has_flames: bool = False

    @property
    def uri(self) -> str:
        """The resource with the page."""
        return f"{_SCHEME}{self.name}"


# The keys are names of tools.
APPS: Mapping[str, App] = {
    "analyze_comprehensive": App("treemap", "Treemap of the repository"),
    "analyze_graph_metrics": App("map", "Dependency map"),
    "compare_snapshots": App("flame-diff", "What changed", has_flames=True),
    "quality_gate": App("gate", "Quality gate"),
    "review_change": App("review", "Review of a change"),
    "run_analysis": App("flames", "Performance", has_flames=True),
}


def negotiated(ctx: "CallContext") -> bool:
    """Whether the client of a request shows apps."""
    if ctx.method == "initialize":  # the session knows the client only after it
        given = (ctx.params or {}).get("capabilities")
        return _wants_apps(given.get("extensions") if isinstance(given, Mapping) else None)
    capabilities = ctx.session.client_capabilities
    return _wants_apps(None if capabilities is None else capabilities.extensions)


def _wants_apps(extensions: object) -> bool:
    wanted = extensions.get(UI) if isinstance(extensions, Mapping) else None
    types = wanted.get("mimeTypes") if isinstance(wanted, Mapping) else None
    return isinstance(types, list) and MIME_TYPE in types


def with_apps(definitions: Sequence[Json]) -> list[Json]:
    """Return a list of tools that says which have an app."""
    return [
        it if app is None else _with_meta(it, {"ui": {"resourceUri": app.uri}})
        for it in definitions
        for app in [APPS.get(str(it["name"]))]
    ]


def _with_meta(definition: Json, more: Json) -> Json:
    known = definition.get("_meta", {})
    return {**definition, "_meta": {**known, **more}} if isinstance(known, dict) else definition


def tool_at(uri: str) -> str | None:
    """Return the name of the tool whose app has this URI."""
    return next((name for name, app in APPS.items() if app.uri == uri), None)


def resource_meta() -> Json:
    """Return what a host must know about the page: it needs no other origin."""
    return {"ui": {"csp": {}, "prefersBorder": True}}
