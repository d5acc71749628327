"""Files of each format in the shape that costs its reader most, of any size."""

from collections.abc import Callable

Shape = Callable[[int], bytes]
"""Returns a file of `n` repeated pieces."""


def _varint(number: int) -> bytes:
    written = b""
    while number > 0x7F:
        written += bytes([number & 0x7F | 0x80])
        number >>= 7
    return written + bytes([number])


def message(number: int, content: bytes) -> bytes:
    """Return a field of a protocol buffer."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def pprof(samples: bytes, lines: int = 1) -> bytes:
    """Return a pprof file with one location, of some inlined functions."""
    location = message(4, b"\x08\x01" + message(4, b"\x08\x01") * lines)
    texts = b"".join(message(6, it) for it in (b"", b"samples", b"count", b"f"))
    kind = message(1, b"\x08\x01\x10\x02")
    return kind + samples + location + message(5, b"\x08\x01\x10\x03") + texts


def pprof_sample(frames: int) -> bytes:
    return message(2, message(1, b"\x01" * frames) + message(2, b"\x01"))


def speedscope(view: str) -> bytes:
    """Return a speedscope file with one view."""
    return (
        '{"$schema":"https://www.speedscope.app/file-format-schema.json",'
        '"shared":{"frames":[{"name":"a"},{"name":"b"}]},'
        '"profiles":[{"name":"a","unit":"none",' + view + "}]}"
    ).encode()


def evented(events: list[str]) -> bytes:
    return speedscope('"type":"evented","events":[' + ",".join(events) + "]")


def event(kind: str, frame: int, at: int) -> str:
    return f'{{"type":"{kind}","frame":{frame},"at":{at}}}'


SHAPES: dict[str, dict[str, Shape]] = {
    "speedscope": {
        "frames that never close": lambda n: evented([event("O", 0, it) for it in range(n)]),
        "frames that never open": lambda n: evented([event("C", 0, it) for it in range(n)]),
        "one deep sample": lambda n: speedscope(
            '"type":"sampled","samples":[[' + ",".join("0" * n) + ']],"weights":[1]'
        ),
        "views": lambda n: speedscope(
            '"type":"sampled"},' + '{"type":"sampled","unit":"none","name":"b"},' * n + '{"type":'
            '"sampled","unit":"none"'
        ),
    },
    "pprof": {
        "one deep sample": lambda n: pprof(pprof_sample(n)),
        "samples": lambda n: pprof(pprof_sample(1) * n),
        "inlined functions": lambda n: pprof(pprof_sample(1), lines=n),
    },
}
"""By format and name."""
