"""Make the facts of some files: in this process, or as a child that reads orders from a pipe.

`python -m benchpin.engines.source.worker` takes orders on stdin and answers on stdout, each a
length and a message. A child, rather than a fork or a pool of `multiprocessing`: it can be killed
at any time, it never imports the program that started it, and it ends when that program does.
"""

import gc
import os
import signal
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from .cache import SECTIONS, FactCache
from .extract import extract
from .opening import RACY_NS, Unreadable, read_regular
from .versions import key_of

Strategy = Literal["normal", "force-refresh", "offline"]

MAX_FILE_BYTES = 4 << 20
PATIENCE_S = 20
"""How long one file may take."""
UNSETTLED_NS = -1
"""In place of the time of a file that changed so lately that its stamp proves nothing."""
_LONGEST_S = 2 * PATIENCE_S
_LINGER_S = 0.01
"""How long answers wait for others: each that is sent alone costs both sides more than its work."""
_BUFFER_BYTES = 1 << 16
NOT_CACHED = "not in the cache"
LENGTH = struct.Struct("<I")
_BINARY_BYTES = 8_000
"""Git takes a file for binary when there is a NUL among so many of its first bytes."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Order(msgspec.Struct, frozen=True, array_like=True):
    """Files to measure: paths beneath a root, and the language of each."""

    root: bytes
    cache_folder: bytes
    files: tuple[tuple[str, str], ...]
    sections: tuple[str, ...]
    strategy: Strategy = "normal"
    is_careful: bool = False
    """Whether each answer is sent at once, so that a file which costs the worker can be named."""


class Measured(msgspec.Struct, frozen=True, array_like=True):
    """What came of one file."""

    path: str
    size_bytes: int = 0
    mtime_ns: int = UNSETTLED_NS
    ctime_ns: int = 0
    key: bytes = b""
    sections: dict[str, bytes] = {}
    problem: str = ""
    """Why there are no facts; empty when there are."""
    is_fatal: bool = False
    """Whether it cost a worker, and will again."""


Answer = Measured | None
"""What a worker sends: None when it has started and at the end of each order; before that,
something for each file of the order, in the same order."""


def measure(order: Order, cache: FactCache) -> Iterator[Measured]:
    """Make, or find in the cache, the facts of every file of an order."""
    read = [_Content.read(order.root, path, language) for path, language in order.files]
    keys = [content.key for content in read if content.key]
    known = {} if order.strategy == "force-refresh" else _known(cache, order.sections, keys)
    made: dict[bytes, dict[str, bytes]] = {}
    for content in read:
        sections = known.get(content.key) or made.get(content.key)
        if content.problem:
            yield content.measured({}, content.problem)
        elif sections is None and order.strategy == "offline":
            yield Measured(content.path, problem=NOT_CACHED)
        else:
            if sections is None:
                sections = made[content.key] = encode(content.text, content.language)
            yield content.measured({section: sections[section] for section in order.sections})
    if made:
        cache.save_facts(made)


class _Content(msgspec.Struct, frozen=True):
    """One file as it was read."""

    path: str
    language: str
    text: bytes = b""
    size_bytes: int = 0
    mtime_ns: int = UNSETTLED_NS
    ctime_ns: int = 0
    key: bytes = b""
    problem: str = ""

    @classmethod
    def read(cls, root: bytes, path: str, language: str) -> "_Content":
        """Read a file, or say why there is nothing to measure."""
        now_ns = time.time_ns()
        try:
            source, status = read_regular(root, path, MAX_FILE_BYTES + 1)
        except Unreadable as error:
            return cls(path, language, problem=str(error))
        is_old = now_ns - max(status.st_mtime_ns, status.st_ctime_ns) >= RACY_NS
        is_settled = is_old and status.st_mtime_ns >= 0
        stamp = (
            status.st_size,
            status.st_mtime_ns if is_settled else UNSETTLED_NS,
            status.st_ctime_ns,
        )
        try:
            text = _text(source)
        except Unreadable as error:
            return cls(path, language, b"", *stamp, problem=str(error))
        return cls(path, language, text, *stamp, key_of(text, language))

    def measured(self, sections: dict[str, bytes], problem: str = "") -> Measured:
        """Return what came of it."""
        stamp = (self.size_bytes, self.mtime_ns, self.ctime_ns)
        return Measured(self.path, *stamp, self.key, sections, problem)


def _text(source: bytes) -> bytes:
    """Return what a file says in UTF-8, without a byte order mark."""
    if len(source) > MAX_FILE_BYTES:
        raise Unreadable(f"larger than {MAX_FILE_BYTES >> 20} MiB")
    if source.startswith(_UTF_16):
        return source.decode("utf-16", errors="replace").encode(errors="replace")
    if b"\0" in source[:_BINARY_BYTES]:
        raise Unreadable("binary")
    return source.removeprefix(b"\xef\xbb\xbf")


def encode(source: bytes, language: str) -> dict[str, bytes]:
    """Return the facts of a file, section by section, as they go through pipes and caches."""
    facts = extract(source, language)
    return {section: _encode(getattr(facts, section)) for section in SECTIONS}


_encode = msgspec.msgpack.Encoder().encode


def _known(
    cache: FactCache, sections: Sequence[str], keys: list[bytes]
) -> dict[bytes, dict[str, bytes]]:
    found = [cache.load(section, keys) for section in sections]
    return {
        key: {section: part[key] for section, part in zip(sections, found, strict=True)}
        for key in keys
        if all(key in part for part in found)
    }


def write(pipe: BinaryIO, message: bytes) -> None:
    """Write one message, which may stay in the buffer of the pipe."""
    pipe.write(LENGTH.pack(len(message)))
    pipe.write(message)


def send(pipe: BinaryIO, message: bytes) -> None:
    """Write one message, and whatever waits before it, to the other side."""
    write(pipe, message)
    pipe.flush()


def _received(pipe: BinaryIO) -> bytes:
    """Read one message, empty at the end."""
    head = pipe.read(LENGTH.size)
    return pipe.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""


def _orders(pipe: BinaryIO) -> Iterator[Order]:
    decode = msgspec.msgpack.Decoder(Order).decode
    while message := _received(pipe):
        yield decode(message)


def _set_alarm(seconds: int) -> None:
    """Have the system end this process then: one whose parent was killed hangs on nobody."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


def main() -> None:
    """Serve orders until the pipe ends."""
    gc.disable()  # facts have no cycles, and looking for them costs a tenth of the time
    caches: dict[bytes, FactCache] = {}
    # Not `sys.stdout.buffer`, which has no buffer where PYTHONUNBUFFERED is set.
    answers = open(  # noqa: SIM115 - to the end
        sys.stdout.fileno(), "wb", _BUFFER_BYTES, closefd=False
    )
    send(answers, _encode(None))
    for order in _orders(sys.stdin.buffer):
        folder = order.cache_folder
        cache = caches.get(folder) or caches.setdefault(
            folder, FactCache(Path(os.fsdecode(folder)))
        )
        _set_alarm(_LONGEST_S)
        flushed = time.monotonic()
        for measured in measure(order, cache):
            write(answers, _encode(measured))
            if order.is_careful or time.monotonic() - flushed > _LINGER_S:
                answers.flush()
                _set_alarm(_LONGEST_S)
                flushed = time.monotonic()
        send(answers, _encode(None))
        _set_alarm(0)


if __name__ == "__main__":
    main()
