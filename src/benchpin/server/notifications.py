"""Progress and log notifications of one call, sent from whatever thread the tool runs on."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property, partial
from typing import Any, get_args

from mcp_types import (
    LOG_LEVEL_META_KEY,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from benchpin.core import LogLevel, Progress

from .peer import Context, Peer, peer_of

_LEVELS: tuple[LogLevel, ...] = get_args(LogLevel)
_FROM: dict[LogLevel, frozenset[LogLevel]] = {
    level: frozenset(_LEVELS[at:]) for at, level in enumerate(_LEVELS)
}
_LOGGER = "benchpin"

Send = Callable[[], Awaitable[None]]


class Reporter:
    """Queues what a tool reports and sends it in order before the answer."""

    def __init__(self, ctx: Context) -> None:
        meta: Mapping[str, Any] = ctx.meta or {}
        self._ctx = ctx
        self._loop = asyncio.get_running_loop()
        self._sender: asyncio.Task[None] | None = None
        # An in-process client has no token: its callback stands behind the session itself.
        self._wants_progress = "progress_token" in meta or ctx.request is None
        self._levels = _wanted_levels(ctx.protocol_version, meta, peer_of(ctx))
        self._last = -1.0
        self._has_posted = False

    @cached_property
    def _queue(self) -> "asyncio.Queue[Send | None]":
        return asyncio.Queue()

    def progress(self, progress: Progress) -> None:
        """Take a report; sent when the caller wants it. It must increase, says the protocol."""
        if not self._wants_progress or progress.done <= self._last:
            return
        self._last = progress.done
        report = self._ctx.session.report_progress
        self._post(partial(report, progress.done, progress.total, progress.message or None))

    def log(self, level: LogLevel, message: str) -> None:
        """Take a log line; sent when the client wants that level."""
        if level in self._levels:
            params = LoggingMessageNotificationParams(level=level, data=message, logger=_LOGGER)
            notification = LoggingMessageNotification(params=params)
            send = self._ctx.session.send_notification
            self._post(partial(send, notification, self._ctx.request_id))

    async def finish(self) -> None:
        """Send what is still queued."""
        if not self._has_posted:
            return
        await asyncio.sleep(0)  # what a thread posted last is enqueued now
        if self._sender is not None:
            self._queue.put_nowait(None)
            await self._sender

    def _post(self, send: Send) -> None:
        self._has_posted = True
        self._loop.call_soon_threadsafe(self._enqueue, send)

    def _enqueue(self, send: Send) -> None:
        self._queue.put_nowait(send)
        if self._sender is None:
            self._sender = self._loop.create_task(self._send_all())

    async def _send_all(self) -> None:
        while (send := await self._queue.get()) is not None:
            await send()


def _wanted_levels(
    protocol_version: str, meta: Mapping[str, Any], peer: Peer
) -> frozenset[LogLevel]:
    """What the connection set or, in the stateless era, what the request asks."""
    threshold = peer.log_level
    if protocol_version in MODERN_PROTOCOL_VERSIONS:
        asked = meta.get(LOG_LEVEL_META_KEY)
        if asked not in _LEVELS:
            return frozenset()
        threshold = asked
    return _FROM[threshold]
