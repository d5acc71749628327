"""Make the facts of some files: in this process, or as a child that reads orders from a pipe.

`python -m benchpin.engines.source.worker` takes orders on stdin and answers on stdout, each a
length and a message. A child, rather than a fork or a pool of `multiprocessing`: it can be killed
at any time, it never imports the program that started it, and it ends when that program does.
"""

import gc
import os
import stat
import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from .cache import SECTIONS, FactCache
from .extract import extract
from .versions import key_of

MAX_FILE_BYTES = 4 << 20
_LENGTH = struct.Struct("<I")
_O_SAFE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Order(msgspec.Struct, frozen=True, array_like=True):
    """Files to measure: paths beneath a root, and the language of each."""

    root: str
    cache_folder: str
    files: tuple[tuple[str, str], ...]
    sections: tuple[str, ...]
    is_fresh: bool
    """Measure even what the cache has."""


class Measured(msgspec.Struct, frozen=True, array_like=True):
    """What came of one file."""

    path: str
    size_bytes: int
    mtime_ns: int
    key: bytes
    sections: dict[str, bytes]
    problem: str = ""
    """Why there are no facts; empty when there are."""


class Unreadable(Exception):
    """A file that cannot be measured, and why."""


def measure(order: Order, cache: FactCache) -> list[Measured]:
    """Make, or find in the cache, the facts of every file of an order."""
    sources: dict[str, tuple[bytes, os.stat_result, bytes]] = {}
    measured: list[Measured] = []
    for path, language in order.files:
        try:
            source, facts = _read(order.root, path)
        except (Unreadable, OSError) as error:
            measured.append(Measured(path, 0, 0, b"", {}, str(error)))
            continue
        sources[path] = (source, facts, key_of(source, language))
    keys = [key for _, _, key in sources.values()]
    known = {} if order.is_fresh else _known(cache, order.sections, keys)
    languages = dict(order.files)
    made: dict[bytes, dict[str, bytes]] = {}
    for path, (source, facts, key) in sources.items():
        sections = known.get(key) or made.get(key)
        if sections is None:
            sections = made[key] = encode(source, languages[path])
        wanted = {section: sections[section] for section in order.sections}
        measured.append(Measured(path, facts.st_size, facts.st_mtime_ns, key, wanted))
    if made:
        cache.save_facts(made)
    return measured


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


def _read(root: str, path: str) -> tuple[bytes, os.stat_result]:
    """Read a regular file without following a link or waiting for a pipe."""
    descriptor = os.open(Path(root, path), _O_SAFE)
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise Unreadable("not a regular file")
        if facts.st_size > MAX_FILE_BYTES:
            raise Unreadable(f"larger than {MAX_FILE_BYTES >> 20} MiB")
        return file.read(), facts


def send(pipe: BinaryIO, message: bytes) -> None:
    """Write one message."""
    pipe.write(_LENGTH.pack(len(message)))
    pipe.write(message)
    pipe.flush()


def receive(pipe: BinaryIO) -> bytes:
    """Read one message, empty at the end.

    Raises:
        EOFError: when the pipe ends inside a message.
    """
    head = pipe.read(_LENGTH.size)
    if not head:
        return b""
    size = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else -1
    body = pipe.read(size) if size >= 0 else b""
    if len(body) != size:
        message = "the pipe ended inside a message"
        raise EOFError(message)
    return body


def _orders(pipe: BinaryIO) -> Iterator[Order]:
    decode = msgspec.msgpack.Decoder(Order).decode
    while message := receive(pipe):
        yield decode(message)


def main() -> None:
    """Serve orders until the pipe ends."""
    gc.disable()  # facts have no cycles, and looking for them costs a tenth of the time
    caches: dict[str, FactCache] = {}
    for order in _orders(sys.stdin.buffer):
        folder = order.cache_folder
        cache = caches.get(folder) or caches.setdefault(folder, FactCache(Path(folder)))
        send(sys.stdout.buffer, _encode(measure(order, cache)))


if __name__ == "__main__":
    main()
