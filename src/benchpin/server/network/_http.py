"""Streamable HTTP, in both protocol eras, on the sessions that the other transports use too."""

import asyncio
from collections.abc import Mapping
from functools import cached_property, lru_cache
from http import HTTPStatus

from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
    validate_mcp_param_headers,
    x_mcp_header_map,
)
from mcp_types import DEFAULT_NEGOTIATED_VERSION, HEADER_MISMATCH
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, is_version_at_least

from benchpin.server import Kernel, Session, State, log_refusal
from benchpin.server.jsonrpc import (
    INVALID_REQUEST,
    Batch,
    Fault,
    Json,
    Message,
    Notification,
    Request,
    Response,
    decode,
    encode,
    rate_limited,
    refusal,
)
from benchpin.server.wire import fault_envelope, too_large

from ._connections import TcpConnection
from ._guard import Receive, Scope, Send
from ._http_response import Accepted, Headers, HttpResponse, Pinger, PostAnswer, ResumableAnswer
from ._http_sessions import HttpSession, HttpSessions
from ._plain_http import WHOLE_BODY

_SESSION = "mcp-session-id"
# Clients of older versions cannot read the empty event that begins a resumable stream.
_RESUMABLE = "2025-11-25"
_WITH_BATCHES = frozenset({"2024-11-05", "2025-03-26"})
_CLOSE: Headers = ((b"connection", b"close"),)


class HttpRefused(Exception):
    """A request is answered with an HTTP status."""

    def __init__(
        self,
        status: HTTPStatus,
        reason: str | Json,
        headers: Headers = (),
        code: int = INVALID_REQUEST,
    ) -> None:
        """Answer with a JSON-RPC error: `reason` is its message, or the whole of it."""
        super().__init__(reason)
        self.status = status
        self.envelope = refusal(None, code, reason) if isinstance(reason, str) else reason
        self.headers = headers


