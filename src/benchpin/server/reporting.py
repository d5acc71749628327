"""Progress and log notifications of one call, sent from whatever thread the tool runs on."""

import asyncio
from collections.abc import Mapping
from typing import Any, get_args

from mcp_types import (
    LOG_LEVEL_META_KEY,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    ProgressNotification,
    ProgressNotificationParams,
    ServerNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from benchpin.core import LogLevel, Progress

from .peer import Context, Peer, peer_of

_LEVELS: tuple[LogLevel, ...] = get_args(LogLevel)
_LOGGER = "benchpin"


class Reporter:
    """Queues what a tool reports and sends it in order before the answer."""

    def __init__(self, ctx: Context) -> None:
        meta: Mapping[str, Any] = ctx.meta or {}
        self._ctx = ctx
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[ServerNotification | None] = asyncio.Queue()
        self._sender: asyncio.Task[None] | None = None
        self._token: str | int | None = meta.get("progress_token")
        self._levels = _wanted_levels(ctx.protocol_version, meta, peer_of(ctx))
        self._last = -1.0
        self._has_posted = False

    def progress(self, progress: Progress) -> None:
        """Take a report; sent when the caller gave a token. Must increase, says the protocol."""
        if self._token is None or progress.done <= self._last:
            return
        self._last = progress.done
        self._post(
            ProgressNotification(
                params=ProgressNotificationParams(
                    progress_token=self._token,
                    progress=progress.done,
                    total=progress.total,
                    message=progress.message or None,
                )
            )
        )

    def log(self, level: LogLevel, message: str) -> None:
        """Take a log line; sent when the client wants that level."""
        if level in self._levels:
            self._post(
                LoggingMessageNotification(
                    params=LoggingMessageNotificationParams(
                        level=level, data=message, logger=_LOGGER
                    )
                )
            )

    async def finish(self) -> None:
        """Send what is still queued."""
        if not self._has_posted:
            return
        await asyncio.sleep(0)  # what a thread posted last is enqueued now
        if self._sender is not None:
            self._queue.put_nowait(None)
            await self._sender

    def _post(self, notification: ServerNotification) -> None:
        self._has_posted = True
        self._loop.call_soon_threadsafe(self._enqueue, notification)

    def _enqueue(self, notification: ServerNotification) -> None:
        self._queue.put_nowait(notification)
        if self._sender is None:
            self._sender = self._loop.create_task(self._send_all())

    async def _send_all(self) -> None:
        while (notification := await self._queue.get()) is not None:
            await self._ctx.session.send_notification(notification, self._ctx.request_id)


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
    return frozenset(_LEVELS[_LEVELS.index(threshold) :])
