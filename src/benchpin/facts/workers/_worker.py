"""Compute the facts of files: in this process, or as a child that reads batches from a pipe.

`python -m benchpin.facts.workers._worker` reads batches from stdin and answers on stdout, each a
length and a message. It is a child rather than a fork or a `multiprocessing` pool: it can be killed
at any time, never imports the program that started it, and ends when that program does.
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

from benchpin.facts.parsing import extract
from benchpin.facts.store import SECTIONS, FactCache, key_of
from benchpin.workspace.files import RACY_NS, Unreadable, read_regular

Strategy = Literal["normal", "force-refresh", "offline"]

MAX_FILE_BYTES = 4 << 20
# The longest that one file may take.
FILE_TIMEOUT_S = 20
# Replaces the time of a file that changed so recently that its stamp proves nothing.
UNSETTLED_NS = -1
_ALARM_S = 2 * FILE_TIMEOUT_S
# Answers are collected for so long: to send each by itself takes longer than to compute it.
_FLUSH_S = 0.01
_BUFFER_BYTES = 1 << 16
NOT_CACHED = "not in the cache"
# The cache folder of a batch whose facts are kept elsewhere.
NO_CACHE = b""
LENGTH = struct.Struct("<I")
# Git treats a file with a NUL among its first 8,000 bytes as binary.
_BINARY_BYTES = 8_000
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class FileBatch(msgspec.Struct, frozen=True, array_like=True):
    """Files to measure: paths below a root, with the language of each."""

    root: bytes
    cache_folder: bytes
    files: tuple[tuple[str, str], ...]
    sections: tuple[str, ...]
    strategy: Strategy = "normal"
    is_careful: bool = False
    """Whether each answer is sent at once, so that a file that crashes the worker is known."""


class FileResult(msgspec.Struct, frozen=True, array_like=True):
    """The facts of one file, or why there are none."""

    path: str
    size_bytes: int = 0
    mtime_ns: int = UNSETTLED_NS
    ctime_ns: int = 0
    key: bytes = b""
    sections: dict[str, bytes] = {}
    problem: str = ""
    """Why there are no facts; empty if there are."""
    is_fatal: bool = False
    """Whether it crashed or blocked a worker, and would again."""


# What a worker sends: None after its start, then for each batch the result of each file, in order,
# and None.
Answer = FileResult | None


def measure(batch: FileBatch, cache: FactCache | None) -> Iterator[FileResult]:
    """Yield the facts of each file of a batch, from the cache or computed now."""
    read = [_Content.read(batch.root, path, language) for path, language in batch.files]
    keys = [content.key for content in read if content.key]
    if cache is None or batch.strategy == "force-refresh":
        known = {}
    else:
        known = _known(cache, batch.sections, keys)
    made: dict[bytes, dict[str, bytes]] = {}
    for content in read:
        sections = known.get(content.key) or made.get(content.key)
        if content.problem:
            yield content.result({}, content.problem)
        elif sections is None and batch.strategy == "offline":
            yield FileResult(content.path, problem=NOT_CACHED)
        else:
            if sections is None:
                sections = made[content.key] = encode(content.text, content.language)
            yield content.result({section: sections[section] for section in batch.sections})
    if made and cache is not None:
        cache.save_facts(made)


class _Content(msgspec.Struct, frozen=True):
    """The content of one file."""

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
        """Read a file; `problem` says why there is nothing to measure."""
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

    def result(self, sections: dict[str, bytes], problem: str = "") -> FileResult:
        """Return the facts of the file, or the problem."""
        stamp = (self.size_bytes, self.mtime_ns, self.ctime_ns)
        return FileResult(self.path, *stamp, self.key, sections, problem)


def _text(source: bytes) -> bytes:
    """Return the text of a file as UTF-8, without a byte order mark."""
    if len(source) > MAX_FILE_BYTES:
        raise Unreadable(f"larger than {MAX_FILE_BYTES >> 20} MiB")
    if source.startswith(_UTF_16):
        return source.decode("utf-16", errors="replace").encode(errors="replace")
    if b"\0" in source[:_BINARY_BYTES]:
        raise Unreadable("binary")
    return source.removeprefix(b"\xef\xbb\xbf")


def encode(source: bytes, language: str) -> dict[str, bytes]:
    """Return the facts of a file, each section encoded for pipes and the cache."""
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
    """Write one message to the buffer of the pipe."""
    pipe.write(LENGTH.pack(len(message)))
    pipe.write(message)


def send(pipe: BinaryIO, message: bytes) -> None:
    """Write one message and flush the buffer."""
    write(pipe, message)
    pipe.flush()


def _receive(pipe: BinaryIO) -> bytes:
    """Read one message; empty at the end of the pipe."""
    head = pipe.read(LENGTH.size)
    return pipe.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""


def _batches(pipe: BinaryIO) -> Iterator[FileBatch]:
    decode = msgspec.msgpack.Decoder(FileBatch).decode
    while message := _receive(pipe):
        yield decode(message)


def _set_alarm(seconds: int) -> None:
    """Have the system kill this process then: if the parent was killed, nothing else would."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


def _cache_of(folder: bytes, caches: dict[bytes, FactCache]) -> FactCache | None:
    if folder == NO_CACHE:
        return None
    return caches.get(folder) or caches.setdefault(folder, FactCache(Path(os.fsdecode(folder))))


def main() -> None:
    """Process batches until the pipe ends."""
    gc.disable()  # gc off: facts have no cycles, and the collector takes a tenth of the time
    caches: dict[bytes, FactCache] = {}
    # Not `sys.stdout.buffer`, which is unbuffered if PYTHONUNBUFFERED is set.
    answers = open(  # noqa: SIM115 - open until the process ends
        sys.stdout.fileno(), "wb", _BUFFER_BYTES, closefd=False
    )
    send(answers, _encode(None))
    for batch in _batches(sys.stdin.buffer):
        cache = _cache_of(batch.cache_folder, caches)
        _set_alarm(_ALARM_S)
        flushed = time.monotonic()
        for result in measure(batch, cache):
            write(answers, _encode(result))
            if batch.is_careful or time.monotonic() - flushed > _FLUSH_S:
                answers.flush()
                _set_alarm(_ALARM_S)
                flushed = time.monotonic()
        send(answers, _encode(None))
        _set_alarm(0)


if __name__ == "__main__":
    main()