class HttpRequest:
    """An HTTP request, without its body."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.method: str = scope["method"]
        self.link = TcpConnection.of(scope)
        self.receive = receive
        self._whole_body: bytes | None = scope.get(WHOLE_BODY)
        self.raw_headers: Headers = scope["headers"]
        self.headers = _decoded(tuple(scope["headers"]))

    @cached_property
    def accepted(self) -> Accepted:
        """The kinds of response that the client accepts."""
        return Accepted.by(self.headers.get("accept", ""))

    @property
    def version(self) -> str | None:
        """The protocol version that the client names."""
        return self.headers.get(MCP_PROTOCOL_VERSION_HEADER)

    async def body(self, max_bytes: int, within_s: float) -> bytes:
        """Read the body.

        Raises:
            HttpRefused: when it is too long, or does not arrive in time.
        """
        length = self.headers.get("content-length", "")
        if length.isdecimal() and int(length) > max_bytes:
            raise _body_too_large(max_bytes, int(length))
        if self._whole_body is not None:
            return self._whole_body
        body = bytearray()
        try:
            async with asyncio.timeout(within_s):
                while True:
                    message = await self.receive()
                    body += message.get("body", b"")
                    if len(body) > max_bytes:
                        raise _body_too_large(max_bytes, len(body))
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError as error:
            reason = f"The body did not arrive within {within_s:g} s"
            raise HttpRefused(HTTPStatus.REQUEST_TIMEOUT, reason, _CLOSE) from error


@lru_cache(maxsize=128)  # a client sends the same headers with most of its requests
def _decoded(headers: tuple[tuple[bytes, bytes], ...]) -> Mapping[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}


def _body_too_large(limit: int, size: int) -> HttpRefused:
    envelope = fault_envelope(too_large(None, limit, size))
    return HttpRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, envelope, _CLOSE)


class HttpEndpoint:
    """ASGI application that serves MCP over HTTP."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._limits = kernel.limits
        self._sessions = HttpSessions(kernel)
        self._stateless: set[Session] = set()
        self._with_param_headers: dict[str, bool] = {}
        self._pinger = Pinger()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        request = HttpRequest(scope, receive)
        try:
            if request.version is None or request.version in HANDSHAKE_PROTOCOL_VERSIONS:
                await self._in_session(request, send)
            else:
                await self._stateless_post(request, send)
        except HttpRefused as refused:
            response = self._response(request, send)
            await response.whole(refused.status, encode(refused.envelope), refused.headers)

    async def close(self) -> None:
        """End all streams that only listen, and wait until all requests are answered."""
        waiting = (session.finish() for session in self._stateless)
        await asyncio.gather(self._sessions.close(), *waiting)

    def _response(
        self, request: HttpRequest, send: Send, session: HttpSession | None = None
    ) -> HttpResponse:
        peer = request.link.peer if session is None else session.peer
        headers = () if session is None else ((_SESSION.encode(), session.id.encode()),)
        return HttpResponse(send, self._kernel.unsent, peer, request.link.abort, headers)

    async def _in_session(self, request: HttpRequest, send: Send) -> None:
        match request.method:
            case "POST":
                await self._post(request, send)
            case "GET":
                await self._listen(request, send)
            case "DELETE":
                session = self._session(request)
                self._sessions.discard(session)
                await self._response(request, send, session).whole(HTTPStatus.OK)
            case _:
                raise _not_allowed("GET, POST, DELETE")

    async def _post(self, request: HttpRequest, send: Send) -> None:
        message = await self._message(request)
        opens = isinstance(message, Request) and message.method == "initialize"
        if opens and _SESSION not in request.headers:
            session = self._opened(request)
        else:
            session = self._session(request)
        self._sessions.begin(session)
        try:
            response = self._response(request, send, session)
            await self._serve_in(session, message, request, response)
        finally:
            self._sessions.end(session)
        if session.session.state is State.UNINITIALIZED:
            self._sessions.discard(session)  # the handshake failed

    async def _serve_in(
        self,
        session: HttpSession,
        message: Message | Batch,
        request: HttpRequest,
        response: HttpResponse,
    ) -> None:
        if isinstance(message, Notification | Response):
            await session.session.accept(message)
            await response.whole(HTTPStatus.ACCEPTED)
            return
        if isinstance(message, Batch) and session.session.protocol_version not in _WITH_BATCHES:
            reason = f"Version {session.session.protocol_version} of the protocol has no batches"
            raise HttpRefused(HTTPStatus.BAD_REQUEST, reason)
        version = request.version or DEFAULT_NEGOTIATED_VERSION
        request_id = message.id if isinstance(message, Request) else None
        answer = ResumableAnswer(
            response,
            request_id,
            request.accepted,
            session.events,
            is_primed=is_version_at_least(version, _RESUMABLE),
        )
        session.streams[answer.stream] = answer
        try:
            await self._serve(session.session, message, answer)
        finally:
            del session.streams[answer.stream]
        if not answer.is_answered:
            if isinstance(message, Request):
                await answer.cancel()
            else:
                await response.whole(HTTPStatus.ACCEPTED)

    async def _listen(self, request: HttpRequest, send: Send) -> None:
        if not request.accepted.events:
            raise _not_acceptable("text/event-stream")
        session = self._session(request)
        response = self._response(request, send, session)
        last_id = request.headers.get("last-event-id")
        self._sessions.begin(session)
        try:
            if last_id is not None:
                last = session.events.find(last_id)
                if last is None:
                    raise HttpRefused(HTTPStatus.NOT_FOUND, "The event is unknown or too old")
                await session.resume(last, response, request.receive)
            elif session.listening is not None and not session.listening.is_ended:
                reason = "Another stream of this session listens already"
                raise HttpRefused(HTTPStatus.CONFLICT, reason)
            else:
                await session.listen(response, request.receive)
        finally:
            self._sessions.end(session)

    def _session(self, request: HttpRequest) -> HttpSession:
        session_id = request.headers.get(_SESSION)
        if session_id is None:
            raise HttpRefused(HTTPStatus.BAD_REQUEST, "Bad Request: Missing session ID")
        session = self._sessions.find(session_id)
        if session is None:
            raise HttpRefused(HTTPStatus.NOT_FOUND, "Session not found")
        return session

    def _opened(self, request: HttpRequest) -> HttpSession:
        session = self._sessions.open(request.link.address)
        if session is None:
            reason = "Too many open sessions; end some with DELETE"
            raise HttpRefused(HTTPStatus.SERVICE_UNAVAILABLE, reason)
        return session

    async def _message(self, request: HttpRequest) -> Message | Batch:
        """Return what was posted, unless the client sends too much or nothing that is valid.

        Raises:
            HttpRefused: then.
        """
        if not request.headers.get("content-type", "").lower().startswith("application/json"):
            raise HttpRefused(HTTPStatus.BAD_REQUEST, "Content-Type must be application/json")
        if not (request.accepted.json or request.accepted.events):
            raise _not_acceptable("application/json and text/event-stream")
        message = decode(await request.body(self._limits.request_bytes, self._limits.body_s))
        wait_ms = request.link.bucket.take()
        if wait_ms:
            request_id = message.id if isinstance(message, Request) else None
            envelope = fault_envelope(rate_limited(request_id, wait_ms))
            status = HTTPStatus.OK if isinstance(message, Request) else HTTPStatus.TOO_MANY_REQUESTS
            raise HttpRefused(status, envelope)
        if isinstance(message, Fault):
            envelope = fault_envelope(message)
            log_refusal(message, envelope)
            raise HttpRefused(HTTPStatus.BAD_REQUEST, envelope)
        if isinstance(message, Batch):
            first, *others = message.messages
            return Batch((first, *(_within_rate(it, request.link) for it in others)))
        return message

    async def _stateless_post(self, request: HttpRequest, send: Send) -> None:
        if request.method != "POST":
            raise _not_allowed("POST")
        message = await self._message(request)
        response = self._response(request, send)
        if isinstance(message, Notification):
            _reject(unsupported_protocol_version_rejection(request.version or ""), None)
            await response.whole(HTTPStatus.ACCEPTED)
            return
        if not isinstance(message, Request):
            reason = "Body must be a single JSON-RPC request or notification object"
            raise HttpRefused(HTTPStatus.BAD_REQUEST, reason)
        if message.method == "subscriptions/listen" and not request.accepted.events:
            raise _not_acceptable("text/event-stream")
        self._check_headers(request, message)
        session = request.link.session
        if session is None:
            peer = request.link.peer
            session = Session(self._kernel, peer, _Nowhere(), "streamable-http")
            request.link.session = session
        self._stateless.add(session)
        try:
            answer = PostAnswer(response, message.id, request.accepted, ERROR_CODE_HTTP_STATUS)
            await self._serve(session, message, answer)
        finally:
            self._stateless.discard(session)

    def _check_headers(self, request: HttpRequest, message: Request) -> None:
        raw = ((name.decode("latin-1"), "") for name, _ in request.raw_headers)
        duplicated = find_duplicated_routing_header(raw)
        if duplicated is not None:
            reason = f"{duplicated} header appears more than once"
            _reject(InboundLadderRejection(HEADER_MISMATCH, reason), message)
        body = {"method": message.method, "params": message.params}
        verdict = classify_inbound_request(body, headers=request.headers)
        if isinstance(verdict, InboundLadderRejection):
            _reject(verdict, message)
        if message.method == "tools/call":
            self._check_param_headers(request, message)

    def _check_param_headers(self, request: HttpRequest, message: Request) -> None:
        """Compare the headers that repeat arguments, if the tool has any, with the arguments."""
        params = message.params or {}
        name, arguments = params.get("name"), params.get("arguments") or {}
        lookup = self._kernel.get_tool_input_schema
        if not isinstance(name, str) or not isinstance(arguments, Mapping) or lookup is None:
            return
        if not self._with_param_headers.get(name, True):
            return
        schema = lookup(name)
        if schema is not None:
            self._with_param_headers[name] = bool(x_mcp_header_map(schema))
            _reject(validate_mcp_param_headers(schema, arguments, request.headers), message)

    async def _serve(self, session: Session, message: Message | Batch, answer: PostAnswer) -> None:
        """Serve a message until it is answered; a client that waits for long gets signs of life."""
        self._pinger.add(answer)
        try:
            if isinstance(message, Request):
                await session.serve(message, answer)
                return
            task = await session.accept(message, answer)
            if task is not None:
                await asyncio.wait({task})
        finally:
            self._pinger.remove(answer)


