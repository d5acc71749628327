import base64
import re
import struct
import zlib

import pytest

from benchpin.cli.output import in_terminal, protocol_of


def png(rows: list[bytes], filters: bytes) -> bytes:
    """Return an image with alpha; rows are filtered already."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + b"crc_"

    head = struct.pack(">IIBBBBB", len(rows[0]) // 4, len(rows), 8, 6, 0, 0, 0)
    raw = b"".join(bytes([kind]) + row for kind, row in zip(filters, rows, strict=True))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw))


@pytest.mark.parametrize(
    ("environment", "protocol"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "iterm2"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "screen-256color", "TERM_PROGRAM": "iTerm.app"}, None),
        ({"TERM": "xterm-kitty", "TMUX": "socket"}, None),
        ({}, None),
    ],
)
def test_the_environment_says_how_a_terminal_takes_images(
    environment: dict[str, str], protocol: str | None
) -> None:
    assert protocol_of(environment) == protocol


def test_kitty_gets_the_image_in_chunks() -> None:
    body = bytes(range(256)) * 40
    shown = in_terminal(body, "kitty")
    parts = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", shown)
    assert [it[0] for it in parts[:2]] == ["a=T,f=100,m=1", "m=1"]
    assert parts[-1][0] == "m=0"
    assert base64.b64decode("".join(it[1] for it in parts)) == body


def test_iterm2_gets_the_image_in_one_sequence() -> None:
    assert base64.b64encode(b"image").decode() in in_terminal(b"image", "iterm2")


def test_sixels_have_the_colours_of_the_image_whatever_its_filters() -> None:
    red, blue = b"\xff\x00\x00\xff", b"\x00\x00\xff\xff"
    plain = [red * 2, blue * 2]
    # Filter 1 adds the pixel to the left, 2 the one above; both are undone before.
    filtered = [red + bytes(4), b"\x01\x00\xff\x00" * 2]
    expected = in_terminal(png(plain, b"\x00\x00"), "sixel")
    assert in_terminal(png(filtered, b"\x01\x02"), "sixel") == expected
    assert "#180;2;100;0;0" in expected
    assert "#5;2;0;0;100" in expected
    assert "#5AA$" in expected  # the second of six rows: 63 + 2
    assert "#180@@$" in expected
