"""Progress and log notifications of one call, sent from any thread."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cached_property, partial
from typing import get_args

from mcp_types import (
    LOG_LEVEL_META_KEY,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from benchpin.core import LogLevel, Progress

from .peer import Context, Peer

_LEVELS: tuple[LogLevel, ...] = get_args(LogLevel)
_FROM: dict[LogLevel, frozenset[LogLevel]] = {
    level: frozenset(_LEVELS[at:]) for at, level in enumerate(_LEVELS)
}
_LOGGER = "benchpin"

Send = Callable[[], Awaitable[None]]


class _Stages:
    """Joins the progress of consecutive stages: MCP requires that progress increases."""

    def __init__(self) -> None:
        self._before = 0.0
        self._last = Progress(-1.0, None, "")

    def count(self, progress: Progress) -> Progress | None:
        """Return the progress over all stages; None if nothing is new.

        A new stage counts as one step.
        """
        last, self._last = self._last, progress
        is_new = progress.message != last.message
        if progress.done < last.done or (is_new and progress.done == last.done):
            self._before += last.done + 1
        elif progress.done == last.done:
            return None
        total = None if progress.total is None else self._before + progress.total
        return Progress(self._before + progress.done, total, progress.message)


class Reporter:
    """Queues the notifications of a call and sends them in order, before the answer."""

    def __init__(self, ctx: Context, peer: Peer) -> None:
        self._ctx = ctx
        self._peer = peer
        self._loop = asyncio.get_running_loop()
        self._sender: asyncio.Task[None] | None = None
        # An in-process client has no token: the session itself calls its callback.
        self._wants_progress = ctx.request is None or "progress_token" in (ctx.meta or {})
        self.has_posted = False
        """Whether anything was queued."""

    @cached_property
    def _queue(self) -> "asyncio.Queue[Send | None]":
        return asyncio.Queue()

    def progress(self, progress: Progress) -> None:
        """Queue a progress notification, if the caller asked for them."""
        counted = self._stages.count(progress) if self._wants_progress else None
        if counted is not None:
            report = self._ctx.session.report_progress
            self._post(partial(report, counted.done, counted.total, counted.message or None))

    def log(self, level: LogLevel, message: str) -> None:
        """Queue a log message, if the client asked for its level."""
        if level in _wanted_levels(self._ctx, self._peer):
            params = LoggingMessageNotificationParams(level=level, data=message, logger=_LOGGER)
            notification = LoggingMessageNotification(params=params)
            send = self._ctx.session.send_notification
            self._post(partial(send, notification, self._ctx.request_id))

    async def finish(self) -> None:
        """Send what is still queued."""
        await asyncio.sleep(0)  # lets the callbacks run that a thread has scheduled
        if self._sender is not None:
            self._queue.put_nowait(None)
            await self._sender

    @cached_property
    def _stages(self) -> "_Stages":
        return _Stages()

    def _post(self, send: Send) -> None:
        self.has_posted = True
        self._loop.call_soon_threadsafe(self._enqueue, send)

    def _enqueue(self, send: Send) -> None:
        self._queue.put_nowait(send)
        if self._sender is None:
            self._sender = self._loop.create_task(self._send_all())

    async def _send_all(self) -> None:
        while (send := await self._queue.get()) is not None:
            await send()


def _wanted_levels(ctx: Context, peer: Peer) -> frozenset[LogLevel]:
    """Return the levels that the connection, or in the stateless era the request, asked for."""
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return _FROM[peer.log_level]
    asked = (ctx.meta or {}).get(LOG_LEVEL_META_KEY)
    return _FROM[asked] if asked in _LEVELS else frozenset()
