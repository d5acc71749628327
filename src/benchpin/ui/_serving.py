"""Serve the pages on loopback until the user ends it; slow requests are not waited for."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import h11
import uvicorn  # noqa: TID253 - this module is imported only to serve pages
from uvicorn.protocols.http.h11_impl import H11Protocol  # noqa: TID253 - as above
from uvicorn.server import ServerState  # noqa: TID253 - as above

from benchpin.app import Workbench, on_signals
from benchpin.code.changes import UNCOMMITTED
from benchpin.core.errors import ConfigError

from ._access import Access
from ._app import PageApp

# The time for a head with its body: our own pages send both at once.
REQUEST_S = 10.0
# States of a client that has sent no head yet, or not all of the body.
_UNFINISHED = frozenset({h11.IDLE, h11.SEND_BODY})
HOST = "127.0.0.1"
# How long open streams of events may hold up the end.
_GRACE_S = 1


class PageProtocol(H11Protocol):
    """uvicorn's protocol, which itself waits for the rest of a request for ever."""

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        request_s: float = REQUEST_S,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._request_s = request_s
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take data; what is not a whole request has to become one in time."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the rest of the next request, if some of it is here already."""
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state not in _UNFINISHED:
            self._forget()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self._request_s, self.transport.abort)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


async def serve_pages(
    workbench: Workbench, port: int, on_listening: Callable[[str], None], diff: str = ""
) -> None:
    """Serve until SIGINT or SIGTERM; `on_listening` gets the address with its key.

    With `diff` the address is that of the page of this change.

    Raises:
        ConfigError: when the port cannot be listened on.
    """
    listener = _listen(port)
    access = Access(listener.getsockname()[1])
    pages = PageApp(workbench, access, diff or UNCOMMITTED)
    server = PageServer(
        uvicorn.Config(
            pages.app,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            http=PageProtocol,
            timeout_graceful_shutdown=_GRACE_S,
        ),
        pages.close,
    )
    stop = asyncio.Event()
    watching = asyncio.create_task(pages.watch(stop))
    on_listening(access.address("/change" if diff else "/"))
    try:
        await server.serve(sockets=[listener])
    finally:
        stop.set()
        watching.cancel()


class PageServer(uvicorn.Server):
    """Ends in good order on a signal; uvicorn's own would send the signal again at the end."""

    def __init__(self, config: uvicorn.Config, on_stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_stop = on_stop

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with on_signals(self._stop):
            yield

    def _stop(self) -> None:
        self._on_stop()
        self.should_exit = True


def _listen(port: int) -> socket.socket:
    # The protocol is named, so that asyncio turns Nagle's algorithm off.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"Cannot listen on {HOST} port {port}: {error.strerror}",
            suggestion="Choose another --port, or none for any free one.",
        ) from error
    return listener
