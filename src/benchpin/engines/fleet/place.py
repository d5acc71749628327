"""The place of a fleet: a folder, or a bucket of an object store.

Objects are whole or not there: stores put them atomically, a folder by a rename. All but the
records of repositories are named by their content or by what they were computed from, and are
never changed, so that any number of processes may write at once.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchpin.core import BenchpinError, DependencyMissing, Job
from benchpin.engines.files.writing import write_atomically

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_PATIENCE = timedelta(seconds=60)
"""How long a store that does not answer is tried again."""
_RETRIES = 10
_MOST_DELETED = 1_000


class StoreFails(BenchpinError):
    """The place of a fleet cannot be read or written."""

    kind = "store_fails"
    is_server_fault = True


class Place:
    """Objects by name."""

    def __init__(self, url: str) -> None:
        """Open a folder, or a URL such as `s3://bucket/path`; credentials are in the environment.

        Raises:
            DependencyMissing: when the extra is not installed.
            StoreFails: when there is no such store.
        """
        self.url = url
        self._folder = None if "://" in url else Path(url).absolute()
        self._store = _open(url)

    def put(self, name: str, data: bytes) -> None:
        """Write an object, or replace it."""
        import obstore  # noqa: PLC0415 - an extra

        with self._errors(name):
            obstore.put(self._store, name, data)

    def get(self, name: str) -> bytes | None:
        """Return an object; None when there is none."""
        import obstore  # noqa: PLC0415 - an extra

        with self._errors(name):
            try:
                return bytes(obstore.get(self._store, name).bytes())
            except FileNotFoundError:
                return None

    def get_parts(self, name: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        """Return parts of an object by offset and length; None when there is none."""
        import obstore  # noqa: PLC0415 - an extra

        starts = [offset for offset, _ in spans]
        lengths = [length for _, length in spans]
        with self._errors(name):
            try:
                parts = obstore.get_ranges(self._store, name, starts=starts, lengths=lengths)
            except FileNotFoundError:
                return None
            return [bytes(part) for part in parts]

    def names(self, prefix: str) -> list[str]:
        """Return the names of objects with a prefix, sorted."""
        return sorted(name for name, _ in self.listing(prefix))

    def listing(self, prefix: str) -> Iterator[tuple[str, float]]:
        """Yield the names of objects with a prefix, and when each was written."""
        import obstore  # noqa: PLC0415 - an extra

        with self._errors(prefix):
            for some in obstore.list(self._store, prefix):
                yield from ((it["path"], it["last_modified"].timestamp()) for it in some)

    def file_of(self, name: str, cache_folder: Path) -> Path:
        """Return a file with an object that never changes; from a store it is fetched once.

        Raises:
            StoreFails: when there is no such object.
        """
        root = cache_folder / _digest(self.url) if self._folder is None else self._folder
        local = root / name
        if not local.is_file():
            data = None if self._folder is not None else self.get(name)
            if data is None:
                raise self._failure(name, "it is gone")
            root.mkdir(parents=True, exist_ok=True)
            write_atomically(root, PurePosixPath(name), data, Job())
        return local

    def delete(self, names: Iterable[str]) -> None:
        """Remove objects."""
        import obstore  # noqa: PLC0415 - an extra

        waiting = list(names)
        for first in range(0, len(waiting), _MOST_DELETED):
            with self._errors(waiting[first]):
                obstore.delete(self._store, waiting[first : first + _MOST_DELETED])

    @contextmanager
    def _errors(self, name: str) -> Iterator[None]:
        from obstore.exceptions import BaseError  # noqa: PLC0415 - an extra

        try:
            yield
        except (BaseError, OSError) as error:
            raise self._failure(name, str(error).partition("\n")[0]) from error

    def _failure(self, name: str, reason: str) -> StoreFails:
        return StoreFails(
            f"{shown_url(self.url)} cannot be used ({name}): {reason}",
            suggestion="Check that the store runs and may be written; what was measured is kept "
            "there, and the same command goes on from it.",
        )


def shown_url(url: str) -> str:
    """Return a URL without user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if parts.scheme else url


def _digest(url: str) -> str:
    return hashlib.blake2b(url.encode(), digest_size=8).hexdigest()


def _open(url: str) -> "ObjectStore":
    try:
        from obstore.exceptions import BaseError  # noqa: PLC0415 - an extra
        from obstore.store import LocalStore, S3Store, from_url  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise missing_extra("obstore") from error
    try:
        if "://" not in url:
            return LocalStore(prefix=Path(url).absolute(), mkdir=True)
        if urlsplit(url).scheme not in {"s3", "s3a"}:
            return from_url(url)
        is_plain = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
        return S3Store.from_url(
            url,
            client_options={"allow_http": is_plain},
            retry_config={"max_retries": _RETRIES, "retry_timeout": _PATIENCE},
        )
    except (BaseError, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise StoreFails(
            f"{shown_url(url)} is not a place for a fleet: {reason}",
            suggestion="Name a folder, or a URL such as s3://bucket/path.",
        ) from error


def missing_extra(module: str) -> DependencyMissing:
    """Return the error for a library of the extra that is not there."""
    return DependencyMissing(
        f"{module} is not installed",
        suggestion="Install it: pip install 'benchpin[fleet]'.",
        data={"extra": "fleet"},
    )
