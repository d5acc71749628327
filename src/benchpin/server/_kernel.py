"""The MCP methods, on the SDK's low-level `Server`."""

import difflib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import HandlerEntry
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    EmptyResult,
    GetPromptRequestParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    SetLevelRequestParams,
)
from pydantic import ValidationError

from benchpin._version import __version__
from benchpin.app import Workbench
from benchpin.core.calls import Limits
from benchpin.core.errors import BenchpinError
from benchpin.server.apps import UI, negotiated
from benchpin.server.wire import EXTRAS, NUMBERED_ERRORS_VERSION, invalid_params, resource_error

from ._announcement import (
    LIST_TTL_MS,
    NAME,
    TELEMETRY,
    TITLE,
    capabilities,
    instructions,
    serves_skills,
)
from ._client import client_name
from ._heap import keep_heap_small
from ._input import StateSeal
from ._peer import Context, Peer, peer_of
from ._prompts import GetSkillParams, ListPromptsParams, PromptHandlers, get_skill, list_skills
from ._request_log import Traffic
from ._resources import ResourceHandlers, WriteResourceParams
from ._scheduler import Scheduler
from ._subscriptions import Subscriptions
from ._tools import DirectParams, ToolHandlers
from ._unsent import Unsent
from .jsonrpc import METHOD_NOT_FOUND, Json, is_dotted

_FIXED = CacheHint(ttl_ms=LIST_TTL_MS)


class ExtraFields:
    """Middleware that adds instructions, `category`, `raw_content`, `resources.write`, `pong`."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Add the fields to a result."""
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        if ctx.method in {"initialize", "server/discover"}:
            announced = capabilities(self._workbench)
            if negotiated(ctx):
                others = cast("Json", announced.get("extensions", {}))
                announced["extensions"] = {**others, UI: {}}
            said = instructions(self._workbench, client_name(ctx))
            return {**result, "capabilities": announced, "instructions": said}
        if ctx.method == "ping":
            asks_pong = ctx.params == {} and ctx.protocol_version == NUMBERED_ERRORS_VERSION
            return {**result, "pong": True} if asks_pong else result
        return _with_extras(result) if "_meta" in result else result


def _with_extras(result: Json) -> Json:
    meta = result["_meta"]
    if not isinstance(meta, dict) or EXTRAS not in meta:
        return result
    extras = meta[EXTRAS]
    rest = {key: value for key, value in meta.items() if key != EXTRAS}
    shown = {key: value for key, value in result.items() if key != "_meta"}
    if rest:
        shown["_meta"] = rest
    prompts, by_name = shown.get("prompts"), extras.get("prompts")
    if isinstance(prompts, list) and isinstance(by_name, dict):
        return {**shown, "prompts": [prompt | by_name[prompt["name"]] for prompt in prompts]}
    return {**shown, **extras}


class Kernel(Server[Peer]):
    """Serves the standard methods, a method for each tool, `resources/write` and skills."""

    def __init__(self, workbench: Workbench) -> None:
        self.limits = workbench.configuration.settings.limits
        self.traces_protocol = "protocol" in workbench.configuration.settings.debug
        keep_heap_small()
        self.unsent = Unsent(self.limits)
        self.subscriptions = Subscriptions(workbench)
        self._catalogue = workbench.catalogue
        bench = workbench.bench
        folders = [it for it in (bench.workspace.root, bench.data_dir) if it is not None]
        self._scheduler = Scheduler(self.limits, self.unsent, folders)
        self.traffic = Traffic(self._serves, self._scheduler.waiting, self.unsent)
        seal = StateSeal()
        self.tools = ToolHandlers(workbench, self.subscriptions, self._scheduler, seal)
        resources = ResourceHandlers(workbench, self.subscriptions, self._scheduler)
        prompts = PromptHandlers(workbench, seal)
        super().__init__(
            NAME,
            version=__version__,
            title=TITLE,
            lifespan=_with_local_peer,
            cache_hints={"tools/list": _FIXED, "prompts/list": _FIXED},
            get_tool_input_schema=self.tools.input_schema,
            on_subscribe_resource=self.subscriptions.subscribe,
            on_unsubscribe_resource=self.subscriptions.unsubscribe,
            on_subscriptions_listen=self.subscriptions.listen,
            on_completion=prompts.complete,
        )
        serve = self.add_request_handler
        serve("tools/list", PaginatedRequestParams, self.tools.list_tools)
        serve("tools/call", CallToolRequestParams, self.tools.accept)
        serve("resources/list", PaginatedRequestParams, resources.list_resources)
        serve("resources/templates/list", PaginatedRequestParams, resources.list_templates)
        serve("resources/read", ReadResourceRequestParams, resources.read)
        serve("resources/write", WriteResourceParams, resources.write)
        serve("prompts/list", ListPromptsParams, prompts.list_prompts)
        serve("prompts/get", GetPromptRequestParams, prompts.get_prompt)
        serve("logging/setLevel", SetLevelRequestParams, _set_level)
        if serves_skills(workbench):
            serve("skills/list", PaginatedRequestParams, list_skills)
            serve("skills/get", GetSkillParams, get_skill)
        self.tool_methods = self.tools.methods
        # Calls of tools are served without the SDK, which takes longer than most tools.
        self.served_directly: frozenset[str] = frozenset()
        if TELEMETRY not in sys.modules:
            self.middleware.clear()  # the SDK's spans, which nothing would export
            self.served_directly = self.tool_methods
        extras = ExtraFields(workbench)
        served = self.tools.as_middleware
        self.middleware += [self.traffic, self._explain, served, prompts.accept_values, extras]

    def _serves(self, name: str) -> bool:
        """Whether a name is that of a tool or a method."""
        return self.get_request_handler(name) is not None

    def get_request_handler(self, method: str) -> HandlerEntry[Peer] | None:
        """Return the handler of a method; names and aliases of tools are methods too."""
        standard = super().get_request_handler(method)
        if standard is not None or not self._catalogue.owns(method):
            return standard
        return HandlerEntry(DirectParams, self.tools.accept)

    async def _explain(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Give every error a kind and a suggestion, also those of the SDK."""
        try:
            return await call_next(ctx)
        except BenchpinError as error:
            raise resource_error(error, None, ctx.protocol_version) from error
        except ValidationError as error:
            raise invalid_params(error) from error
        except MCPError as error:
            is_known = is_dotted(ctx.method) or self._catalogue.owns(ctx.method)
            if error.code != METHOD_NOT_FOUND or is_known:
                raise
            raise self._unknown_method(ctx.method) from error

    def _unknown_method(self, method: str) -> MCPError:
        known = sorted({*self._request_handlers, *self._catalogue.names()})
        nearest = difflib.get_close_matches(method, known, n=3)
        hint = f"Nearest: {', '.join(nearest)}." if nearest else "See tools/list."
        details = {"kind": "method_not_found", "suggestion": hint, "method": method}
        return MCPError(METHOD_NOT_FOUND, f"Method not found: {method}", details)

    async def close(self) -> None:
        """Stop watching, streaming and running tools."""
        await self.subscriptions.close()
        self._scheduler.close()


@asynccontextmanager
async def _with_local_peer(kernel: Server[Peer]) -> AsyncIterator[Peer]:
    """Provide a peer for in-process clients, which use none of our transports."""
    limits = kernel.limits if isinstance(kernel, Kernel) else Limits()
    yield Peer.with_limits(limits)


async def _set_level(ctx: Context, params: SetLevelRequestParams) -> EmptyResult:
    peer_of(ctx).log_level = params.level
    return EmptyResult()
