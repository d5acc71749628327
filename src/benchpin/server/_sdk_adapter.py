"""Our connections, in the form that the SDK expects."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import anyio
from mcp.server.connection import Connection
from mcp.server.session import ServerSession
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types import RequestParams, RequestParamsMeta
from pydantic import ValidationError

from benchpin.server.wire import Channel

from ._peer import Context, Peer
from .jsonrpc import INTERNAL_ERROR, Json, Notification, Request, RequestId, Response

Post = Callable[[Json], Awaitable[None]]
SendOn = Callable[[Channel, Json], Awaitable[None]]


@dataclass(slots=True)
class _Questions:
    """The requests to a client that it has not answered yet."""

    waiting: dict[RequestId, asyncio.Future[dict[str, Any]]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))


class Outbound:
    """Sends notifications and requests to the client, and matches answers to requests."""

    def __init__(self, send: Post, send_on: SendOn, questions: "_Questions | None" = None) -> None:
        self._send = send
        self._send_on = send_on
        self._questions = questions or _Questions()

    def through(self, channel: Channel) -> "Outbound":
        """Return one that sends on a channel; answers are matched in either."""
        return Outbound(partial(self._send_on, channel), self._send_on, self._questions)

    async def notify(
        self, method: str, params: Mapping[str, Any] | None, _opts: CallOptions | None = None
    ) -> None:
        """Send a notification."""
        notification: Json = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            notification["params"] = params
        await self._send(notification)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Send a request to the client and return its answer.

        Raises:
            MCPError: when it refuses.
        """
        request_id = f"benchpin-{next(self._questions.numbers)}"
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._questions.waiting[request_id] = answer
        try:
            await self._send(
                {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}
            )
            return await asyncio.wait_for(answer, (opts or {}).get("timeout"))
        finally:
            del self._questions.waiting[request_id]

    def resolve(self, response: Response) -> None:
        """Pass on an answer of the client; an unexpected one is ignored."""
        waiting = self._questions.waiting.get(response.id)
        if waiting is None or waiting.done():
            return
        if response.error is None:
            waiting.set_result(response.result or {})
            return
        code, message = response.error.get("code"), response.error.get("message")
        waiting.set_exception(
            MCPError(
                code if isinstance(code, int) else INTERNAL_ERROR,
                str(message),
                response.error.get("data"),
            )
        )

    def close(self) -> None:
        """Fail all requests that are still waiting for an answer."""
        for waiting in self._questions.waiting.values():
            if not waiting.done():
                waiting.set_exception(MCPError(INTERNAL_ERROR, "Connection closed"))


class Exchange:
    """One message: the SDK's `DispatchContext`, and what tools need of its request context.

    Most calls send nothing but their answer, so what others need is made when it is asked for.
    """

    close_standalone_sse_stream = None

    def __init__(
        self,
        message: Request | Notification,
        peer: Peer,
        transport: TransportContext,
        outbound: Outbound,
        connect: Callable[[], Connection],
        protocol_version: str,
        channel: Channel | None = None,
    ) -> None:
        """Send messages about it on `channel`; `connect` returns the SDK's connection."""
        self.method = message.method
        self.params: Mapping[str, Any] | None = message.params
        self.request_id = message.id if isinstance(message, Request) else None
        self.request = self.lifespan_context = peer
        self.protocol_version = protocol_version
        self.transport = transport
        self.close_sse_stream = None if channel is None else channel.release
        self._channel = channel
        self._connect = connect
        self._connection_outbound = outbound

    @cached_property
    def meta(self) -> RequestParamsMeta | None:
        """The `_meta` of the request; None if there is none, or it is malformed."""
        if not self.params or "_meta" not in self.params:
            return None
        try:
            return RequestParams.model_validate(self.params, by_name=False).meta
        except ValidationError:
            return None

    @cached_property
    def session(self) -> ServerSession:
        """Sends to the client."""
        return ServerSession(self, self._connect(), request_meta=self.meta)

    @property
    def message_metadata(self) -> ServerMessageMetadata:
        """What the SDK passes on to handlers."""
        return ServerMessageMetadata(
            request_context=self.request, close_sse_stream=self.close_sse_stream
        )

    @cached_property
    def _outbound(self) -> Outbound:
        outbound = self._connection_outbound
        return outbound if self._channel is None else outbound.through(self._channel)

    @property
    def can_send_request(self) -> bool:
        """Whether requests to the client are possible."""
        return self.transport.can_send_request

    @property
    def cancel_requested(self) -> anyio.Event:
        """Required by the SDK, never set: our sessions cancel the task instead."""
        return anyio.Event()

    async def notify(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> None:
        """Send a notification about this message."""
        await self._outbound.notify(method, params, opts)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Send a request to the client while its own is being served.

        Raises:
            NoBackChannelError: in the stateless era.
        """
        if not self.can_send_request:
            raise NoBackChannelError(method)
        return await self._outbound.send_raw_request(method, params, opts)

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Report progress, if the client asked for it."""
        token = progress_token_from_params(self.params)
        if token is None:
            return
        report: Json = {"progressToken": token, "progress": progress}
        if total is not None:
            report["total"] = total
        if message is not None:
            report["message"] = message
        await self._outbound.notify("notifications/progress", report)


# What is known about a request: by the SDK, or by us alone.
CallContext = Context | Exchange
