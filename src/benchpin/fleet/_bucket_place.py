"""A place in an object store: S3 and what speaks like it, Google Cloud, Azure; with obstore."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchpin.core.calls import Job
from benchpin.system.processes import require_extra
from benchpin.workspace.writing import write_atomically

from ._place import TABLE_BYTES, StoreFails, failure, shown_url

if TYPE_CHECKING:
    from obstore.store import ObjectStore

# How long a store that does not answer is tried again.
_PATIENCE = timedelta(seconds=60)
RETRIES = 10
_MAX_DELETED_OBJECTS = 1_000


class BucketPlace:
    """Objects of a bucket below a path."""

    def __init__(self, url: str) -> None:
        """Open a URL.

        Raises:
            DependencyMissing: when the extra is not installed.
            StoreFails: when there is no such store.
        """
        self.url = url
        self._store = _open(url)

    def put(self, name: str, data: bytes) -> None:
        """Write an object, or replace it."""
        import obstore  # noqa: PLC0415 - an extra

        with self._errors(name):
            obstore.put(self._store, name, data)

    def get(self, name: str, most_bytes: int) -> bytes | None:
        """Return an object; None when there is none, or it is larger."""
        import obstore  # noqa: PLC0415 - an extra

        with self._errors(name):
            try:
                found = obstore.get(self._store, name)
                return None if found.meta["size"] > most_bytes else bytes(found.bytes())
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

    def listing(self, prefix: str) -> Iterator[tuple[str, float]]:
        """Yield the names of objects with a prefix, and when each was written."""
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
        """Remove objects."""
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
        is_plain = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
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
