"""A SQLite database in the cache folder: what can be computed again, shared by processes.

Several processes use it at once (WAL). Its content is not trusted: every row has a checksum, and a
database that SQLite cannot read is deleted and created again. A full disk or a read-only folder is
not damage: then it is only read, or not used at all.

Writes are not synced to disk: what a power failure destroys is detected like any damage, and
computed again.
"""

import logging
import sqlite3
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import cast

from benchpin.core.own_files import require_own

logger = logging.getLogger(__name__)

SqlValue = str | int | bytes
Row = tuple[object, ...]

DAY_S = 86_400
# No query takes so long, unless the pages of a damaged database lead to one another for ever.
_MAX_QUERY_S = 20.0
_STEPS_BETWEEN_CHECKS = 1_000_000
_STALE_S = 30 * DAY_S
_MAX_OTHER_VERSIONS = 2
_BUSY_S = 5.0
_RETRY_S = 0.02
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_PAGE_BYTES = 1 << 14  # facts of a file are some kilobytes: fewer overflow pages than with 4 KiB
_WAL_BYTES = 1 << 24  # the log is cut to this size after a checkpoint
# In a damaged database a name may not be UTF-8, and a page may ask for more memory than there is.
_FAILURES = (sqlite3.Error, UnicodeError, MemoryError)
# Errors of the machine; any other error means that the database is damaged.
_NOT_DAMAGE = frozenset(
    getattr(sqlite3, f"SQLITE_{name}")
    for name in [
        "BUSY",
        "CANTOPEN",
        "FULL",
        "IOERR",
        "LOCKED",
        "NOMEM",
        "PERM",
        "READONLY",
    ]
)


class CacheDatabase:
    """A database of one version; if it cannot be used, nothing is found and nothing saved."""

    def __init__(self, folder: Path, kind: str, version: str, schema: Sequence[str]) -> None:
        """Open `kind-version.sqlite`; the tables of the schema are created where they lack."""
        self._file = folder / f"{kind}-{version}.sqlite"
        self._kind = kind
        self._schema = schema
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._warn("cannot be used", error)
            return
        self._open()
        if self.is_usable:
            self._drop_other_versions()

    @property
    def is_usable(self) -> bool:
        return self._connection is not None

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> None:
        """Open the database; replace it if it is damaged."""
        try:
            try:
                self._connection = self._connect_patiently()
            except _FAILURES as error:
                if not _is_damage(error):
                    raise
                self._warn("was damaged and is created again", error)
                _remove(self._file)
                self._connection = self._connect()
        except (OSError, *_FAILURES) as error:
            self._warn("cannot be used", error)

    def _connect_patiently(self) -> sqlite3.Connection:
        """Retry while another process creates the database, which the timeout does not cover."""
        until = time.monotonic() + _BUSY_S
        while True:
            try:
                return self._connect()
            except sqlite3.OperationalError as error:
                if (
                    getattr(error, "sqlite_errorcode", None) not in _BUSY
                    or time.monotonic() > until
                ):
                    raise
                time.sleep(_RETRY_S)

    def _connect(self) -> sqlite3.Connection:
        for suffix in ("", "-wal", "-shm", "-journal"):  # or its error is of the disk
            require_own(self._file.with_name(self._file.name + suffix))
        connection = sqlite3.connect(
            self._file, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
            for statement in self._schema:
                connection.execute(statement)
            self._refuse_foreign(connection)
        except _FAILURES:
            connection.close()
            raise
        return connection

    def _refuse_foreign(self, connection: sqlite3.Connection) -> None:
        """Refuse a database with anything but our tables: a view in place of one may never end.

        Raises:
            sqlite3.DatabaseError: without a code, as it is about the content.
        """
        rows = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
        own = {it.replace("IF NOT EXISTS ", "", 1) for it in self._schema}
        if {sql for (sql,) in rows} != own:
            problem = "it has other tables or views than ours"
            raise sqlite3.DatabaseError(problem)

    def _drop_other_versions(self) -> None:
        """Delete databases of other versions, except the two newest of the last month."""
        others: list[tuple[float, Path]] = []
        for path in self._file.parent.glob(f"{self._kind}-*.sqlite"):
            with suppress(OSError):
                if path.name != self._file.name:
                    others.append((path.stat().st_mtime, path))
        for rank, (used, path) in enumerate(sorted(others, reverse=True)):
            if rank >= _MAX_OTHER_VERSIONS or time.time() - used > _STALE_S:
                with suppress(OSError):
                    _remove(path)

    def _query(self, statement: str, values: Sequence[SqlValue]) -> list[Row]:
        with self._lock:
            if self._connection is None:
                return []
            until = time.thread_time() + _MAX_QUERY_S
            self._connection.set_progress_handler(
                lambda: time.thread_time() > until, _STEPS_BETWEEN_CHECKS
            )
            try:
                return self._connection.execute(statement, values).fetchall()
            except _FAILURES as error:
                self._recover(error)
                return []

    def _write(self, statements: Callable[[sqlite3.Connection], object]) -> bool:
        """Run statements in one transaction; return whether it was committed."""
        with self._lock:
            connection = self._connection
            if connection is None:
                return False
            try:
                connection.execute("BEGIN IMMEDIATE")
                statements(connection)
                connection.execute("COMMIT")
            except _FAILURES as error:
                with suppress(*_FAILURES):
                    connection.execute("ROLLBACK")
                self._recover(error)
                return False
            return True

    def _recover(self, error: Exception) -> None:
        """Replace a damaged database; ignore other errors, which may be temporary."""
        if not _is_damage(error):
            self._warn("failed", error)
            return
        self._warn("was damaged and is created again", error)
        self.close()
        try:
            _remove(self._file)
        except OSError as failure:
            self._warn("cannot be used", failure)
        else:
            self._open()

    def _size_bytes(self) -> int:
        """Return the size of the used pages; free ones will be used again."""
        rows = self._query(
            "SELECT (page_count - freelist_count) * page_size"
            " FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
            (),
        )
        return cast("int", rows[0][0]) if rows else 0

    def _warn(self, what: str, error: Exception) -> None:
        logger.warning("the cache of %s %s: %s", self._kind, what, error)


def _is_damage(error: Exception) -> bool:
    """Whether the database is damaged; an error without a code is about its content."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is None or code & 0xFF not in _NOT_DAMAGE


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def checksum(name: str, key: bytes, data: bytes) -> int:
    """Return the checksum of a row: of its data, and of where it belongs."""
    return zlib.crc32(data, zlib.crc32(key, zlib.crc32(name.encode())))
