"""Whatever our reader of plain requests accepts, h11 reads as the same request."""

import random
from collections.abc import Iterator

import h11
import pytest

from benchpin.server.network._plain_http import PlainHead, read_head

TRIES = 20_000
NAMES = (
    b"Host", b"host", b"Content-Length", b"content-length", b"CONTENT-LENGTH", b"Content_Length",
    b"Connection", b"Transfer-Encoding", b"transfer-encoding", b"Accept", b"X", b"!#$%&'*+.^_`|~",
    b"Expect", b"Upgrade", b"TE", b"Trailer", b"Keep-Alive", b"Content-Length ", b" Host", b"",
)  # fmt: skip
VALUES = (
    b"localhost", b"127.0.0.1:80", b"a, b", b"2", b"02", b"2, 2", b"+2", b"2 ", b"\t2", b"1e1", b"",
    b"chunked", b"identity", b"keep-alive", b"close", b"Keep-Alive", b"upgrade", b"100-continue",
    b"\x7f", b"\x80", b"a\x00b", b"a\tb", b"999999999", b"1234567890", b"\xd9\xa2", b"0x2",
)  # fmt: skip
ODD = (
    b"\r\n",
    b"\n",
    b"\r",
    b"\r\n\r\n",
    b" ",
    b"\t",
    b":",
    b"\0",
    b"\x0b",
    b"\x85",
    b"\xff",
    b";",
)
STARTS = (
    b"POST /mcp HTTP/1.1", b"POST / HTTP/1.1", b"POST /a//b HTTP/1.1", b"POST /mcp HTTP/1.0",
    b"POST  /mcp HTTP/1.1", b"POST /mcp HTTP/1.1 ", b"POST /m%20 HTTP/1.1", b"POST * HTTP/1.1",
    b"post /mcp HTTP/1.1", b"POST /mcp\tHTTP/1.1", b"POST /mcp http/1.1", b"GET /mcp HTTP/1.1",
)  # fmt: skip


def requests(seed: int, tries: int) -> Iterator[bytes]:
    """Yield requests that are nearly plain: some lines are exchanged, doubled or damaged."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    for _ in range(tries):
        lines = [b"Host: localhost", b"Content-Length: 2", b"Accept: application/json"]
        for _ in range(draw.choice((0, 1, 1, 2, 3))):
            separator = draw.choice((b": ", b": ", b":", b" : ", b":  ", b":\t"))
            line = draw.choice(NAMES) + separator + draw.choice(VALUES)
            if draw.random() < 0.5:
                lines.insert(draw.randrange(len(lines) + 1), line)
            else:
                lines[draw.randrange(len(lines))] = line
        start = draw.choice(STARTS) if draw.random() < 0.2 else STARTS[0]
        data = bytearray(b"\r\n".join((start, *lines)) + b"\r\n\r\n{}")
        for _ in range(draw.choice((0, 0, 1, 2))):
            at = draw.randrange(len(data))
            if draw.random() < 0.5:
                data[at:at] = draw.choice(ODD)
            else:
                data[at] = draw.randrange(256)
        yield bytes(data)


def difference(data: bytes, head: PlainHead) -> str:
    """Return in what h11 reads another request; empty where it reads the same one."""
    connection = h11.Connection(h11.SERVER)
    connection.receive_data(data)
    try:
        request = connection.next_event()
        rest = connection.next_event()
    except h11.RemoteProtocolError as error:
        return f"h11 refuses it: {error}"
    if not isinstance(request, h11.Request):
        return f"h11 reads {request!r}"
    ours = (b"POST", head.path.encode(), b"1.1", list(head.headers))
    theirs = (request.method, request.target, request.http_version, list(request.headers))
    if ours != theirs:
        return f"{ours} is {theirs} for h11"
    body = data[head.size : head.size + head.body_bytes]
    if isinstance(rest, h11.Data):
        read = bytes(rest.data)
    else:
        read = b""
        is_short = head.body_bytes > len(body)
        if isinstance(rest, h11.EndOfMessage) and is_short:
            return "h11 says that the body has ended"
    return "" if read == body else f"the body {body!r} is {read!r} for h11"


@pytest.mark.parametrize("seed", range(4))
def test_both_read_the_same_request(seed: int) -> None:
    accepted = 0
    for data in requests(seed, TRIES // 4):
        head = read_head(data)
        if head is not None:
            accepted += 1
            assert difference(data, head) == "", data
    assert accepted > TRIES // 40  # else it says little
