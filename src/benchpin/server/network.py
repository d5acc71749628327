"""Serve clients over Streamable HTTP and WebSocket, on one port and one path."""

import asyncio
import errno
import logging
import math
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchpin.app import Settings
from benchpin.core import ConfigError

from .events import Sessions
from .guard import LOOPBACK, AccessRules, Guard
from .http import HttpFront
from .kernel import Kernel
from .logs import log_fields
from .signals import on_signals
from .websocket import WebSockets

if TYPE_CHECKING:
    from starlette.applications import Starlette

logger = logging.getLogger("benchpin.network")

PATH = "/mcp"
_HEAD_TIMEOUT_S = 10.0
_RETRY_MS = 1_000
_IDLE_SESSION_S = 1_800.0
_MOST_SESSIONS = 1_000
"""Sessions outlive connections: most clients never end theirs, so idle ones expire."""
_FRAME_FACTOR = 4
"""Frames of up to this many times the limit get an error; longer ones end the connection."""


@dataclass(frozen=True, slots=True)
class Network:
    """The ASGI application, and what to wait for before it ends."""

    app: "Starlette"
    http: HttpFront
    websockets: WebSockets


def build_network(kernel: Kernel, settings: Settings, ending: asyncio.Event) -> Network:
    """Build the application.

    Raises:
        ConfigError: when it would be reachable from the network without a token.
    """
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import Route, WebSocketRoute

    if settings.host not in LOOPBACK and not settings.auth_token:
        raise ConfigError(
            f"Listening on {settings.host} needs a token",
            suggestion="Set --auth-token (or BENCHPIN_AUTH_TOKEN), or listen on 127.0.0.1.",
        )
    limits = settings.limits
    manager = Sessions(
        app=kernel,
        max_request_body_size=limits.request_bytes,
        retry_interval=_RETRY_MS,
        session_idle_timeout=_IDLE_SESSION_S,
        max_sessions=_MOST_SESSIONS,
    )
    http = HttpFront(manager.handle_request, kernel, ending, 2 * _MOST_SESSIONS)
    websockets = WebSockets(kernel, ending)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    rules = AccessRules.at(settings.host, settings.auth_token)
    app = Starlette(
        routes=[Route(PATH, endpoint=http), WebSocketRoute(PATH, endpoint=websockets.serve)],
        middleware=[Middleware(Guard, rules=rules, connections=limits.connections)],
        lifespan=lifespan,
    )
    return Network(app, http, websockets)


async def serve_network(kernel: Kernel, settings: Settings) -> None:
    """Serve until a signal arrives, then finish the requests in flight.

    Raises:
        ConfigError: when the address cannot be listened on.
    """
    ending = asyncio.Event()
    network = build_network(kernel, settings, ending)
    listener = _listen(settings)
    server = _uvicorn_server(network, settings)
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
        await kernel.subscriptions.close()
        await network.http.drain(settings.limits.shutdown_s)
        await network.websockets.drain(settings.limits.shutdown_s)
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


def _uvicorn_server(network: Network, settings: Settings) -> Any:
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class HeadTimeoutProtocol(H11Protocol):
        """Closes a connection that does not finish its request head in time."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
            super().connection_made(transport)
            self.loop.call_later(_HEAD_TIMEOUT_S, self._close_if_silent)

        def _close_if_silent(self) -> None:
            if getattr(self, "cycle", None) is None:
                self.transport.close()

    class SignalFreeServer(uvicorn.Server):
        """Leaves signals to `on_signals`."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    limits = settings.limits
    return SignalFreeServer(
        uvicorn.Config(
            network.app,
            http=HeadTimeoutProtocol,
            ws="websockets-sansio",
            ws_max_size=_FRAME_FACTOR * limits.request_bytes,
            ws_per_message_deflate=False,
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=max(1, math.ceil(limits.shutdown_s)),
        )
    )
