"""`tools/list`, `tools/call` and the methods that carry a tool's own name."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from typing import Any

from mcp.server.context import CallNext, HandlerResult
from mcp_types import (
    CallToolRequestParams,
    ListToolsResult,
    PaginatedRequestParams,
    RequestParams,
    Tool,
    ToolAnnotations,
)
from pydantic import ConfigDict

from benchpin.app import Call, Listing, Workbench
from benchpin.core import (
    BenchpinError,
    Caller,
    InternalError,
    Job,
    Lengthy,
    Result,
    TimeLimitExceeded,
    Toolset,
    UnknownTool,
    paginate,
)
from benchpin.engines.files.mounts import is_on_local_disk

from .client import ClientOf
from .jsonrpc import Json, is_dotted
from .logs import correlation_id, log_fields
from .notifications import Reporter
from .peer import Context, Peer, peer_of
from .subscriptions import Subscriptions
from .wire_errors import dotted_error, protocol_error, tool_failure
from .wire_results import Presenter

logger = logging.getLogger("benchpin.tools")

_PAGE = 200
_THREADS = 32
_WINDING_UP = 0.1
_MOST_WINDING_UP_S = 0.5
"""The share of its time that a tool has to put its answer together, and at most how much."""
_GRACE_S = 5.0
"""What a tool may take beyond its limit to return what it has."""
_TRIAL_S = 0.005
"""What a brief call may take on the event loop, where everybody waits for it."""
_VERSIONS_WITH_ALL_BUT_TYPES = frozenset({"2025-06-18", "2025-11-25"})
_MAX_CHARS_META = "benchpin/max_text_chars"


class DirectParams(RequestParams):
    """The params of a direct method: the tool's own arguments, checked by the tool."""

    model_config = ConfigDict(extra="allow")


