"""What a call sends to its client before the answer: requests, progress and log messages."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property, partial
from typing import get_args

from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    LOG_LEVEL_META_KEY,
    CreateMessageRequest,
    CreateMessageResult,
    ElicitRequest,
    ElicitResult,
    ListRootsRequest,
    ListRootsResult,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    ServerRequest,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

from benchpin.core.calls import LogLevel, Progress
from benchpin.core.errors import ClientRefused, InvalidParams

from ._input import CAPABILITIES, Asked, StatelessAnswers, StateSeal
from ._peer import Peer
from ._sdk_adapter import CallContext

_LEVELS: tuple[LogLevel, ...] = get_args(LogLevel)
_FROM: dict[LogLevel, frozenset[LogLevel]] = {
    level: frozenset(_LEVELS[at:]) for at, level in enumerate(_LEVELS)
}
_LOGGER = "benchpin"
Send = Callable[[], Awaitable[None]]
_REQUESTS: dict[str, tuple[type[ServerRequest], type[BaseModel]]] = {
    "sampling/createMessage": (CreateMessageRequest, CreateMessageResult),
    "elicitation/create": (ElicitRequest, ElicitResult),
    "roots/list": (ListRootsRequest, ListRootsResult),
}


class _Stages:
    """Joins the progress of consecutive stages into one that only increases and ends once.

    Nobody knows how many stages will follow. The first one with a total sets the total of the call,
    and each later stage gets half of what is left. The end of a stage is held back: the total is
    reached when the call is complete.
    """

    def __init__(self) -> None:
        self._base = 0.0
        """Where the present stage starts."""
        self._room: float | None = None
        """How much of the total the present stage gets; None while it counts by itself."""
        self._total: float | None = None
        self._sent = -1.0
        self._stage = Progress(-1.0, None, "")

    def count(self, progress: Progress) -> Progress | None:
        """Return the progress of the call; None if nothing is new."""
        last, self._stage = self._stage, progress
        if last.done >= 0 and (progress.message != last.message or progress.done < last.done):
            self._next_stage()
        if self._total is None and progress.total is not None:
            self._total = self._base + progress.total
        reached = self._base + self._share(progress)
        if reached <= self._sent or (self._total is not None and reached >= self._total):
            return None
        self._sent = reached
        return Progress(reached, self._total, progress.message)

    def end(self) -> Progress | None:
        """Return the last report of a complete call; None if it never had a total."""
        if self._total is None or self._total <= self._sent:
            return None
        return Progress(self._total, self._total, self._stage.message)

    def _next_stage(self) -> None:
        if self._total is None:
            self._base = self._sent + 1  # a new stage counts as one step
            return
        self._base = max(self._sent, 0.0)
        self._room = (self._total - self._base) / 2

    def _share(self, progress: Progress) -> float:
        """Return how far the present stage has come, in steps of the call."""
        if self._room is None:
            return progress.done
        return self._room * progress.done / progress.total if progress.total else 0.0


class RequestClient:
    """The client that sent a request, as its tool sees it: asked and notified before the answer.

    Notifications are queued and sent in order.
    """

    def __init__(self, ctx: CallContext, peer: Peer, seal: StateSeal) -> None:
        self._ctx = ctx
        self._peer = peer
        self._seal = seal
        self._loop = asyncio.get_running_loop()
        self._sender: asyncio.Task[None] | None = None
        # An in-process client has no token: the session itself calls its callback.
        self.wants_progress = ctx.request is None or "progress_token" in (ctx.meta or {})
        self._counting = threading.Lock()
        self.has_posted = False
        """Whether anything was queued."""

    @cached_property
    def _queue(self) -> "asyncio.Queue[Send | None]":
        return asyncio.Queue()

    def progress(self, progress: Progress) -> None:
        """Queue a progress notification; for callers that asked for them."""
        with self._counting:  # another thread of the same call must not post in between
            self._post_progress(self._stages.count(progress))

    def complete(self) -> None:
        """Queue the notification that the work has reached its end."""
        if self.wants_progress:
            self._post_progress(self._stages.end())

    def log(self, level: LogLevel, message: str) -> None:
        """Queue a log message, if the client asked for its level."""
        if level in _wanted_levels(self._ctx, self._peer):
            params = LoggingMessageNotificationParams(level=level, data=message, logger=_LOGGER)
            notification = LoggingMessageNotification(params=params)
            send = self._ctx.session.send_notification
            self._post(partial(send, notification, self._ctx.request_id))

    async def finish(self) -> None:
        """Send what is still queued."""
        await asyncio.sleep(0)  # lets the callbacks run that a thread has scheduled
        if self._sender is not None:
            self._queue.put_nowait(None)
            await self._sender

    def answers(self, method: str) -> bool:
        """Whether the client said that it answers such a request."""
        _require_known(method)
        if self._stateless is not None:
            return self._stateless.answers(method)
        client = self._ctx.session.client_params
        declared = None if client is None else client.capabilities
        return getattr(declared, CAPABILITIES[method], None) is not None

    async def request(
        self, method: str, params: Mapping[str, object], name: str = ""
    ) -> Mapping[str, object]:
        """Send a request to the client and return its answer.

        Raises:
            InvalidParams: when MCP has no such request.
            ClientRefused: when the client refuses, or this connection cannot carry the request.
            InputRequired: in the stateless era, when the answer did not come with the call.
        """
        name = name or method
        return (await self.request_all({name: (method, params)}))[name]

    async def request_all(self, asked: Asked) -> Mapping[str, Mapping[str, object]]:
        """Send several requests and return their answers.

        Raises:
            InvalidParams, ClientRefused, InputRequired: as for one.
        """
        for method, _ in asked.values():
            _require_known(method)
        if self._stateless is not None:
            types = {method: result for method, (_, result) in _REQUESTS.items()}
            return self._stateless.take(asked, types)
        return {name: await self._send_request(*it) for name, it in asked.items()}

    @cached_property
    def _stateless(self) -> StatelessAnswers | None:
        """What came with the request, in the stateless era."""
        ctx = self._ctx
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return None
        return StatelessAnswers(ctx.method, ctx.params, self._seal)

    async def _send_request(
        self, method: str, params: Mapping[str, object]
    ) -> Mapping[str, object]:
        request_type, result_type = _REQUESTS[method]
        request = request_type.model_validate({"method": method, "params": dict(params)})
        metadata = ServerMessageMetadata(related_request_id=self._ctx.request_id)
        try:
            answer = await self._ctx.session.send_request(request, result_type, metadata=metadata)
        except MCPError as error:
            raise ClientRefused(
                f"The client did not answer {method}: {error.message}",
                suggestion="Use a client that supports it, on a connection with a handshake.",
                data={"method": method},
            ) from error
        return answer.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def release_stream(self) -> None:
        """Close the HTTP stream of this request; the client reconnects for the answer."""
        if self._ctx.close_sse_stream is not None:
            await self._ctx.close_sse_stream()

    @cached_property
    def _stages(self) -> "_Stages":
        return _Stages()

    def _post_progress(self, progress: Progress | None) -> None:
        if progress is not None:
            report = self._ctx.session.report_progress
            self._post(partial(report, progress.done, progress.total, progress.message or None))

    def _post(self, send: Send) -> None:
        self.has_posted = True
        self._loop.call_soon_threadsafe(self._enqueue, send)

    def _enqueue(self, send: Send) -> None:
        self._queue.put_nowait(send)
        if self._sender is None:
            self._sender = self._loop.create_task(self._send_all())

    async def _send_all(self) -> None:
        while (send := await self._queue.get()) is not None:
            await send()


def _require_known(method: str) -> None:
    if method not in _REQUESTS:
        known = ", ".join(_REQUESTS)
        raise InvalidParams(f"Clients do not answer {method!r}", suggestion=f"Use {known}.")


def _wanted_levels(ctx: CallContext, peer: Peer) -> frozenset[LogLevel]:
    """Return the levels that the connection, or in the stateless era the request, asked for."""
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return _FROM[peer.log_level]
    asked = (ctx.meta or {}).get(LOG_LEVEL_META_KEY)
    return _FROM[asked] if asked in _LEVELS else frozenset()


def client_name(ctx: CallContext) -> str:
    """Return what the client of a request calls itself; empty if it has not said."""
    if ctx.method == "initialize":  # the session knows the client only after it
        info = (ctx.params or {}).get("clientInfo")
        return str(info.get("name", "")) if isinstance(info, Mapping) else ""
    params = ctx.session.client_params
    return "" if params is None else params.client_info.name
