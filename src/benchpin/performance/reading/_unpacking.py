"""Unpack an artefact while it is read: gzip, zstd or plain, recognised by its first bytes."""

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import BinaryIO, Literal

from benchpin.performance.values import ArtifactFault

CHUNK_BYTES = 64 * 1024
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# zlib's window bits for a stream in gzip's wrapper.
_GZIP_WRAPPER = 31
# Small: text that a call unpacked before it found damage is lost.
_ZSTD_INPUT_BYTES = 1024
# A window has at most 128 MiB, the limit of zstd's own command line.
_ZSTD_WINDOW_LOG = 27
Packing = Literal["gzip", "zstd", "plain"]
HIDDEN = "[REDACTED]"
MAX_TEXT_CHARS = 2048
MAX_MESSAGE_CHARS = 300
_AUTHORITY = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*:)?[/\\]{2}([^/\\]*)(.*)", re.DOTALL)
_HOST = re.compile(r"(\[[0-9A-Za-z:.%]*\]|[^\[\]:@\s]*)(:[0-9]*)?")
_PATH_PARAMETER = re.compile(r"(;[^/;=]*)=[^/;]*")
# A plausible parameter name; a long word with digits is a value, such as a token.
_NAME = re.compile(r"(?![^=&]{16,}$)[\w.\-~$:+%\[\]]+|[A-Za-z_.\-~$:+%\[\]]{16,32}")
_URL_IN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,20}://[^\s\"'<>]+")
_USERINFO_IN_TEXT = re.compile(r"[^\s/@:]+:[^\s/@]+@")
_SECRET_HEADER = re.compile(
    r"auth|cookie|credential|csrf|key|passw|secret|sess|sid$|signature|token", re.IGNORECASE
)


