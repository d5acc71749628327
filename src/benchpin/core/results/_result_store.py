"""Results too large to send, kept on disk and read in pages."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from benchpin.core.calls import KIB, MIB
from benchpin.core.errors import (
    AccessDenied,
    DiskFull,
    InvalidCursor,
    ResourceNotFound,
    is_disk_full,
)
from benchpin.core.own_files import open_own

_MAX_RESULTS = 64
_MAX_BYTES = 512 * MIB
_ID_LENGTH = 16
_UNFINISHED = ".new-"
_MAX_CHARACTER_BYTES = 4  # of UTF-8
_SUFFIXES = {
    "application/json": ".json",
    "application/sarif+json": ".sarif",
    "application/xml": ".xml",
    "application/graphml+xml": ".graphml",
    "text/csv": ".csv",
    "text/vnd.graphviz": ".dot",
    "text/vnd.mermaid": ".mmd",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/html": ".html",
    "image/svg+xml": ".svg",
    "application/x-ndjson": ".jsonl",
    "application/vnd.apache.parquet": ".parquet",
}
_BINARY = frozenset({"application/vnd.apache.parquet"})
_MIME_TYPES = {suffix: mime_type for mime_type, suffix in _SUFFIXES.items()}


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A result on disk."""

    id: str
    mime_type: str
    size_bytes: int

    @property
    def uri(self) -> str:
        """The URI of the result."""
        return f"result://{self.id}"

    @property
    def is_binary(self) -> bool:
        """Whether it is not text."""
        return self.mime_type in _BINARY


@dataclass(frozen=True, slots=True)
class ResultSlice:
    """A part of a stored result."""

    text: str
    next_offset: int | None