class ToolHandlers:
    """Runs tools: plain functions on worker threads, async and brief ones on the loop."""

    def __init__(self, workbench: Workbench, subscriptions: Subscriptions) -> None:
        settings = workbench.configuration.settings
        self._workbench = workbench
        self._subscriptions = subscriptions
        self._presenter = Presenter(settings.limits, workbench.bench.results)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="tool")
        self._traces = "tools" in settings.debug
        self._generation = 0

    async def list_tools(self, _ctx: Context, params: PaginatedRequestParams) -> ListToolsResult:
        """Answer `tools/list`."""
        definitions = await asyncio.to_thread(lambda: self._definitions)
        page = paginate(definitions, listing="tools/list", cursor=params.cursor, limit=_PAGE)
        return ListToolsResult(tools=list(page.items), next_cursor=page.next_cursor)

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return the schema of an enabled tool, for the SDK's check of HTTP headers."""
        with suppress(BenchpinError):
            return self._workbench.catalogue.find(name).tool.input_schema
        return None

    async def call_tool(self, ctx: Context, params: CallToolRequestParams) -> Json:
        """Answer `tools/call`."""
        return await self._call(ctx, params.name, params.arguments or {})

    async def call_plainly(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Answer a `tools/call` with nothing odd about it, as middleware.

        The SDK would check and copy the whole result once more, to leave out what an older client
        does not know. In the versions here only `resultType` is to be left out.
        """
        params = ctx.params or {}
        name, arguments = params.get("name"), params.get("arguments")
        if not (
            ctx.method == "tools/call"
            and ctx.protocol_version in _VERSIONS_WITH_ALL_BUT_TYPES
            and isinstance(ctx.request, Peer)
            and isinstance(name, str)
            and (arguments is None or isinstance(arguments, dict))
            and params.keys() <= {"name", "arguments", "_meta"}
            and ("_meta" not in params or ctx.meta is not None)
        ):
            return await call_next(ctx)
        result = await self._call(ctx, name, arguments or {})
        result.pop("resultType", None)
        return result

    async def _call(self, ctx: Context, name: str, arguments: Mapping[str, object]) -> Json:
        asked_at = time.monotonic()
        try:
            listing = self._workbench.catalogue.find(name)
        except UnknownTool as error:
            raise protocol_error(error) from error
        except BenchpinError as error:
            return tool_failure(error, self._owner(name), ctx.protocol_version)
        try:
            most = _wanted_chars(ctx)
            present = partial(self._presenter.tool_result, max_chars=most)
            presented = await self._perform(ctx, listing, arguments, present, asked_at)
        except BenchpinError as error:
            return tool_failure(error, listing.toolset, ctx.protocol_version)
        await self._announce_stored()
        return presented

    async def call_direct(self, ctx: Context, _params: DirectParams) -> Json:
        """Answer a method of a tool's own name, or of its dotted alias."""
        arguments = {
            key: value
            for key, value in (ctx.params or {}).items()
            if key not in {"_meta", "correlation_id"}
        }
        toolset = None
        asked_at = time.monotonic()
        try:
            listing = self._workbench.catalogue.find(ctx.method)
            toolset = listing.toolset
            present = self._presenter.direct_result
            presented = await self._perform(ctx, listing, arguments, present, asked_at)
        except BenchpinError as error:
            if is_dotted(ctx.method):
                raise dotted_error(error) from error
            raise protocol_error(error, toolset) from error
        await self._announce_stored()
        return presented

    def close(self) -> None:
        """Take no more work; threads that never end do not hold up the process."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    @cached_property
    def _definitions(self) -> list[Tool]:
        return [definition(listing) for listing in self._workbench.catalogue.enabled]

    async def _announce_stored(self) -> None:
        generation = self._workbench.bench.results.generation
        if generation != self._generation:
            self._generation = generation
            await self._subscriptions.publish_list_changed()

    def _owner(self, name: str) -> Toolset:
        return next(
            toolset
            for toolset in self._workbench.catalogue.toolsets
            if toolset.aliases.get(name, name) in toolset.tools
        )

    async def _perform(
        self,
        ctx: Context,
        listing: Listing,
        arguments: Mapping[str, object],
        present: Callable[[Result], Json],
        asked_at: float,
    ) -> Json:
        tool = listing.tool
        peer = peer_of(ctx)
        time_limit_s = self._workbench.configuration.settings.timeout_of(tool.name)
        reporter = Reporter(ctx)
        job = Job(
            time_limit_s=time_limit_s - min(time_limit_s * _WINDING_UP, _MOST_WINDING_UP_S),
            started_at=asked_at,
            trial_s=_TRIAL_S if tool.is_brief and self._is_quick_to_read else None,
            on_progress=reporter.progress,
            on_log=reporter.log,
        )
        caller = Caller("mcp_client", "mcp", peer.id, correlation_id.get())
        call = self._workbench.prepare(
            listing, arguments, job=job, caller=caller, client=ClientOf(ctx)
        )
        self._trace("start", tool.name, arguments)
        try:
            presented = await self._run(call, present, time_limit_s, peer)
        except (BenchpinError, asyncio.CancelledError):
            job.cancel()
            raise
        except Exception as error:
            logger.exception("tool %s failed", tool.name)
            reference = f"the log line of correlation_id {correlation_id.get()}"
            raise InternalError(reference) from error
        finally:
            await reporter.finish()
        self._trace("end", tool.name, {"partial": bool(job.missing)})
        return presented

    @cached_property
    def _is_quick_to_read(self) -> bool:
        return is_on_local_disk(self._workbench.bench.workspace.root)

    async def _run(
        self, call: Call, present: Callable[[Result], Json], time_limit_s: float, peer: Peer
    ) -> Json:
        job = call.bench.job
        if job.is_on_trial:
            with suppress(Lengthy):
                return present(call.run())
            job.end_trial()
        loop = asyncio.get_running_loop()
        limit = asyncio.timeout(time_limit_s + _GRACE_S)
        try:
            async with limit:
                release = await self._turn(call, peer)
                if call.listing.tool.is_async:
                    try:
                        return present(await call.run_on_loop())
                    finally:
                        release()
                work = self._threads.submit(lambda: present(call.run()))
                work.add_done_callback(lambda _work: _on_loop(loop, release))
                return await asyncio.wrap_future(work)
        except TimeoutError as error:
            if not limit.expired():
                raise
            job.cancel()
            raise TimeLimitExceeded(
                f"{call.listing.tool.name} did not end within {time_limit_s:g} s",
                suggestion="Ask for less, a smaller path say, or raise --tool-timeout.",
                data={"limit_s": time_limit_s},
            ) from error

    async def _turn(self, call: Call, peer: Peer) -> Callable[[], None]:
        """Wait for the calls before this one; the turn is given back when the work really ends."""
        if not call.listing.reach.is_ordered:
            return lambda: None
        await peer.turn.acquire()
        return peer.turn.release

    def _trace(self, event: str, tool: str, facts: Mapping[str, object]) -> None:
        if self._traces:
            log_fields(
                logger,
                logging.DEBUG,
                {
                    "event": event,
                    "tool_name": tool,
                    "correlation_id": correlation_id.get(),
                    **facts,
                },
            )


def _on_loop(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop is closed: the server has ended
        loop.call_soon_threadsafe(act)


def _wanted_chars(ctx: Context) -> int | None:
    wanted = (ctx.meta or {}).get(_MAX_CHARS_META)
    return wanted if isinstance(wanted, int) and wanted > 0 else None


def definition(listing: Listing) -> Tool:
    """Return what `tools/list` says of a tool."""
    tool = listing.tool
    hints = listing.reach.hints
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