class Unpacker:
    """An artefact as a stream of unpacked chunks; it can be read once.

    Damage ends the stream, and `faults` says where; nothing is raised.
    """

    def __init__(self, file: BinaryIO, limit_bytes: int) -> None:
        """Read the first bytes of a file that is open at its beginning."""
        self._file = file
        self._limit_bytes = limit_bytes
        self._read_bytes = 0
        self._head = self._read(len(_ZSTD_MAGIC))
        self.packing = _packing_of(self._head)
        self.faults: list[ArtifactFault] = []

    @property
    def read_bytes(self) -> int:
        """How much of the file was read, before unpacking."""
        return self._read_bytes

    def chunks(self) -> Iterator[bytes]:
        """Yield the unpacked content up to the limit; no chunk is empty."""
        unpackers = {"gzip": self._gzip, "zstd": self._zstd, "plain": self._plain}
        left = self._limit_bytes
        for unpacked in unpackers[self.packing]():
            kept = unpacked[:left]
            for start in range(0, len(kept), CHUNK_BYTES):
                yield kept[start : start + CHUNK_BYTES]
            left -= len(kept)
            if len(kept) < len(unpacked):
                self._fault(self._limit_bytes, "more text than the limit; the rest is not read")
                return

    def _plain(self) -> Iterator[bytes]:
        yield self._head
        while chunk := self._read(CHUNK_BYTES):
            yield chunk

    def _gzip(self) -> Iterator[bytes]:
        packed = self._head
        while packed:
            member = zlib.decompressobj(_GZIP_WRAPPER)
            while packed and not member.eof:
                before = member.copy()
                try:
                    yield member.decompress(packed, CHUNK_BYTES)
                except zlib.error as error:
                    yield from _before_the_damage(before, packed)
                    self._fault(self._read_bytes, f"the gzip data is damaged before here ({error})")
                    return
                packed = member.unconsumed_tail or member.unused_data or self._read(CHUNK_BYTES)
            yield member.flush()
            if not member.eof:
                self._fault(self._read_bytes, "the gzip data is truncated here")
                return
            # gzip's own program ignores zeros after a member: tapes pad with them
            packed = (packed or self._read(CHUNK_BYTES)).lstrip(b"\0")

    def _zstd(self) -> Iterator[bytes]:
        from benchpin.system import zstd  # noqa: PLC0415 - loaded when used

        packed = self._head
        while packed:
            frame = zstd.ZstdDecompressor(
                options={zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
            )
            while not frame.eof and (packed or not frame.needs_input):
                try:
                    yield frame.decompress(packed, CHUNK_BYTES)
                except zstd.ZstdError as error:
                    self._fault(self._read_bytes, f"the zstd data is damaged before here ({error})")
                    return
                packed = self._read(_ZSTD_INPUT_BYTES) if frame.needs_input else b""
            if not frame.eof:
                self._fault(self._read_bytes, "the zstd data is truncated here")
                return
            packed = frame.unused_data or self._read(_ZSTD_INPUT_BYTES)

    def _read(self, size: int) -> bytes:
        piece = self._file.read(size)
        self._read_bytes += len(piece)
        return piece

    def _fault(self, byte: int, problem: str) -> None:
        self.faults.append(ArtifactFault(place=f"byte {byte}", problem=problem))


def _packing_of(head: bytes) -> Packing:
    if head.startswith(_GZIP_MAGIC):
        return "gzip"
    return "zstd" if head == _ZSTD_MAGIC else "plain"


def _before_the_damage(member: "zlib._Decompress", packed: bytes) -> Iterator[bytes]:
    """Unpack byte by byte: a call that fails drops what it had unpacked before the damage."""
    for place in range(len(packed)):
        try:
            unpacked = member.decompress(packed[place : place + 1], CHUNK_BYTES)
        except zlib.error:
            return
        if unpacked:
            yield unpacked


# Collect what could not be read: the first faults in words, the rest as a count.


class FaultLog:
    """Faults in the order in which they were found; past a limit they are only counted."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._listed: list[ArtifactFault] = []
        self._total = 0

    def __len__(self) -> int:
        """Return how many there were, listed or not."""
        return self._total

    def add(self, place: str, problem: str) -> None:
        self._total += 1
        if len(self._listed) < self._limit:
            self._listed.append(ArtifactFault(place=place, problem=problem))

    def extend(self, faults: Iterable[ArtifactFault]) -> None:
        for fault in faults:
            self.add(fault.place, fault.problem)

    def listed(self) -> tuple[ArtifactFault, ...]:
        """Return them, and last how many more there were."""
        unlisted = self._total - len(self._listed)
        more = (
            [ArtifactFault(place="further on", problem=f"{unlisted} more faults")]
            if unlisted
            else []
        )
        return (*self._listed, *more)


# Remove what may be secret from URLs, headers and command lines, before anything is stored.


def redact_url(url: str, *, strip_query: bool = True, strip_userinfo: bool = True) -> str:
    """Return a URL or path without parameter values, userinfo and fragment.

    Each parameter name is kept once: `/?s=x` and `/?p=50` are different pages.
    """
    return _redacted(url[:MAX_TEXT_CHARS], strip_query, strip_userinfo)


def redact_text(text: str) -> str:
    """Return a message with redacted URLs, shortened for display."""
    shorter = _URL_IN_TEXT.sub(lambda found: redact_url(found[0]), text[:MAX_TEXT_CHARS])
    shorter = _USERINFO_IN_TEXT.sub("", shorter)
    return shorter if len(shorter) <= MAX_MESSAGE_CHARS else shorter[: MAX_MESSAGE_CHARS - 1] + "…"


def redact_command(command: str) -> str:
    """Return a command line with the program and option names; the rest is `?`."""
    program, *arguments = command[:MAX_TEXT_CHARS].split() or [""]
    return " ".join([program, *map(_argument, arguments)])


def redact_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers by lower-case name; values of secret-sounding names are hidden."""
    return {
        name.lower(): HIDDEN if _SECRET_HEADER.search(name) else value
        for name, value in headers.items()
    }


@lru_cache(maxsize=1024)  # a file of timings has the same few URLs in thousands of records
def _redacted(url: str, strip_query: bool, strip_userinfo: bool) -> str:  # noqa: FBT001, a key
    location, has_query, query = url.partition("#")[0].partition("?")
    if strip_userinfo:
        location = _without_userinfo(location)
        if location.endswith(HIDDEN):
            return location
    if not strip_query:
        return location + has_query + query
    names = _names(query)
    return _PATH_PARAMETER.sub(r"\1", location) + ("?" + "&".join(names) if names else "")


def _without_userinfo(location: str) -> str:
    parts = _AUTHORITY.match(location)
    if not parts:  # a path, or a host without a scheme
        first, slash, rest = location.partition("/")
        return first.rpartition("@")[2] + slash + rest
    scheme, authority, path = parts.groups(default="")
    host = authority.rpartition("@")[2]
    if not _HOST.fullmatch(host):  # such as a password with a slash, where the host cannot be found
        return f"{scheme}//{HIDDEN}"
    return f"{scheme}//{host}{path}"


def _names(query: str) -> list[str]:
    names = (part.partition("=")[0] for part in query.split("&"))
    return list(dict.fromkeys(it if _NAME.fullmatch(it) else "?" for it in names if it))


def _argument(word: str) -> str:
    name = word.partition("=")[0]
    return name if name.startswith("--") and _NAME.fullmatch(name) else "?"
