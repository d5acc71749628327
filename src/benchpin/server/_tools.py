"""`tools/list`, `tools/call` and the methods named after tools."""

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types import (
    SERVER_INFO_META_KEY,
    CallToolRequestParams,
    PaginatedRequestParams,
    RequestParams,
)
from mcp_types.methods import validate_client_request
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ConfigDict

from benchpin.app import Call, Listing, Workbench
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, InternalError, UnknownTool
from benchpin.core.results import Result, paginate
from benchpin.core.tools import Effect, Toolset
from benchpin.server.apps import APPS, negotiated, with_apps
from benchpin.server.wire import Present, Presenter, dotted_error, protocol_error, tool_failure
from benchpin.toolsets.server.call_tool import NAME as CALL_TOOL
from benchpin.toolsets.server.call_tool import CallToolParams

from ._announcement import server_info, tool_definitions
from ._client import RequestClient, client_name
from ._input import InputRequired, StateSeal
from ._logs import correlation_id, log_fields
from ._peer import Context, Peer, peer_of
from ._scheduler import Scheduler, Task, lane_of
from ._sdk_adapter import CallContext
from ._subscriptions import Subscriptions
from .jsonrpc import Json, encoded_bytes, is_dotted, parsed

logger = logging.getLogger("benchpin.tools")

_PAGE = 200
_WINDING_UP = 0.1
# The share of its time that a tool keeps for putting its answer together, and its maximum.
_MAX_WINDING_UP_S = 0.5
_PRESENTED_AT_A_TIME = 4
_MAX_CHARS_META = "benchpin/max_text_chars"
_CALL = "tools/call"
_PLAIN = frozenset({"name", "arguments"})
_EMPTY: Json = {"content": [], "resultType": "complete"}
_NOT_ARGUMENTS = frozenset({"_meta", "correlation_id"})


class DirectParams(RequestParams):
    """The params of a method named after a tool: its arguments, which the tool checks."""

    model_config = ConfigDict(extra="allow")


