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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Protocol, cast

import msgspec

from benchpin.facts import FileFacts
from benchpin.facts.parsing import extract
from benchpin.facts.store import DECODERS, SECTIONS, AnySection, FactCache, key_of
from benchpin.workspace.files import RACY_NS, Unreadable, read_regular
from benchpin.workspace.walking import is_product_path

if TYPE_CHECKING:
    from benchpin.facts.derived import FileFact

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


# Facts of less source are derived in the program that asks for them: a worker takes 0.1 s to
# start and as long to import a measure.
_MAX_BYTES_THERE = 300_000


class _Sized(Protocol):
    @property
    def size_bytes(self) -> int: ...


def are_many(files: Iterable[_Sized]) -> bool:
    """Whether files are worth workers that derive facts of them."""
    return sum(file.size_bytes for file in files) > _MAX_BYTES_THERE


class FactOrder(msgspec.Struct, frozen=True, array_like=True):
    """A fact to derive from each file: the `FileFact` of a measure, for one option."""

    name: str
    """Where the measure declares it, such as `benchpin.measures.debt:FILE_DEBT`."""
    option: bytes
    place: bytes
    """What it is stored under, as `place_of`."""
    is_fresh: bool = False
    """Whether it is computed where the cache has it too."""
    skips_tests: bool = False
    """Whether only files of the product need it: others are parsed too, for what they use."""


class FileBatch(msgspec.Struct, frozen=True, array_like=True):
    """Files to measure: paths below a root, with the language of each."""

    root: bytes
    cache_folder: bytes
    files: tuple[tuple[str, str], ...]
    sections: tuple[str, ...]
    strategy: Strategy = "normal"
    is_careful: bool = False
    """Whether each answer is sent at once, so that a file that crashes the worker is known."""
    facts: tuple[FactOrder, ...] = ()
    """What is derived from the files too, and kept in the cache."""


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
    derived: dict[bytes, bytes] = {}
    """The derived facts by place, where there is no cache to keep them."""


# What a worker sends: None after its start, then for each batch the result of each file, in order,
# and None.
Answer = FileResult | None


def measure(batch: FileBatch, cache: FactCache | None) -> Iterator[FileResult]:
    """Yield the facts of each file of a batch, from the cache or computed now."""
    read = [_Content.read(batch.root, path, language) for path, language in batch.files]
    keys = [content.key for content in read if content.key]
    derivation = _Derivation(batch, cache, read)
    if cache is None or batch.strategy == "force-refresh":
        known = {}
    else:
        known = _known(cache, {*batch.sections, *derivation.sections}, keys)
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
            derived = derivation.derive(content, sections)
            wanted = {section: sections[section] for section in batch.sections}
            yield msgspec.structs.replace(content.result(wanted), derived=derived)
    if cache is not None:
        if made:
            cache.save_facts(made)
        derivation.save(cache)


class _Content(msgspec.Struct, frozen=True):
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
        stamp = (self.size_bytes, self.mtime_ns, self.ctime_ns)
        return FileResult(self.path, *stamp, self.key, sections, problem)


class _Derivation:
    """The facts that measures derive from the files of one batch."""

    def __init__(self, batch: FileBatch, cache: FactCache | None, read: Sequence[_Content]) -> None:
        self._is_kept = cache is not None and cache.is_usable
        self._rows: list[tuple[bytes, bytes, bytes]] = []
        self._facts: list[tuple[FactOrder, FileFact[Any, Any], set[bytes]]] = []
        for order in batch.facts:
            fact = load_fact(order.name)
            if fact is not None:
                keys = [fact.key_of(it.key, it.path) for it in read if it.key]
                is_fresh = order.is_fresh or batch.strategy == "force-refresh"
                known = (
                    set() if cache is None or is_fresh else cache.derived_keys(order.place, keys)
                )
                self._facts.append((order, fact, known))
        self.sections = {section for _, fact, _ in self._facts for section in fact.sections}

    def derive(self, content: _Content, sections: Mapping[str, bytes]) -> dict[bytes, bytes]:
        """Derive the facts of one file, and return those that the cache will not keep."""
        found: dict[bytes, bytes] = {}
        decoded: dict[str, AnySection] = {}
        for order, fact, known in self._facts:
            key = fact.key_of(content.key, content.path)
            if key in known or (order.skips_tests and not is_product_path(content.path)):
                continue
            for section in fact.sections:
                if section not in decoded:
                    decoded[section] = DECODERS[section](sections[section])
            path = content.path if fact.has_path else ""
            file = FileFacts(path, content.language, content.size_bytes, decoded, content.key)
            data = fact.made(file, order.option)
            if self._is_kept:
                self._rows.append((order.place, key, data))
                known.add(key)  # another file of the batch may have the same content
            else:
                found[order.place] = data
        return found

    def save(self, cache: FactCache) -> None:
        if self._rows:
            cache.save_derived(self._rows)


def load_fact(name: str) -> "FileFact[Any, Any] | None":
    """Import a fact by name: the measures are above this package, so no import can name them.

    None where it is not found: then the program that ordered it computes it.
    """
    module, _, attribute = name.partition(":")
    try:
        return cast("FileFact[Any, Any]", getattr(import_module(module), attribute))
    except (ImportError, AttributeError):
        return None


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
    cache: FactCache, sections: Collection[str], keys: list[bytes]
) -> dict[bytes, dict[str, bytes]]:
    found = {section: cache.load(section, keys) for section in sections}
    return {
        key: {section: part[key] for section, part in found.items()}
        for key in keys
        if all(key in part for part in found.values())
    }


def write(pipe: BinaryIO, message: bytes) -> None:
    pipe.write(LENGTH.pack(len(message)))
    pipe.write(message)


def send(pipe: BinaryIO, message: bytes) -> None:
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
