"""The protocol era of a connection, and the SDK's runner for it.

The first request decides, as in the SDK: with the 2026-07-28 envelope the connection is stateless,
otherwise it uses a handshake. Clients that skip the handshake are served as 2024-11-05.
"""

from collections.abc import Callable, Mapping
from enum import Enum, auto
from functools import partial
from typing import Any

from mcp.server.connection import Connection, NotifyOnlyOutbound
from mcp.server.runner import ServerRunner, aclose_shielded, serve_one
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import InboundLadderRejection, classify_inbound_request
from mcp.shared.transport_context import TransportContext
from mcp_types import PROTOCOL_VERSION_META_KEY, UNSUPPORTED_PROTOCOL_VERSION
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS

from benchpin.server.wire import NUMBERED_ERRORS_VERSION, Channel

from ._kernel import Kernel
from ._peer import Peer
from ._sdk_adapter import Exchange, Outbound
from .jsonrpc import INVALID_REQUEST, Json, Notification, Request

# Defaults for an `initialize` with incomplete params.
_SILENT_CLIENT: Json = {
    "protocolVersion": NUMBERED_ERRORS_VERSION,
    "capabilities": {},
    "clientInfo": {"name": "unknown", "version": ""},
}
_NO_HANDSHAKE_NEEDED = frozenset({"ping", "initialize"})


class Era(Enum):
    """The two kinds of connections."""

    HANDSHAKE = auto()
    STATELESS = auto()


class Router:
    """Passes calls of tools to the kernel and all else to the SDK, in the era of the connection."""

    def __init__(self, kernel: Kernel, peer: Peer, outbound: Outbound, transport: str) -> None:
        self._kernel = kernel
        self._peer = peer
        self._outbound = outbound
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

    async def request(self, request: Request, channel: Channel) -> dict[str, Any]:
        """Serve a request; messages about it go to `channel`.

        Raises:
            MCPError, ValidationError: what the SDK and the handlers raise.
        """
        if self._era is None:
            self._open(request)
        if self._era is Era.STATELESS:
            return await self._stateless(request, channel)
        params = request.params
        if params and "_meta" in params and has_envelope(params) and request.method != "initialize":
            raise MCPError(
                INVALID_REQUEST,
                "This connection began with a handshake; send stateless requests on "
                "another connection",
            )
        connection = self._connection
        exchange = Exchange(
            request,
            self._peer,
            self._duplex if channel.can_ask else self._one_way,
            self._outbound,
            self._for_handshake,
            connection.protocol_version,
            channel,
        )
        if connection.initialize_accepted and request.method in self._kernel.served_directly:
            return await self._kernel.traffic(exchange, self._kernel.tools.call)
        if request.method == "initialize":
            params = {**_SILENT_CLIENT, **(params or {})}
        return await self._runner.on_request(exchange, request.method, params)

    async def notification(self, notification: Notification) -> None:
        """Pass on a notification."""
        connect: Callable[[], Connection]
        if self._era is Era.STATELESS:
            connect = partial(self._for_envelope, LATEST_MODERN_VERSION, None, None)
            runner = ServerRunner(self._kernel, connect(), self._peer)
            transport, version = self._one_way, LATEST_MODERN_VERSION
        else:
            connect, runner = self._for_handshake, self._runner
            transport, version = self._duplex, self.protocol_version
        exchange = Exchange(notification, self._peer, transport, self._outbound, connect, version)
        await runner.on_notify(exchange, notification.method, notification.params)

    async def close(self) -> None:
        """Run the cleanup of the connection."""
        await aclose_shielded(self._connection)

    def _open(self, request: Request) -> None:
        if request.method != "initialize" and has_envelope(request.params):
            self._era = Era.STATELESS
        elif is_modern(request.params):
            self._era = Era.STATELESS  # where `initialize` is no method any more
        elif request.method == "initialize":
            self._era = Era.HANDSHAKE
        elif request.method not in _NO_HANDSHAKE_NEEDED:
            self._era = Era.HANDSHAKE
            self._connection.initialized.set()

    async def _stateless(self, request: Request, channel: Channel) -> dict[str, Any]:
        if request.method == "initialize" and not is_modern(request.params):
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
        version = route.protocol_version
        connect = partial(self._for_envelope, version, route.client_info, route.client_capabilities)
        exchange = Exchange(
            request, self._peer, self._one_way, self._outbound, connect, version, channel
        )
        if request.method in self._kernel.served_directly:
            return await self._kernel.traffic(exchange, self._kernel.tools.call)
        return await serve_one(
            self._kernel,
            exchange,
            request.method,
            request.params,
            connection=connect(),
            lifespan_state=self._peer,
        )

    def _for_handshake(self) -> Connection:
        return self._connection

    def _for_envelope(self, version: str, info: Any, capabilities: Any) -> Connection:
        outbound = NotifyOnlyOutbound(self._outbound)
        return Connection.from_envelope(version, info, capabilities, outbound=outbound)


def is_modern(params: Mapping[str, object] | None) -> bool:
    """Whether a request says that it is of a version without a handshake."""
    meta = (params or {}).get("_meta")
    return (
        isinstance(meta, Mapping)
        and meta.get(PROTOCOL_VERSION_META_KEY) in MODERN_PROTOCOL_VERSIONS
    )


def has_envelope(params: Mapping[str, object] | None) -> bool:
    """Whether a request has the per-request envelope of the stateless era."""
    meta = (params or {}).get("_meta")
    return isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta
