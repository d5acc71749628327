"""The MCP server on the SDK's low-level `Server`, built from the catalogue."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

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

from benchpin._version import __version__
from benchpin.app import Workbench
from benchpin.core import Limits

from .extras import add_extras
from .messages import rate_limited
from .observing import observe
from .peer import Context, Peer, peer_of
from .prompts import PromptHandlers
from .resources import ResourceHandlers, WriteResourceParams
from .subscriptions import Subscriptions
from .tools import DirectParams, ToolHandlers

INSTRUCTIONS = (
    "Benchpin reads, measures, annotates, scaffolds, runs and profiles the codebase it was "
    "started in. Paths are relative to the workspace; lines are counted from 1. Long answers end "
    "with a next_cursor or a result:// link, which read_result pages through. Errors say what to "
    "do next."
)


_FIXED = CacheHint(ttl_ms=3_600_000)
"""For lists that never change after launch."""


class Kernel(Server[Peer]):
    """Every standard method, every tool as a method of its own, and `resources/write`."""

    def __init__(self, workbench: Workbench) -> None:
        self.limits = workbench.configuration.settings.limits
        self.traces_protocol = "protocol" in workbench.configuration.settings.debug
        self.subscriptions = Subscriptions(workbench)
        self._catalogue = workbench.catalogue
        self._tools = ToolHandlers(workbench, self.subscriptions)
        resources = ResourceHandlers(workbench, self.subscriptions)
        prompts = PromptHandlers(workbench)
        super().__init__(
            "benchpin",
            version=__version__,
            title="Benchpin",
            instructions=INSTRUCTIONS,
            lifespan=_with_local_peer,
            cache_hints={"tools/list": _FIXED, "prompts/list": _FIXED},
            get_tool_input_schema=self._tools.input_schema,
            on_subscribe_resource=self.subscriptions.subscribe,
            on_unsubscribe_resource=self.subscriptions.unsubscribe,
            on_subscriptions_listen=self.subscriptions.listen,
            on_completion=prompts.complete,
        )
        serve = self.add_request_handler
        serve("tools/list", PaginatedRequestParams, self._tools.list_tools)
        serve("tools/call", CallToolRequestParams, self._tools.call_tool)
        serve("resources/list", PaginatedRequestParams, resources.list_resources)
        serve("resources/templates/list", PaginatedRequestParams, resources.list_templates)
        serve("resources/read", ReadResourceRequestParams, resources.read)
        serve("resources/write", WriteResourceParams, resources.write)
        serve("prompts/list", PaginatedRequestParams, prompts.list_prompts)
        serve("prompts/get", GetPromptRequestParams, prompts.get_prompt)
        serve("logging/setLevel", SetLevelRequestParams, _set_level)
        self.middleware += [observe, _admit_http, add_extras]

    def get_request_handler(self, method: str) -> HandlerEntry[Peer] | None:
        """Return the handler of a method; a tool's name or alias is a method too."""
        standard = super().get_request_handler(method)
        if standard is not None or not self._catalogue.owns(method):
            return standard
        return HandlerEntry(DirectParams, self._tools.call_direct)

    async def close(self) -> None:
        """Stop watching, streaming and taking work."""
        await self.subscriptions.close()
        self._tools.close()


@asynccontextmanager
async def _with_local_peer(kernel: Server[Peer]) -> AsyncIterator[Peer]:
    """Give in-process clients, which come without a transport of ours, a peer to be."""
    limits = kernel.limits if isinstance(kernel, Kernel) else Limits()
    yield Peer.under(limits)


async def _set_level(ctx: Context, params: SetLevelRequestParams) -> EmptyResult:
    peer_of(ctx).log_level = params.level
    return EmptyResult()


async def _admit_http(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Count HTTP requests against their session's rate; other transports count at their edge."""
    if ctx.request is None or isinstance(ctx.request, Peer) or ctx.request_id is None:
        return await call_next(ctx)
    wait_ms = peer_of(ctx).bucket.take()
    if wait_ms:
        fault = rate_limited(None, wait_ms)
        raise MCPError(fault.code, fault.message, fault.details())
    return await call_next(ctx)
