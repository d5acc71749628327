"""Requests that no client should send: refused in a line of the log, never with a traceback."""

import json
import socket
from pathlib import Path

import pytest

from serving import network_server
from unread import deaf_socket, post, read_head, upgrade
from wire import HANDSHAKE

pytestmark = pytest.mark.slow

UPGRADE = (
    b"GET %s HTTP/1.1\r\nhost: %s\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
    b"sec-websocket-version: 13\r\nsec-websocket-key: %s\r\n%s\r\n"
)
KEY = b"AAAAAAAAAAAAAAAAAAAAAA=="
FRAMES = [
    b"\x81\x82\0\0\0\0\xff\xfe",  # a text that is not UTF-8
    b"\x81\x02hi",  # not masked
    b"\xf1\x82\0\0\0\0hi",  # reserved bits
    b"\x83\x82\0\0\0\0hi",  # a reserved opcode
    b"\x80\x82\0\0\0\0hi",  # continues nothing
    b"\x88\x81\0\0\0\0x",  # a close with half a code
    b"\x89\xfe\0\x7e\0\0\0\0" + b"x" * 126,  # a ping that is too long
    b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0",  # 2**64 bytes
]


def requests(host: bytes) -> list[bytes]:
    return [
        b"\0\1\2\3\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nhost: x\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: %s\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n" % host,
        UPGRADE % (b"/mcp", host, b"short", b""),
        UPGRADE % (b"/mcp", host, KEY, b"sec-websocket-key: " + KEY + b"\r\n"),
        UPGRADE % (b"/mcp?\xff", host, KEY, b""),
        UPGRADE % (b"/%ff%00", host, KEY, b""),
        UPGRADE % (b"/mcp", host, KEY, b"x-odd: \xff\r\n"),
        UPGRADE % (b"/mcp", host, KEY, b"sec-websocket-extensions: ;;\r\n"),
        (UPGRADE % (b"/mcp", host, KEY, b"")).replace(b"version: 13", b"version: x"),
        (UPGRADE % (b"/mcp", host, KEY, b"")).replace(b"GET", b"POST"),
    ]


def drained(connection: socket.socket) -> None:
    """Read until the server closes the connection, or wants more."""
    connection.settimeout(0.5)
    try:
        while connection.recv(4096):
            pass
    except OSError:
        pass


def test_a_malformed_request_leaves_no_traceback(workspace: Path) -> None:
    with network_server(workspace) as (address, process):
        for sent in requests(address.encode()):
            with deaf_socket(address) as connection:
                connection.sendall(sent)
                drained(connection)
        for sent in FRAMES:
            with deaf_socket(address) as connection:
                upgrade(connection, address)
                connection.sendall(sent)
                drained(connection)
        with deaf_socket(address) as connection:
            connection.sendall(post(address, HANDSHAKE))
            assert b" 200 " in read_head(connection)
        process.terminate()
        assert process.stderr is not None
        lines = [json.loads(line) for line in process.stderr.read().splitlines()]
    assert [line["traceback"] for line in lines if "traceback" in line] == []