class ToolHandlers:
    """Calls tools: plain functions on worker threads, async ones on the event loop.

    Results are encoded once, on the thread of the tool. The SDK would validate and copy all of
    them, so it only sees an empty one, where a request comes through it at all.
    """

    def __init__(
        self,
        workbench: Workbench,
        subscriptions: Subscriptions,
        scheduler: Scheduler,
        seal: StateSeal,
    ) -> None:
        settings = workbench.configuration.settings
        self._workbench = workbench
        self._catalogue = workbench.catalogue
        self._subscriptions = subscriptions
        self._presenter = Presenter(settings.limits, workbench.bench.results)
        self._scheduler = scheduler
        self._presenting = threading.Semaphore(_PRESENTED_AT_A_TIME)
        self._traces = "tools" in settings.debug
        self._generation = 0
        self._seal = seal
        self._server_info = server_info()
        self.methods = frozenset({_CALL, *self._catalogue.names()})
        """The methods that call a tool."""

    async def list_tools(self, ctx: Context, params: PaginatedRequestParams) -> Json:
        """Answer `tools/list`."""
        client = client_name(ctx)
        definitions = await asyncio.to_thread(tool_definitions, self._workbench, client)
        if negotiated(ctx):
            definitions = with_apps(definitions)
        page = paginate(definitions, listing="tools/list", cursor=params.cursor, limit=_PAGE)
        tools: Json = {"tools": list(page.items), "resultType": "complete"}
        return tools if page.next_cursor is None else {**tools, "nextCursor": page.next_cursor}

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return the schema of an enabled tool, for the SDK's check of HTTP headers."""
        with suppress(BenchpinError):
            return self._catalogue.find(name).tool.input_schema
        return None

    @staticmethod
    async def accept(ctx: Context, _params: RequestParams) -> Json:
        """Return an empty result; the SDK has checked the request by now."""
        return _EMPTY if ctx.method == _CALL else {}

    async def as_middleware(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Run the tool that a request calls, after the SDK has accepted the request."""
        if ctx.method not in self.methods:
            return await call_next(ctx)
        await call_next(ctx)
        result = await self.call(ctx)
        # The SDK's own transports, HTTP and in-process, encode the values themselves.
        return result if isinstance(ctx.request, Peer) else parsed(result)

    async def call(self, ctx: CallContext) -> dict[str, Any]:
        """Run the tool that a request calls.

        Raises:
            MCPError, ValidationError: when the request is refused.
        """
        try:
            result = await self._checked(ctx)
        except InputRequired as asked:
            result = asked.result
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            result.setdefault("resultType", "complete")
            result["_meta"] = {**result.get("_meta", {}), SERVER_INFO_META_KEY: self._server_info}
        return result

    async def _checked(self, ctx: CallContext) -> dict[str, Any]:
        if ctx.method != _CALL:
            DirectParams.model_validate(ctx.params or {}, by_name=False)
            return await self._call_direct(ctx)
        if not is_plain_call(ctx.params):
            validate_client_request(_CALL, ctx.protocol_version, ctx.params)
            CallToolRequestParams.model_validate(ctx.params, by_name=False)
        return await self._call_tool(ctx)

    async def _call_tool(self, ctx: CallContext) -> dict[str, Any]:
        params = ctx.params or {}
        name: str = params["name"]
        arguments: Mapping[str, object] = params.get("arguments") or {}
        try:
            listing = self._catalogue.find(name)
            if listing.name == CALL_TOOL:
                name, arguments = _named_by(arguments)
                listing = self._catalogue.find(name)
        except UnknownTool as error:
            if params["name"] == CALL_TOOL:  # the model chose the name, and can choose another
                return tool_failure(error, self._owner(CALL_TOOL), ctx.protocol_version)
            raise protocol_error(error) from error
        except BenchpinError as error:
            return tool_failure(error, self._owner(name), ctx.protocol_version)
        wanted = (ctx.meta or {}).get(_MAX_CHARS_META)
        max_chars = wanted if isinstance(wanted, int) and wanted > 0 else None
        present = partial(
            self._presenter.tool_result,
            protocol_version=ctx.protocol_version,
            max_chars=max_chars,
        )
        try:
            shows_app = listing.name in APPS and negotiated(ctx)
            return await self._perform(ctx, listing, arguments, present, shows_app=shows_app)
        except BenchpinError as error:
            return tool_failure(error, listing.toolset, ctx.protocol_version)

    async def _call_direct(self, ctx: CallContext) -> dict[str, Any]:
        params = ctx.params or {}
        arguments: Mapping[str, object] = {
            key: params[key] for key in params if key not in _NOT_ARGUMENTS
        }
        toolset = None
        try:
            listing = self._catalogue.find(ctx.method)
            if listing.name == CALL_TOOL:
                name, arguments = _named_by(arguments)
                listing = self._catalogue.find(name)
            toolset = listing.toolset
            return await self._perform(ctx, listing, arguments, self._presenter.direct_result)
        except BenchpinError as error:
            if is_dotted(ctx.method):
                raise dotted_error(error) from error
            raise protocol_error(error, toolset) from error

    def _owner(self, name: str) -> Toolset:
        return next(
            toolset
            for toolset in self._catalogue.toolsets
            if toolset.aliases.get(name, name) in toolset.tools
        )

    async def _perform(
        self,
        ctx: CallContext,
        listing: Listing,
        arguments: Mapping[str, object],
        present: Present,
        *,
        shows_app: bool = False,
    ) -> dict[str, Any]:
        tool, peer = listing.tool, peer_of(ctx)
        limit_s = self._workbench.configuration.settings.timeout_of(tool.name)
        client = RequestClient(ctx, peer, self._seal)
        job = Job(
            time_limit_s=limit_s,
            winding_up_s=min(limit_s * _WINDING_UP, _MAX_WINDING_UP_S),
            on_progress=client.progress if client.wants_progress else None,
            on_log=client.log,
        )
        caller = peer.caller(correlation_id.get())
        prepare = partial(self._workbench.prepare, listing, job=job, caller=caller, client=client)
        call = prepare(arguments)
        if shows_app:
            present = partial(_with_app, present, _drawing(prepare, arguments))
        if self._traces:
            _trace("start", tool.name, arguments)
        is_ordered = listing.is_ordered
        task = Task(tool.name, lane_of(tool), job, is_ordered, limit_s, tool.is_brief)
        try:
            if tool.is_async:
                run = self._scheduler.run_on_loop
                presented = await run(peer, task, call.run_on_loop, present, encoded_bytes)
            else:
                work = partial(self._work, call, present)
                presented = await self._scheduler.run(peer, task, work, encoded_bytes)
            if client.has_posted and not job.missing:
                client.complete()
        except (BenchpinError, MCPError, InputRequired, asyncio.CancelledError):
            job.cancel()
            raise
        except Exception as error:
            logger.exception("tool %s failed", tool.name)
            reference = f"the log line of correlation_id {correlation_id.get()}"
            raise InternalError(reference) from error
        finally:
            if client.has_posted:
                await client.finish()
        if self._traces:
            _trace("end", tool.name, {"partial": bool(job.missing)})
        generation = self._workbench.bench.results.generation
        if generation != self._generation:
            self._generation = generation
            await self._subscriptions.publish_list_changed()
        return presented

    def _work(self, call: Call, present: Present) -> Json:
        """Run a call and encode its result, on a thread."""
        result = call.run()
        if call.bench.job.is_brief:
            return present(result)
        # Few at a time: an encoder holds the interpreter anyway, and many copies of large results
        # would need much memory.
        with self._presenting:
            return present(result)


def is_plain_call(params: Mapping[str, Any] | None) -> bool:
    """Whether a call has a name and arguments alone, which every version of MCP accepts.

    Most clients send no more, and the checks of the SDK take a tenth of a short call.
    """
    if params is None or not params.keys() <= _PLAIN:
        return False
    return isinstance(params.get("name"), str) and isinstance(params.get("arguments", {}), dict)


def _named_by(arguments: Mapping[str, object]) -> tuple[str, Mapping[str, object]]:
    """Return the tool that `call_tool` is asked for: it is served as a call of that one."""
    asked = CallToolParams.parse(arguments)
    asked.require_other()
    return asked.name, asked.arguments


def _drawing(
    prepare: Callable[[Mapping[str, object]], Call], arguments: Mapping[str, object]
) -> Call:
    """Return the same call as a page; it may change nothing, because that is done already."""
    call = prepare({**arguments, "format": "html"})
    bench = call.bench
    only_reads = frozenset({Effect.READ})
    return replace(
        call,
        bench=bench.for_call(
            job=bench.job, caller=bench.caller, client=bench.client, effects=only_reads
        ),
    )


def _with_app(present: Present, drawing: Call, result: Result) -> Json:
    """Encode a result together with what its app shows, if there is room for that.

    The call is made again as a page: what it measures is remembered, and the text stays short.
    """
    from benchpin.server.apps import add_app  # noqa: PLC0415 - few clients show apps

    answer = present(result)
    if not result.is_failure():
        with suppress(BenchpinError):  # the app then shows the text
            add_app(answer, drawing.run(), drawing.bench.limits.response_bytes)
    return answer


def _trace(event: str, tool: str, facts: Mapping[str, object]) -> None:
    log_fields(
        logger,
        logging.DEBUG,
        {"event": event, "tool_name": tool, "correlation_id": correlation_id.get(), **facts},
    )
