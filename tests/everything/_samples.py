"""The smallest picture and the smallest sound, and what results and tools share."""

import io
import struct
import wave
import zlib

from benchpin.core.results import Result
from benchpin.core.tools import Params


class NoParams(Params):
    pass


class Told(Result):
    text: str

    def to_text(self) -> str:
        return self.text


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _red_pixel() -> bytes:
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    row = b"\0\xff\0\0"
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(row)),
            _chunk(b"IEND", b""),
        )
    )


def _silence() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(b"\0\0" * 80)
    return file.getvalue()


PNG = _red_pixel()
WAV = _silence()
