"""Show a PNG in a terminal that can: kitty's protocol, iTerm2's, or Sixel.

Which one it is follows from the environment, as other programs decide it; a question to the
terminal would wait for an answer that some never give. tmux and screen do not pass images on.
"""

import base64
import struct
import zlib
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Literal

Protocol = Literal["kitty", "iterm2", "sixel"]

_KITTY = frozenset({"ghostty", "kitty"})
_ITERM2 = frozenset({"iTerm.app", "WezTerm", "mintty"})
_SIXEL = ("foot", "mlterm", "contour", "yaft", "sixel")
# Characters of base64 in one sequence of kitty's protocol.
_CHUNK = 4_096
# Rows of pixels in one row of sixels.
_BAND = 6
# Steps of red, green and blue above zero: 216 colours, which every such terminal has.
_LEVELS = 5
# Of three pixels, two are shown: a PNG has more of them than terminals have room for.
_SKIP = 3, 2


def protocol_of(environment: Mapping[str, str]) -> Protocol | None:
    """Return how the terminal takes images; None if it does not, or is not known to."""
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if "TMUX" in environment or term.startswith(("screen", "tmux", "dumb")):
        return None
    if "KITTY_WINDOW_ID" in environment or "kitty" in term or program in _KITTY:
        return "kitty"
    if program in _ITERM2 or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm2"
    return "sixel" if any(name in term for name in _SIXEL) else None


def in_terminal(png: bytes, protocol: Protocol) -> str:
    """Return the escape sequences that show an image at the cursor."""
    match protocol:
        case "kitty":
            return "".join(_kitty(base64.b64encode(png).decode())) + "\n"
        case "iterm2":
            size, content = len(png), base64.b64encode(png).decode()
            return f"\x1b]1337;File=inline=1;size={size};width=auto:{content}\x07\n"
        case "sixel":
            return "".join(_sixel(_pixels(png))) + "\n"


def _kitty(content: str) -> Iterator[str]:
    parts = [content[at : at + _CHUNK] for at in range(0, len(content), _CHUNK)]
    for at, part in enumerate(parts):
        how = "a=T,f=100," if at == 0 else ""
        yield f"\x1b_G{how}m={int(at + 1 < len(parts))};{part}\x1b\\"


def _pixels(png: bytes) -> list[list[int]]:
    """Return the rows of an image as colours of the terminal's palette, made smaller."""
    at, packed, width, channels = 8, bytearray(), 0, 4
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, channels = struct.unpack_from(">I", body)[0], 4 if body[9] == 6 else 3  # noqa: PLR2004 - PNG §11.2.2: 6 is colour with alpha
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    return [*_smaller(_unfiltered(zlib.decompress(packed), width * channels, channels), channels)]


def _unfiltered(raw: bytes, stride: int, step: int) -> Iterator[bytearray]:
    """Yield the rows of an image without the filters of PNG §9."""
    above = bytearray(stride)
    for start in range(0, len(raw), stride + 1):
        kind, row = raw[start], bytearray(raw[start + 1 : start + 1 + stride])
        for at in range(stride) if kind else ():
            left = row[at - step] if at >= step else 0
            corner = above[at - step] if at >= step else 0
            row[at] = (row[at] + _predicted(kind, left, above[at], corner)) & 0xFF
        yield row
        above = row


def _predicted(kind: int, left: int, up: int, corner: int) -> int:
    match kind:
        case 1:
            return left
        case 2:
            return up
        case 3:
            return (left + up) // 2
    guess = left + up - corner
    return min((left, up, corner), key=lambda it: abs(guess - it))


def _smaller(rows: Iterator[bytearray], step: int) -> Iterator[list[int]]:
    every, kept = _SKIP
    for number, row in enumerate(rows):
        if number % every < kept:
            yield [
                _color(row[at], row[at + 1], row[at + 2])
                for place, at in enumerate(range(0, len(row), step))
                if place % every < kept
            ]


def _color(red: int, green: int, blue: int) -> int:
    levels = [(it * _LEVELS + 127) // 255 for it in (red, green, blue)]
    return (levels[0] * 6 + levels[1]) * 6 + levels[2]


def _sixel(rows: list[list[int]]) -> Iterator[str]:
    yield "\x1bPq"
    for color in sorted({it for row in rows for it in row}):
        red, green, blue = color // 36, color // 6 % 6, color % 6
        percents = ";".join(str(it * 100 // _LEVELS) for it in (red, green, blue))
        yield f"#{color};2;{percents}"
    for top in range(0, len(rows), _BAND):
        band = rows[top : top + _BAND]
        for color in sorted({it for row in band for it in row}):
            columns = (
                63 + sum(1 << bit for bit, it in enumerate(column) if it == color)
                for column in zip(*band, strict=True)
            )
            yield f"#{color}{''.join(_run(code, len([*same])) for code, same in groupby(columns))}$"
        yield "-"
    yield "\x1b\\"


def _run(code: int, length: int) -> str:
    return chr(code) * length if length <= 3 else f"!{length}{chr(code)}"  # noqa: PLR2004 - a repeat takes 3 characters or more
