"""The protocol era of a connection, and the SDK's runner for it.

The first request decides, as in the SDK: with the 2026-07-28 envelope the connection is stateless,
otherwise it uses a handshake. Clients that skip the handshake are served as 2024-11-05.
"""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

from mcp.server.connection import Connection, NotifyOnlyOutbound
from mcp.server.runner import ServerRunner, aclose_shielded, serve_one
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import InboundLadderRejection, classify_inbound_request
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types import PROTOCOL_VERSION_META_KEY, UNSUPPORTED_PROTOCOL_VERSION
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS

from .channel import Channel
from .jsonrpc import INVALID_REQUEST, Json, Notification, Request
from .kernel import Kernel
from .peer import Peer
from .sdk_adapter import Exchange, Outbound
from .wire_errors import NUMBERED_ERRORS_VERSION

_SILENT_CLIENT: Json = {
    "protocolVersion": NUMBERED_ERRORS_VERSION,
    "capabilities": {},
    "clientInfo": {"name": "unknown", "version": ""},
}
"""Defaults for an `initialize` with incomplete params."""
_NO_HANDSHAKE_NEEDED = frozenset({"ping", "initialize"})


class Era(Enum):
    """The two kinds of connections."""

    HANDSHAKE = auto()
    STATELESS = auto()


class Router:
    """Passes messages to the SDK, in the era of their connection."""

    def __init__(self, kernel: Kernel, peer: Peer, outbound: Outbound, transport: str) -> None:
        self._kernel = kernel
        self._peer = peer
        self._outbound = outbound
        self._metadata = ServerMessageMetadata(request_context=peer)
        self._duplex = TransportContext(kind=transport, can_send_request=True)
        self._one_way = TransportContext(kind=transport, can_send_request=False)
        self._era: Era | None = None
        self._connection = Connection.for_loop(
            outbound, session_id=peer.id, protocol_version_hint=NUMBERED_ERRORS_VERSION
        )
        self._runner = ServerRunner(kernel, self._connection, peer)

    @property
    def protocol_version(self) -> str:
        """The version that the handshake agreed on."""
        return self._connection.protocol_version

    async def request(
        self, request: Request, channel: Channel, outbound: Outbound
    ) -> dict[str, Any]:
        """Serve a request; `outbound` sends the messages about it on `channel`.

        Raises:
            MCPError, ValidationError: what the SDK and the handlers raise.
        """
        if self._era is None:
            self._open(request)
        if self._era is Era.STATELESS:
            return await self._stateless(request, channel, outbound)
        if request.method != "initialize" and has_envelope(request.params):
            raise MCPError(
                INVALID_REQUEST,
                "This connection began with a handshake; send stateless requests on "
                "another connection",
            )
        transport = self._duplex if channel.can_ask else self._one_way
        exchange = self._exchange(request, transport, channel, outbound)
        params = request.params
        if request.method == "initialize":
            params = {**_SILENT_CLIENT, **(params or {})}
        return await self._runner.on_request(exchange, request.method, params)

    async def notification(self, notification: Notification) -> None:
        """Pass on a notification."""
        if self._era is Era.STATELESS:
            connection = self._envelope_connection(LATEST_MODERN_VERSION, None, None)
            runner = ServerRunner(self._kernel, connection, self._peer)
            transport = self._one_way
        else:
            runner, transport = self._runner, self._duplex
        exchange = Exchange(self._outbound, None, self._metadata, transport)
        await runner.on_notify(exchange, notification.method, notification.params)

    async def close(self) -> None:
        """Run the cleanup of the connection."""
        await aclose_shielded(self._connection)

    def _open(self, request: Request) -> None:
        if request.method != "initialize" and has_envelope(request.params):
            self._era = Era.STATELESS
        elif request.method == "initialize":
            self._era = Era.HANDSHAKE
        elif request.method not in _NO_HANDSHAKE_NEEDED:
            self._era = Era.HANDSHAKE
            self._connection.initialized.set()

    async def _stateless(
        self, request: Request, channel: Channel, outbound: Outbound
    ) -> dict[str, Any]:
        if request.method == "initialize":
            raise MCPError(
                UNSUPPORTED_PROTOCOL_VERSION,
                "This connection is stateless and does not accept a handshake",
                {
                    "supported": list(MODERN_PROTOCOL_VERSIONS),
                    "requested": str((request.params or {}).get("protocolVersion", "")),
                },
            )
        route = classify_inbound_request({"method": request.method, "params": request.params})
        if isinstance(route, InboundLadderRejection):
            raise MCPError(route.code, route.message, route.data)
        return await serve_one(
            self._kernel,
            self._exchange(request, self._one_way, channel, outbound),
            request.method,
            request.params,
            connection=self._envelope_connection(
                route.protocol_version, route.client_info, route.client_capabilities
            ),
            lifespan_state=self._peer,
        )

    def _envelope_connection(self, version: str, info: Any, capabilities: Any) -> Connection:
        outbound = NotifyOnlyOutbound(self._outbound)
        return Connection.from_envelope(version, info, capabilities, outbound=outbound)

    def _exchange(
        self, request: Request, transport: TransportContext, channel: Channel, outbound: Outbound
    ) -> Exchange:
        metadata = self._metadata
        if channel.release is not None:
            metadata = ServerMessageMetadata(
                request_context=self._peer, close_sse_stream=channel.release
            )
        token = progress_token_from_params(request.params)
        return Exchange(outbound, request.id, metadata, transport, token)


def has_envelope(params: Mapping[str, object] | None) -> bool:
    """Whether a request has the per-request envelope of the stateless era."""
    meta = (params or {}).get("_meta")
    return isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta
