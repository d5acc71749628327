"""Our connections, in the form that the SDK expects."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext

from .jsonrpc import INTERNAL_ERROR, Json, RequestId, Response


@dataclass(slots=True)
class _Questions:
    """The requests to a client that it has not answered yet."""

    waiting: dict[RequestId, asyncio.Future[dict[str, Any]]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))


class Outbound:
    """Sends notifications and requests to the client, and matches answers to requests."""

    def __init__(
        self, send: Callable[[Json], Awaitable[None]], questions: "_Questions | None" = None
    ) -> None:
        self._send = send
        self._questions = questions or _Questions()

    def through(self, send: Callable[[Json], Awaitable[None]]) -> "Outbound":
        """Return one that sends another way; answers are matched in either."""
        return Outbound(send, self._questions)

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
    """One message: the SDK's `DispatchContext`."""

    def __init__(
        self,
        outbound: Outbound,
        request_id: RequestId,
        metadata: ServerMessageMetadata,
        transport: TransportContext,
        progress_token: str | int | None = None,
    ) -> None:
        self._outbound = outbound
        self._progress_token = progress_token
        self.request_id = request_id
        self.message_metadata = metadata
        self.transport = transport

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
        if self._progress_token is None:
            return
        report: Json = {"progressToken": self._progress_token, "progress": progress}
        if total is not None:
            report["total"] = total
        if message is not None:
            report["message"] = message
        await self._outbound.notify("notifications/progress", report)
