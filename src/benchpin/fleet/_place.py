"""The place of a fleet: a folder, or a bucket of an object store.

Objects are whole or not there. All but the records of repositories are named by their content or by
what they were computed from, and are never changed, so that any number of processes may write at
once. What is in a place may come from anybody: names are checked, and sizes are limited.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, FileMissing, FileTooLarge, PathError
from benchpin.system.processes import require_extra
from benchpin.workspace.files import READ, folder_beneath, open_below, opened
from benchpin.workspace.writing import write_atomically

if TYPE_CHECKING:
    from obstore.store import ObjectStore


RECORD_BYTES = 1 << 16
# The most that is read of a record, and of a table or an index.
TABLE_BYTES = 1 << 30


class StoreFails(BenchpinError):
    """The place of a fleet cannot be read or written."""

    kind = "store_fails"
    is_server_fault = True


class Place(Protocol):
    """Objects by name; every method raises `StoreFails` when the place cannot be used."""

    url: str

    def put(self, name: str, data: bytes) -> None:
        """Write an object, or replace it."""

    def get(self, name: str, most_bytes: int) -> bytes | None:
        """Return an object; None when there is none, or it is larger."""

    def get_parts(self, name: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        """Return parts of an object by offset and length; None when there is none."""

    def listing(self, prefix: str) -> Iterator[tuple[str, float]]:
        """Yield the names of objects with a prefix, and when each was written."""

    def file_of(self, name: str, cache_folder: Path) -> Path:
        """Return a file with an object that never changes; from a store it is fetched once."""

    def delete(self, names: Iterable[str]) -> None:
        """Remove objects."""


class FolderPlace:
    """A folder. No link in it is followed: a workspace may bring the folder along."""

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()
        self.url = str(self._root)

    def put(self, name: str, data: bytes) -> None:
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            write_atomically(self._root, PurePosixPath(name), data, Job())
        except (OSError, PathError) as error:
            raise failure(self, name, str(error)) from error

    def get(self, name: str, most_bytes: int) -> bytes | None:
        try:
            with opened(self._root, PurePosixPath(name), most_bytes) as file:
                return file.read(most_bytes)
        except (FileMissing, FileTooLarge, FileNotFoundError):
            return None
        except (OSError, PathError) as error:
            raise failure(self, name, str(error)) from error

    def get_parts(self, name: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        try:
            descriptor = open_below(self._root, PurePosixPath(name), READ)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise failure(self, name, str(error)) from error
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            return [os.pread(descriptor, length, offset) for offset, length in spans]
        finally:
            os.close(descriptor)

    def listing(self, prefix: str) -> Iterator[tuple[str, float]]:
        waiting = [PurePosixPath(prefix)]
        while waiting:
            folder = waiting.pop()
            for name, status in self._entries(folder):
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(folder / name)
                elif stat.S_ISREG(status.st_mode):
                    yield str(folder / name), status.st_mtime

    def _entries(self, folder: PurePosixPath) -> list[tuple[str, os.stat_result]]:
        with suppress(FileNotFoundError, NotADirectoryError):
            try:
                with folder_beneath(self._root, folder) as handle, os.scandir(handle) as entries:
                    return [(it.name, it.stat(follow_symlinks=False)) for it in entries]
            except (FileNotFoundError, NotADirectoryError):
                raise
            except OSError as error:
                raise failure(self, str(folder), str(error)) from error
        return []

    def file_of(self, name: str, cache_folder: Path) -> Path:  # noqa: ARG002 - as declared
        try:
            with opened(self._root, PurePosixPath(name), 1 << 40):
                return self._root / name
        except (OSError, PathError) as error:
            raise failure(self, name, str(error)) from error

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            path = PurePosixPath(name)
            with suppress(FileNotFoundError):
                try:
                    with folder_beneath(self._root, path.parent) as folder:
                        os.unlink(path.name, dir_fd=folder)
                except FileNotFoundError:
                    raise
                except OSError as error:
                    raise failure(self, name, str(error)) from error


# How long a store that does not answer is tried again.
_PATIENCE = timedelta(seconds=60)
RETRIES = 10
_MAX_DELETED_OBJECTS = 1_000
# What an address cannot contain: spaces, controls, and anything but ASCII.
_NO_ADDRESS = re.compile(r"[^!-~]")


class BucketPlace:
    """A path of an object store: S3 and what speaks like it, Google Cloud, Azure; with obstore."""

    def __init__(self, url: str) -> None:
        """Open a URL.

        Raises:
            DependencyMissing: when the extra is not installed.
            StoreFails: when there is no such store.
        """
        self.url = url
        self._store = _open(url)

    def put(self, name: str, data: bytes) -> None:
        import obstore  # noqa: PLC0415 - an extra

        with self._errors(name):
            obstore.put(self._store, name, data)

    def get(self, name: str, most_bytes: int) -> bytes | None:
        import obstore  # noqa: PLC0415 - an extra

        with self._errors(name):
            try:
                found = obstore.get(self._store, name)
                return None if found.meta["size"] > most_bytes else bytes(found.bytes())
            except FileNotFoundError:
                return None

    def get_parts(self, name: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        import obstore  # noqa: PLC0415 - an extra

        starts = [offset for offset, _ in spans]
        lengths = [length for _, length in spans]
        with self._errors(name):
            try:
                parts = obstore.get_ranges(self._store, name, starts=starts, lengths=lengths)
            except FileNotFoundError:
                return None
            return [bytes(part) for part in parts]

    def listing(self, prefix: str) -> Iterator[tuple[str, float]]:
        import obstore  # noqa: PLC0415 - an extra

        with self._errors(prefix):
            for some in obstore.list(self._store, prefix):
                yield from ((it["path"], it["last_modified"].timestamp()) for it in some)

    def file_of(self, name: str, cache_folder: Path) -> Path:
        """Return a file with an object that never changes; it is fetched once."""
        root = cache_folder / hashlib.blake2b(self.url.encode(), digest_size=8).hexdigest()
        local = root / name
        if not local.is_file():
            data = self.get(name, TABLE_BYTES)
            if data is None:
                raise failure(self, name, "it is gone")
            root.mkdir(parents=True, exist_ok=True)
            write_atomically(root, PurePosixPath(name), data, Job())
        return local

    def delete(self, names: Iterable[str]) -> None:
        import obstore  # noqa: PLC0415 - an extra

        waiting = list(names)
        for first in range(0, len(waiting), _MAX_DELETED_OBJECTS):
            with self._errors(waiting[first]):
                obstore.delete(self._store, waiting[first : first + _MAX_DELETED_OBJECTS])

    @contextmanager
    def _errors(self, name: str) -> Iterator[None]:
        from obstore.exceptions import BaseError  # noqa: PLC0415 - an extra

        try:
            yield
        except (BaseError, OSError) as error:
            raise failure(self, name, str(error).partition("\n")[0]) from error


def _open(url: str) -> "ObjectStore":
    require_extra("fleet", "A store on the network")
    from obstore.exceptions import BaseError  # noqa: PLC0415 - an extra
    from obstore.store import S3Store, from_url  # noqa: PLC0415 - an extra

    try:
        if urlsplit(url).scheme not in {"s3", "s3a"}:
            return from_url(url)
        is_plain = _endpoint().startswith("http://")
        return S3Store.from_url(
            url,
            client_options={"allow_http": is_plain},
            retry_config={"max_retries": RETRIES, "retry_timeout": _PATIENCE},
        )
    except (BaseError, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise StoreFails(
            f"{shown_url(url)} is not a place for a fleet: {reason}",
            suggestion="Name a folder, or a URL such as s3://bucket/path.",
        ) from error


def _endpoint() -> str:
    """Return the address of the store that the environment names; with another, obstore panics.

    Raises:
        StoreFails: when it is none.
    """
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT"):
        given = os.environ.get(name, "")
        try:
            parts = urlsplit(given)
            is_address = parts.scheme in {"http", "https"} and bool(parts.hostname)
            is_address = is_address and parts.port != 0 and not _NO_ADDRESS.search(given)
        except ValueError:  # half an IPv6 address, or a port over 65535
            is_address = False
        if given and not is_address:
            raise StoreFails(
                f"{name} is no address of a store" + (f": {given!r}" if "@" not in given else ""),
                suggestion="Set it to one such as http://127.0.0.1:9000, or unset it.",
            )
        if given:
            return given
    return ""


def open_place(url: str) -> Place:
    """Open a folder, or a URL such as `s3://bucket/path`; credentials are in the environment.

    Raises:
        DependencyMissing: when the extra is not installed.
        StoreFails: when there is no such store.
    """
    if "://" not in url:
        return FolderPlace(Path(url))
    return BucketPlace(url)


def names_in(place: Place, prefix: str) -> list[str]:
    """Return the names of objects with a prefix, sorted."""
    return sorted(name for name, _ in place.listing(prefix))


def failure(place: Place, name: str, reason: str) -> StoreFails:
    """Return the error that names the place and the way on."""
    return StoreFails(
        f"{shown_url(place.url)} cannot be used ({name}): {reason}",
        suggestion="Check that the store runs and may be written; what was measured is kept "
        "there, and the same command goes on from it.",
    )


def shown_url(url: str) -> str:
    """Return a URL without user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if parts.scheme else url