class ResultStore:
    """A folder of results, named by their content, with a limit on number and size."""

    def __init__(self, folder: Path, response_bytes: int = 10 * MIB) -> None:
        """Use a folder, which is created with the first result."""
        self._folder = folder
        # A page may be sent twice in an answer, as text and structured, and JSON escapes quotes.
        self.page_bytes = min(256 * KIB, response_bytes // 8)
        """The longest page that fits into an answer."""
        self.generation = 0
        """Increases with every new result."""

    def store(self, content: str | bytes, mime_type: str = "text/plain") -> StoredResult:
        """Store a result; the oldest ones are removed if there are too many."""
        body = content.encode("utf-8", "replace") if isinstance(content, str) else content
        suffix = _SUFFIXES[mime_type]
        name = hashlib.sha256(suffix.encode() + b"\n" + body).hexdigest()[:_ID_LENGTH]
        stored = StoredResult(name, mime_type, len(body))
        is_new = not (self._folder / (stored.id + suffix)).exists()
        try:
            self._write(body, stored.id + suffix)
        except OSError as error:
            if is_disk_full(error):
                raise DiskFull(
                    f"The disk is full, the result was not stored in {self._folder}",
                    suggestion="Free some space, or set BENCHPIN_CACHE_DIR to another disk.",
                ) from error
            raise AccessDenied(
                f"The result cannot be stored in {self._folder}: {error.strerror}",
                suggestion="Make the cache folder writable, or set BENCHPIN_CACHE_DIR.",
                is_server_fault=True,
            ) from error
        self._make_room(stored.id)
        self.generation += is_new
        return stored

    def all(self) -> Iterator[StoredResult]:
        """Yield all stored results, sorted by id."""
        for place, facts in sorted(self._files(), key=lambda found: found[0].name):
            yield StoredResult(place.stem, _MIME_TYPES[place.suffix], facts.st_size)

    def find(self, result_id: str) -> StoredResult:
        """Return a stored result.

        Raises:
            ResourceNotFound: when it was never stored, or has been removed since.
        """
        for place, facts in self._files():
            if place.stem == result_id:
                return StoredResult(place.stem, _MIME_TYPES[place.suffix], facts.st_size)
        raise _not_found(result_id)

    def read(self, result_id: str, offset: int, max_bytes: int) -> ResultSlice:
        """Return part of a stored result, at least one character, cut between characters.

        It starts with the character that contains the byte at `offset`, and ends before the one
        that contains the byte at `offset + max_bytes`, so consecutive parts leave nothing out.

        Raises:
            ResourceNotFound: when the result does not exist.
            InvalidCursor: when the offset is past its end.
        """
        stored = self.find(result_id)
        with self._open(stored) as file:
            size = os.fstat(file.fileno()).st_size
            if not 0 <= offset <= size:
                raise InvalidCursor(
                    f"Result {result_id} has {size} bytes; asked for byte {offset}",
                    suggestion="Start again without a cursor.",
                )
            start = _character_start(file, offset)
            body = file.read(offset + max_bytes - start)
            if start + len(body) < size:
                body = _whole_characters(body) or _whole_characters(
                    body + file.read(_MAX_CHARACTER_BYTES - len(body))
                )
        end = start + len(body)
        return ResultSlice(body.decode("utf-8", errors="replace"), end if end < size else None)

    def read_bytes(self, result_id: str, offset: int, max_bytes: int) -> bytes:
        """Return part of a stored result as bytes.

        Raises:
            ResourceNotFound: when the result does not exist.
        """
        stored = self.find(result_id)
        with self._open(stored) as file:
            file.seek(offset)
            return file.read(max_bytes)

    def _write(self, body: bytes, name: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = self._new_file()
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())  # or a crash may leave the name without the content
                Path(temporary).replace(self._folder / name)
        except OSError:
            Path(temporary).unlink(missing_ok=True)  # a full disk must not stay full because of us
            raise

    def _new_file(self) -> tuple[int, str]:
        """Create a temporary file and lock it, so that others see that its writer is alive."""
        while True:
            handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=_UNFINISHED)
            if not _lock(handle) or os.fstat(handle).st_nlink:
                return handle, temporary
            os.close(handle)  # another process removed it before it was locked

    def _remove_unfinished(self) -> None:
        """Remove the temporary files of processes that were killed."""
        for place in self._folder.glob(f"{_UNFINISHED}*"):
            with suppress(OSError), open_own(place) as file:
                if _lock(file.fileno()):
                    place.unlink()

    def _open(self, stored: StoredResult) -> BinaryIO:
        try:
            return open_own(self._folder / (stored.id + _SUFFIXES[stored.mime_type]))
        except OSError as error:  # another process removed it a moment ago, or it is no file
            raise _not_found(stored.id) from error

    def _files(self) -> list[tuple[Path, os.stat_result]]:
        """List the folder; other processes use it too, so a file may disappear meanwhile."""
        found = []
        with suppress(OSError):
            for place in self._folder.iterdir():
                if place.suffix in _MIME_TYPES:
                    with suppress(FileNotFoundError):
                        found.append((place, place.stat()))
        return found

    def _make_room(self, just_stored: str) -> None:
        newest_first = sorted(
            self._files(),
            key=lambda found: (found[0].stem == just_stored, found[1].st_mtime_ns),
            reverse=True,
        )
        total = 0
        for rank, (place, facts) in enumerate(newest_first):
            total += facts.st_size
            if rank >= _MAX_RESULTS or (total > _MAX_BYTES and rank > 0):
                place.unlink(missing_ok=True)
        self._remove_unfinished()


def _lock(handle: int) -> bool:
    """Lock a file until it is closed; False if another process has, or the system cannot."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _not_found(result_id: str) -> ResourceNotFound:
    return ResourceNotFound(
        f"No stored result has the id {result_id!r}",
        suggestion="Run the tool again: old results are removed for newer ones.",
        data={"id": result_id},
    )


def _character_start(file: BinaryIO, offset: int) -> int:
    """Move the file back to the start of the character at an offset, and return that position."""
    while True:
        file.seek(offset)
        byte = file.read(1)
        if offset == 0 or not byte or byte[0] & 0xC0 != 0x80:  # noqa: PLR2004 - UTF-8's own mask
            file.seek(offset)
            return offset
        offset -= 1


def _whole_characters(body: bytes) -> bytes:
    """Drop an incomplete character at the end: UTF-8 continuation bytes are 10xxxxxx."""
    end = len(body)
    while end and body[end - 1] & 0xC0 == 0x80:  # noqa: PLR2004 - the masks are UTF-8's own
        end -= 1
    if end and body[end - 1] >= 0xC0:  # noqa: PLR2004 - the masks are UTF-8's own
        lead = body[end - 1]
        length = 4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2  # noqa: PLR2004 - the masks are UTF-8's own
        return body if len(body) - (end - 1) == length else body[: end - 1]
    return body
