"""The SDK's view of one message on a connection of ours, and of the connection itself."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext

from .jsonrpc import INTERNAL_ERROR, Json, RequestId, Response

_REFUSED = -32000


class Outbound:
    """Sends notifications and requests to the client, and matches its answers."""

    def __init__(self, send: Callable[[Json], Awaitable[None]]) -> None:
        self._send = send
        self._asked: dict[RequestId, asyncio.Future[dict[str, Any]]] = {}
        self._count = 0

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
        """Ask the client and await its answer.

        Raises:
            MCPError: when it refuses.
        """
        self._count += 1
        request_id = f"benchpin-{self._count}"
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[request_id] = answer
        try:
            await self._send(
                {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}
            )
            return await asyncio.wait_for(answer, (opts or {}).get("timeout"))
        finally:
            del self._asked[request_id]

    def resolve(self, response: Response) -> None:
        """Take the client's answer; one that nobody waits for is ignored."""
        waiting = self._asked.get(response.id)
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
        """Tell everybody who waits that no answer will come."""
        for waiting in self._asked.values():
            if not waiting.done():
                waiting.set_exception(MCPError(_REFUSED, "Connection closed"))


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
        """Whether the client may be asked something back."""
        return self.transport.can_send_request

    @property
    def cancel_requested(self) -> anyio.Event:
        """Part of the protocol; our sessions cancel the task itself."""
        return anyio.Event()

    async def notify(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> None:
        """Send a notification that belongs to this message."""
        await self._outbound.notify(method, params, opts)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Ask the client while its request is being served.

        Raises:
            NoBackChannelError: where the protocol forbids it.
        """
        if not self.can_send_request:
            raise NoBackChannelError(method)
        return await self._outbound.send_raw_request(method, params, opts)

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell how far this request is, if the client wants to know."""
        if self._progress_token is None:
            return
        report: Json = {"progressToken": self._progress_token, "progress": progress}
        if total is not None:
            report["total"] = total
        if message is not None:
            report["message"] = message
        await self._outbound.notify("notifications/progress", report)
