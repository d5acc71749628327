"""Serve clients over Streamable HTTP and WebSocket, on one port and one path."""

import asyncio
import errno
import logging
import math
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import cast

import uvicorn  # noqa: TID253 - this module is imported only to serve the network

from benchpin.app import Settings, on_signals
from benchpin.core.errors import ConfigError
from benchpin.server import Kernel, Outbox, Peer, Session, log_fields
from benchpin.server.pipes import Oversized

from ._connections import HttpProtocol, TcpConnection, TcpConnections, WebSocketProtocol
from ._guard import LOOPBACK, AccessRules, Guard, Receive, Refusal, Scope, Send, answer, refuse
from ._http import HttpEndpoint

_GOING_AWAY = 1001
logger = logging.getLogger("benchpin.network")
PATH = "/mcp"
HEALTH, READY, METRICS = "/health", "/ready", "/metrics"
_PROBES = frozenset({HEALTH, READY})
_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# Frames of up to this many times the limit get an error; longer ones end the connection.
_FRAME_FACTOR = 4


class WebSocketEndpoint:
    """ASGI application that serves MCP over WebSocket."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._pumps: set[asyncio.Task[None]] = set()
        self._open: set[asyncio.Future[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection until the client goes or the server ends."""
        await receive()
        await send({"type": "websocket.accept"})
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._open.add(ended)
        try:
            await self._serve(TcpConnection.of(scope), receive, send)
        finally:
            self._open.discard(ended)
            ended.set_result(None)

    async def close(self, timeout_s: float) -> None:
        """Read no more, and wait until all requests are answered, at most `timeout_s`."""
        for pump in self._pumps:
            pump.cancel()
        if self._open:
            await asyncio.wait(set(self._open), timeout=timeout_s)

    async def _serve(self, link: TcpConnection, receive: Receive, send: Send) -> None:
        limits = self._kernel.limits
        peer = Peer.with_limits(limits, link.bucket)
        outbox = Outbox(self._kernel.unsent, peer, link.send_message, link.abort)
        session = Session(self._kernel, peer, outbox, "websocket")
        pump = asyncio.ensure_future(_pump(receive, session, limits.request_bytes))
        self._pumps.add(pump)
        # A pump that waits for a free slot does not notice that the client has gone.
        await asyncio.wait({pump, link.gone}, return_when=asyncio.FIRST_COMPLETED)
        self._pumps.discard(pump)
        # It is cancelled when the server ends; the client is still connected then.
        is_connected = pump.cancelled()
        pump.cancel()
        await session.finish(wait=is_connected)
        if is_connected:
            with suppress(RuntimeError, OSError):
                await send({"type": "websocket.close", "code": _GOING_AWAY})
        elif pump.done() and not pump.cancelled():
            pump.result()


async def _pump(receive: Receive, session: Session, max_bytes: int) -> None:
    """Take frames until the client disconnects."""
    while (frame := await receive())["type"] != "websocket.disconnect":
        text: str | None = frame.get("text")
        message: bytes = frame.get("bytes") or b"" if text is None else text.encode()
        if len(message) > max_bytes:
            await session.receive_oversized(Oversized.of(message))
        else:
            await session.receive(message)


class Network:
    """The ASGI application: MCP over HTTP and WebSocket at one path, and what operators ask."""

    def __init__(self, kernel: Kernel, settings: Settings) -> None:
        """Listen on other than loopback addresses only with a token.

        Raises:
            ConfigError: when there is none.
        """
        if settings.host not in LOOPBACK and not settings.auth_token:
            raise ConfigError(
                f"Listening on {settings.host} needs a token",
                suggestion="Set --auth-token (or BENCHPIN_AUTH_TOKEN), or listen on 127.0.0.1.",
            )
        self._http = HttpEndpoint(kernel)
        self._websocket = WebSocketEndpoint(kernel)
        self._traffic = kernel.traffic
        self._guarded = Guard(self._route, AccessRules.at(settings.host, settings.auth_token))
        self.is_ending = False
        """Whether it finishes what it has, and a load balancer should turn to others."""

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; probes need no token, and learn nothing but a word."""
        if scope["type"] == "http" and scope["path"] in _PROBES:
            is_fine = scope["path"] == HEALTH or not self.is_ending
            await answer(send, 200 if is_fine else 503, "ok" if is_fine else "ending")
        else:
            await self._guarded(scope, receive, send)

    async def close(self, timeout_s: float) -> None:
        """Wait until all requests are answered, at most `timeout_s`."""
        await asyncio.gather(self._http.close(), self._websocket.close(timeout_s))

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == METRICS:
            await answer(send, 200, self._traffic.text(), _METRICS_TYPE)
        elif scope["path"] != PATH:
            await refuse(scope, send, Refusal(404, f"Not found; use {PATH}"))
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._http(scope, receive, send)


async def serve_network(kernel: Kernel, settings: Settings) -> None:
    """Serve until a signal arrives, then finish the requests in flight.

    Raises:
        ConfigError: when the address cannot be listened on.
    """
    ending = asyncio.Event()
    network = Network(kernel, settings)
    listener = _listen(settings)
    server = uvicorn_server(network, settings)
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    log_fields(
        logger,
        logging.INFO,
        {
            "event": "listening",
            "http": f"http://{shown}:{port}{PATH}",
            "websocket": f"ws://{shown}:{port}{PATH}",
        },
    )
    with on_signals(ending.set):
        serving = asyncio.ensure_future(server.serve(sockets=[listener]))
        ended = asyncio.ensure_future(ending.wait())
        await asyncio.wait({serving, ended}, return_when=asyncio.FIRST_COMPLETED)
        network.is_ending = True
        for listening in server.servers:  # a load balancer turns to others at once
            listening.close()
        await kernel.subscriptions.close()
        await network.close(settings.limits.shutdown_s)
        server.should_exit = True
        await serving
    await kernel.close()


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only if the protocol is named; with it, answers take
    # 40 ms longer.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen()
    except OSError as error:
        listener.close()
        is_host = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
        hint = "Choose another --port, or --port 0 for any free one."
        raise ConfigError(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror}",
            suggestion="Choose another --host: an address of this machine." if is_host else hint,
        ) from error
    return listener


def uvicorn_server(network: Network, settings: Settings) -> uvicorn.Server:
    """Return the server of the application, which does not listen yet."""
    limits = settings.limits
    protocol = partial(HttpProtocol, connections=TcpConnections(limits), head_s=limits.head_s)
    return SignalFreeServer(
        uvicorn.Config(
            network.app,
            http=cast("type[HttpProtocol]", protocol),
            ws=WebSocketProtocol,
            ws_max_size=_FRAME_FACTOR * limits.request_bytes,
            ws_per_message_deflate=False,
            interface="asgi3",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=max(1, math.ceil(limits.shutdown_s)),
        )
    )


class SignalFreeServer(uvicorn.Server):
    """Leaves signals to `on_signals`."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
