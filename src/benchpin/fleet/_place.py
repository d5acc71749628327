"""The place of a fleet: a folder, or a bucket of an object store.

Objects are whole or not there. All but the records of repositories are named by their content or by
what they were computed from, and are never changed, so that any number of processes may write at
once. What is in a place may come from anybody: names are checked, and sizes are limited.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from benchpin.core.errors import BenchpinError

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


def open_place(url: str) -> Place:
    """Open a folder, or a URL such as `s3://bucket/path`; credentials are in the environment.

    Raises:
        DependencyMissing: when the extra is not installed.
        StoreFails: when there is no such store.
    """
    if "://" not in url:
        from ._folder_place import FolderPlace  # noqa: PLC0415 - one of two

        return FolderPlace(Path(url))
    from ._bucket_place import BucketPlace  # noqa: PLC0415 - one of two

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
