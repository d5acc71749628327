"""HTTP connections of the pages: a request that does not arrive in time is not waited for."""

import asyncio
from typing import Any

import h11
import uvicorn  # noqa: TID253 - this module is imported only to serve pages
from uvicorn.protocols.http.h11_impl import H11Protocol  # noqa: TID253 - as above
from uvicorn.server import ServerState  # noqa: TID253 - as above

# The time for a head with its body: our own pages send both at once.
REQUEST_S = 10.0
# States of a client that has sent no head yet, or not all of the body.
_UNFINISHED = frozenset({h11.IDLE, h11.SEND_BODY})


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
        """Wait for a request."""
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
        """Stop waiting."""
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
