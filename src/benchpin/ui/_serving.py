"""Serve the pages on loopback until the user ends it."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn  # noqa: TID253 - this module is imported only to serve pages

from benchpin.app import Workbench, on_signals
from benchpin.core.errors import ConfigError

from ._access import Access
from ._app import PageApp
from ._protocol import PageProtocol

HOST = "127.0.0.1"
# How long open streams of events may hold up the end.
_GRACE_S = 1


async def serve_pages(workbench: Workbench, port: int, on_listening: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; `on_listening` gets the address with its key.

    Raises:
        ConfigError: when the port cannot be listened on.
    """
    listener = _listen(port)
    access = Access(listener.getsockname()[1])
    pages = PageApp(workbench, access)
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
    on_listening(access.address)
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
        """Stop on SIGINT and SIGTERM."""
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
