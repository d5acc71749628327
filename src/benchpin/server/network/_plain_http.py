"""Plain HTTP requests, read and answered without h11.

h11 checks everything that HTTP/1.1 allows, in Python, which takes longer than to serve a short
call. Nearly every request of an MCP client has one shape: a POST with one length, in printable
ASCII. Only that shape is read here; whatever differs from it in the least is left to h11.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.flow_control import (  # noqa: TID253 - imported to serve the network
    CLOSE_HEADER,
)
from uvicorn.protocols.http.h11_impl import RequestResponseCycle  # noqa: TID253 - as above

from ._guard import Scope

# The key of a body that has arrived with the head, in an ASGI scope.
WHOLE_BODY = "benchpin.body"
_HEAD_END = b"\r\n\r\n"
_MAX_HEAD = 16 * 1024
_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
# Each class ends before the next literal, so a match takes linear time.
_SHAPE = re.compile(
    rb"POST (/[A-Za-z0-9_/-]*) HTTP/1\.1((?:\r\n" + _TOKEN + rb": ?[!-~](?:[ -~]*[!-~])?)+)"
)
_LENGTH = re.compile(rb"[0-9]{1,9}")
_ONCE = frozenset({b"host", b"content-length"})
# h11 reads several `Connection` headers as one list.
_SINGLE = (*_ONCE, b"connection")
_UNUSUAL = frozenset({b"transfer-encoding", b"expect", b"upgrade", b"trailer", b"te"})
_PHRASES = {it.value: it.phrase.encode() for it in HTTPStatus}

RawHeaders = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class PlainHead:
    """The head of a plain request."""

    path: str
    headers: tuple[tuple[bytes, bytes], ...]
    """With lower-case names."""
    body_bytes: int
    size: int
    """The bytes of the head itself."""

    def scope(self, state: dict[str, Any]) -> Scope:
        """Return what the ASGI application needs to know."""
        return {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "path": self.path,
            "headers": self.headers,
            "state": state,
        }


def read_head(data: bytes) -> PlainHead | None:
    """Return the head of a request that has the plain shape; None if h11 must read it."""
    end = data.find(_HEAD_END, 0, _MAX_HEAD)
    return _parsed(data[:end]) if end > 0 else None


@lru_cache(maxsize=128)  # a client sends the same head with most of its requests
def _parsed(head: bytes) -> PlainHead | None:
    shape = _SHAPE.fullmatch(head)
    if shape is None:
        return None
    headers: RawHeaders = []
    for line in shape[2][2:].split(b"\r\n"):
        name, _, value = line.partition(b":")
        headers.append((name.lower(), value.lstrip()))
    given = dict(headers)
    if not given.keys() >= _ONCE or not given.keys().isdisjoint(_UNUSUAL):
        return None
    if len(given) != len(headers) and any(_count(headers, name) > 1 for name in _SINGLE):
        return None
    length = given[b"content-length"]
    if _LENGTH.fullmatch(length) is None:
        return None
    if given.get(b"connection", b"keep-alive").lower() != b"keep-alive":
        return None
    size = len(head) + len(_HEAD_END)
    return PlainHead(shape[1].decode("ascii"), tuple(headers), int(length), size)


def _count(headers: RawHeaders, name: bytes) -> int:
    return sum(it == name for it, _ in headers)


class PlainCycle(RequestResponseCycle):
    """One plain request and its response."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self._head = b""
        self._is_chunked = False

    async def send(self, message: Any) -> None:
        """Take the parts of the response, in the form of ASGI; the head waits for the body."""
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            return
        if not self.response_started:
            self.response_started = True
            self._head = self._head_of(message["status"], list(message["headers"]))
            return
        body: bytes = message.get("body", b"")
        is_last = not message.get("more_body", False)
        if self._is_chunked:
            chunk = b"%x\r\n%s\r\n" % (len(body), body) if body else b""
            body = chunk + b"0\r\n\r\n" if is_last else chunk
        self.transport.write(self._head + body if self._head else body)
        self._head = b""
        if is_last:
            self.response_complete = True
            self.message_event.set()
            if not self.keep_alive:
                self.transport.close()
            self.on_response()

    def _head_of(self, status: int, headers: RawHeaders) -> bytes:
        if not any(name == b"content-length" for name, _ in headers):
            self._is_chunked = True
            headers.append((b"transfer-encoding", b"chunked"))
        if CLOSE_HEADER in headers:
            self.keep_alive = False
        elif not self.keep_alive:
            headers.append(CLOSE_HEADER)
        lines = [b"%s: %s\r\n" % it for it in (*self.default_headers, *headers)]
        return b"HTTP/1.1 %d %s\r\n%s\r\n" % (status, _PHRASES.get(status, b""), b"".join(lines))


class BodyReader:
    """Hands the body of the plain request in progress to its cycle."""

    def __init__(self) -> None:
        self.cycle: PlainCycle | None = None
        self.owed_bytes = 0
        """What is still to come of the body."""
        self.early = bytearray()
        """What came after the body, before the response was complete."""

    @property
    def is_busy(self) -> bool:
        """Whether a plain request is in progress."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def held_bytes(self) -> int:
        """What has come of the body and was not read yet."""
        return len(self.cycle.body) if self.cycle is not None and self.is_busy else 0

    def take(self, data: bytes) -> bytes:
        """Take what belongs to the body, and return the rest."""
        body, rest = data[: self.owed_bytes], data[self.owed_bytes :]
        self.owed_bytes -= len(body)
        cycle = self.cycle
        # After the response the body is not read: it is only drained from the connection.
        if cycle is not None and not cycle.response_complete:
            cycle.body += body
            cycle.more_body = self.owed_bytes > 0
            cycle.message_event.set()
        return rest
