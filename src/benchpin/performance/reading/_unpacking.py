"""Unpack an artefact while it is read: gzip, zstd or plain, recognised by its first bytes."""

import zlib
from collections.abc import Iterator
from typing import BinaryIO, Literal

from benchpin.core.calls import Job
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

    def whole(self, job: Job) -> bytearray:
        """Return the unpacked content up to the limit, or to where the time ran out."""
        content = bytearray()
        for chunk in self.chunks():
            job.check()
            if job.is_expired:
                self._fault(self._read_bytes, "the time ran out; the rest is not read")
                job.leave_out("the rest of an artefact")
                break
            content += chunk
        return content

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
