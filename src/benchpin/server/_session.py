"""One connection: check, count, serve and answer every message."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from mcp.shared.exceptions import MCPError
from pydantic import ValidationError
from pydantic_core import from_json

from benchpin.core.errors import ResponseTooLarge
from benchpin.server.pipes import Oversized
from benchpin.server.wire import (
    Channel,
    error_envelope,
    fault_envelope,
    internal_error,
    invalid_params,
    invalid_request,
    protocol_error,
    shutting_down,
    too_large,
)

from ._kernel import Kernel
from ._logs import log_fields
from ._peer import Event, InvalidTransition, Lifecycle, Peer, State
from ._request_log import log_refusal
from ._routing import Router
from ._sdk_adapter import Outbound
from ._unsent import BatchAnswers, Claim, current_claim
from .jsonrpc import (
    INTERNAL_ERROR,
    Batch,
    Fault,
    Json,
    Message,
    Notification,
    Request,
    RequestId,
    Response,
    decode,
    encode,
    encode_answer,
    rate_limited,
    request_within,
)

logger = logging.getLogger("benchpin.protocol")

Answer = Callable[[bytes], Awaitable[None]]

# Requests that last until the connection ends.
_ENDLESS = frozenset({"subscriptions/listen"})
# Methods whose answers are made and counted on threads, as those of tools are.
_ON_THREADS = "resources/"


@dataclass(slots=True, eq=False)
class _InFlight:
    request: Request
    channel: Channel
    answer: Answer
    """Takes the answer: of the channel, or of a batch."""
    task: asyncio.Task[Any] | None = None
    is_cancelled: bool = False


class Session:
    """Serves one client over any transport that delivers whole messages."""

    def __init__(self, kernel: Kernel, peer: Peer, channel: Channel, transport: str) -> None:
        """Send what belongs to no request, and by default everything else, on `channel`."""
        self._kernel = kernel
        self._channel = channel
        self._limits = kernel.limits
        self._peer = peer
        self._outbound = Outbound(self._post, self._send)
        self._router = Router(kernel, peer, self._outbound, transport)
        self._lifecycle = Lifecycle()
        self._slots = asyncio.Semaphore(kernel.limits.in_flight)
        self._by_id: dict[RequestId, _InFlight] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def state(self) -> State:
        """The state of the connection."""
        return self._lifecycle.state

    @property
    def is_ending(self) -> bool:
        """Whether the connection takes no more requests."""
        return self._lifecycle.is_ending

    @property
    def protocol_version(self) -> str:
        """The version that the handshake agreed on."""
        return self._router.protocol_version

    async def receive(self, raw: bytes | str) -> None:
        """Start serving a message; wait first while too many requests are in flight."""
        await self.accept(decode(raw))

    async def accept(
        self, message: Message | Batch, channel: Channel | None = None
    ) -> asyncio.Task[None] | None:
        """Start serving a decoded message, whose answer goes to `channel`.

        Wait first while too many requests are in flight or too many answers are unread. Return the
        task that sends the answer, if it is not sent yet.
        """
        if self._kernel.traces_protocol:
            log_fields(logger, logging.DEBUG, {"direction": "in", "message": asdict(message)})
        channel = channel or self._channel
        unsent = self._kernel.unsent
        if isinstance(message, Request | Batch) and not unsent.has_room(self._peer):
            await unsent.room(self._peer)
        if isinstance(message, Batch):
            return await self._accept_batch(message, channel)
        return await self._accept(message, channel, channel.answer)

    async def serve(self, request: Request, channel: Channel) -> None:
        """Serve a request in the task of the caller, until `channel` has the answer.

        There is none if the client cancels it.
        """
        if self._kernel.traces_protocol:
            log_fields(logger, logging.DEBUG, {"direction": "in", "message": asdict(request)})
        if not self._kernel.unsent.has_room(self._peer):
            await self._kernel.unsent.room(self._peer)
        entry = await self._admit(request, channel, channel.answer)
        task = asyncio.current_task()
        if entry is None or task is None:
            return
        entry.task = task
        self._tasks.add(task)
        try:
            await self._serve(entry)
        finally:
            self._settle(entry, task)

    async def resume(self, messages: Sequence[Request | Notification]) -> None:
        """Serve messages that the client has the answers to already."""

        async def drop(_encoded: bytes) -> None:
            pass

        for message in messages:
            task = await self._accept(message, self._channel, drop)
            if task is not None:
                await asyncio.wait({task})

    async def receive_oversized(self, message: Oversized) -> None:
        """Answer a message that was too long, with its id if that can be found."""
        request = request_within(message.head, message.tail)
        fault = too_large(request.id, self._limits.request_bytes, message.size_bytes)
        await self.accept(fault.about(request))

    async def finish(self, *, wait: bool = True, stop_now: asyncio.Event | None = None) -> None:
        """End the connection: wait for the requests in flight, at most `limits.shutdown_s`.

        Setting `stop_now` ends the wait. Requests that are left are cancelled.
        """
        self._lifecycle.advance(Event.SHUTDOWN)
        endless = {it.task for it in self._by_id.values() if it.request.method in _ENDLESS}
        for task in self._tasks:
            if not wait or task in endless:
                task.cancel()
        await self._drain(self._limits.shutdown_s, stop_now)
        for task in self._tasks:
            task.cancel()
        await self._drain(None, None)
        self._outbound.close()
        self._kernel.subscriptions.forget(self._peer)
        await self._router.close()
        self._lifecycle.advance(Event.CLOSE)

    async def _drain(self, timeout_s: float | None, stop_now: asyncio.Event | None) -> None:
        if not self._tasks:
            return
        done = asyncio.ensure_future(asyncio.wait(set(self._tasks)))
        stopped = asyncio.ensure_future((stop_now or asyncio.Event()).wait())
        first = asyncio.FIRST_COMPLETED
        await asyncio.wait({done, stopped}, timeout=timeout_s, return_when=first)
        done.cancel()
        stopped.cancel()

    async def _accept(
        self, message: Message, channel: Channel, answer: Answer
    ) -> asyncio.Task[None] | None:
        match message:
            case Request():
                entry = await self._admit(message, channel, answer)
                if entry is None:
                    return None
                entry.task = task = asyncio.get_running_loop().create_task(self._serve(entry))
                self._tasks.add(task)
                # A callback, because a task that is cancelled before its first step runs no code.
                task.add_done_callback(partial(self._settle, entry))
                if message.method == "initialize":
                    # The next requests in the pipe need the result of the handshake.
                    await asyncio.wait({task})
                return task
            case Notification() if self.state is not State.CLOSED:
                await self._accept_notification(message)
            case Response():
                self._outbound.resolve(message)
            case Fault():
                wait_ms = self._peer.bucket.take()
                fault = rate_limited(message.id, wait_ms).about(message) if wait_ms else message
                await self._refuse(fault, answer)
        return None

    async def _admit(self, request: Request, channel: Channel, answer: Answer) -> _InFlight | None:
        """Wait for a free slot and count the request, or refuse it."""
        fault: Fault | None = None
        wait_ms = self._peer.bucket.take()
        if wait_ms:
            fault = rate_limited(request.id, wait_ms).about(request)
        elif request.id in self._by_id:
            hint = "Use another id until that request is answered."
            fault = invalid_request(request, f"the id {request.id!r} is still in use", hint)
        elif request.method == "initialize":
            fault = self._begin_handshake(request)
        elif self._lifecycle.state is State.INITIALIZING:
            self._lifecycle.advance(Event.INITIALIZED)
        if fault is None:
            await self._slots.acquire()
            if self._lifecycle.is_ending:
                self._slots.release()
                fault = shutting_down(request)
        if fault is not None:
            await self._refuse(fault, answer)
            return None
        entry = _InFlight(request, channel, answer)
        if request.id is not None:
            self._by_id[request.id] = entry
        return entry

    async def _refuse(self, fault: Fault, answer: Answer) -> None:
        envelope = fault_envelope(fault)
        log_refusal(fault, envelope)
        encoded = encode(envelope)
        self._trace(encoded)
        await answer(encoded)

    def _begin_handshake(self, request: Request) -> Fault | None:
        try:
            self._lifecycle.advance(Event.INITIALIZE)
        except InvalidTransition as error:
            return invalid_request(
                request, str(error), "Send initialize once, as the first request."
            )
        return None

    async def _accept_notification(self, notification: Notification) -> None:
        if notification.method == "notifications/cancelled":
            self._cancel((notification.params or {}).get("requestId"))
        elif (
            notification.method == "notifications/initialized"
            and self._lifecycle.state is State.INITIALIZING
        ):
            self._lifecycle.advance(Event.INITIALIZED)
        await self._router.notification(notification)

    def _cancel(self, request_id: object) -> None:
        entry = self._by_id.get(request_id) if isinstance(request_id, int | str) else None
        if entry is not None and entry.task is not None:
            entry.is_cancelled = True
            entry.task.cancel()

    async def _serve(self, entry: _InFlight) -> None:
        request = entry.request
        claim = Claim(self._kernel.unsent, self._peer)
        before = current_claim.set(claim)
        try:
            encoded = await self._encoded(entry, claim)
            if encoded is None:
                return
            if len(encoded) > self._limits.response_bytes:
                refused = protocol_error(ResponseTooLarge(self._limits.response_bytes))
                encoded = encode(error_envelope(request, refused))
            claim.hold(len(encoded))
            # Before the answer is sent: from then on the client may use the id again.
            self._by_id.pop(request.id, None)
            if self._kernel.traces_protocol:
                self._trace(encoded)
            await entry.answer(encoded)
        finally:
            current_claim.reset(before)
            claim.drop()

    async def _encoded(self, entry: _InFlight, claim: Claim) -> bytes | None:
        """Make the answer; None if the client has cancelled the request.

        What it was made from is not held while the client reads it.
        """
        request = entry.request
        method = request.method
        is_counted = method in self._kernel.tool_methods or method.startswith(_ON_THREADS)
        try:
            if is_counted or method in _ENDLESS:
                return encode_answer(request.id, await self._router.request(request, entry.channel))
            async with self._kernel.unsent.making(self._peer):
                answer = await self._router.request(request, entry.channel)
                encoded = encode_answer(request.id, answer)
                claim.hold(len(encoded))
                return encoded
        except asyncio.CancelledError:
            if entry.task is not None:
                entry.task.uncancel()  # the task continues: it may be that of the HTTP request
            return None if entry.is_cancelled else encode(fault_envelope(shutting_down(request)))
        except (MCPError, ValidationError) as error:
            if method == "initialize" and self._lifecycle.state is State.INITIALIZING:
                self._lifecycle.advance(Event.REFUSED)
            failure = error if isinstance(error, MCPError) else invalid_params(error)
            return encode(error_envelope(request, failure))
        except Exception:
            logger.exception("request %s failed", method)
            return encode(fault_envelope(internal_error(request)))

    def _settle(self, entry: _InFlight, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        self._slots.release()
        # The id may belong to a newer request by now.
        if self._by_id.get(entry.request.id) is entry:
            del self._by_id[entry.request.id]

    async def _accept_batch(self, batch: Batch, channel: Channel) -> asyncio.Task[None] | None:
        answers = BatchAnswers(self._kernel.unsent, self._limits)

        async def collect(request_id: RequestId, encoded: bytes) -> None:
            if not answers.has_room(len(encoded)):
                message = "The answers to this batch are too large; send fewer requests at a time"
                hint = "Or raise limits.response_bytes and limits.unsent_total_bytes."
                fault = Fault(request_id, INTERNAL_ERROR, message, "batch_too_large", hint)
                encoded = encode(fault_envelope(fault))
            answers.add(encoded)

        tasks: set[asyncio.Task[None]] = set()
        try:
            for message in batch.messages:
                request_id = message.id if isinstance(message, Request | Fault) else None
                task = await self._accept(message, channel, partial(collect, request_id))
                if task is not None:
                    tasks.add(task)
                # Refusing a message waits for nothing, and other clients must have their turns.
                await asyncio.sleep(0)
            if self._lifecycle.is_ending:
                # Here, because the end of the session does not wait for new tasks.
                await self._finish_batch(tasks, answers, channel)
                return None
        except asyncio.CancelledError:
            answers.take()
            raise
        finishing = self._start(self._finish_batch(tasks, answers, channel))
        # A callback, because a task that is cancelled before its first step runs no code.
        finishing.add_done_callback(lambda _: answers.take())
        return finishing

    async def _finish_batch(
        self, tasks: set[asyncio.Task[None]], answers: BatchAnswers, channel: Channel
    ) -> None:
        if tasks:
            await asyncio.wait(tasks)
        encoded = answers.take()
        if encoded:
            await channel.answer(encoded)

    def _start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _send(self, channel: Channel, message: Json) -> None:
        encoded = encode(message)
        self._trace(encoded)
        await channel.send(encoded)

    async def _post(self, message: Json) -> None:
        """Send a message about no request, without waiting: a client must not hold up others.

        It is dropped if the client has not read much of what it got before.
        """
        if self._kernel.unsent.has_room(self._peer):
            self._start(self._send(self._channel, message))

    def _trace(self, encoded: bytes) -> None:
        if self._kernel.traces_protocol:
            log_fields(logger, logging.DEBUG, {"direction": "out", "message": from_json(encoded)})