class _Nowhere:
    """Drops messages that belong to no request: a stateless client could not read them."""

    can_ask = False
    release = None

    async def send(self, message: bytes) -> None:
        """Drop it."""

    answer = send


def _within_rate(message: Message, link: TcpConnection) -> Message:
    """Return a message of a batch, or its refusal: each counts as if it came alone."""
    wait_ms = link.bucket.take()
    if not wait_ms:
        return message
    if isinstance(message, Request | Fault):
        return rate_limited(message.id, wait_ms).about(message)
    return rate_limited(None, wait_ms)


def _reject(rejection: InboundLadderRejection | None, message: Request | None) -> None:
    if rejection is not None:
        request_id = None if message is None else message.id
        envelope = refusal(request_id, rejection.code, rejection.message, rejection.data)
        raise HttpRefused(HTTPStatus(ERROR_CODE_HTTP_STATUS.get(rejection.code, 200)), envelope)


def _not_allowed(methods: str) -> HttpRefused:
    headers = ((b"allow", methods.encode()),)
    return HttpRefused(HTTPStatus.METHOD_NOT_ALLOWED, f"Method not allowed; use {methods}", headers)


def _not_acceptable(kinds: str) -> HttpRefused:
    return HttpRefused(HTTPStatus.NOT_ACCEPTABLE, f"The client must accept {kinds}")
