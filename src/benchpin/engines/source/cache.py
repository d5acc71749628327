"""Facts on disk, by the content of files: one SQLite database for all workspaces.

Each version of the engine has a database of its own. Several processes use it at once (WAL). Its
content is not trusted: every row has a checksum, and a database that SQLite cannot read is deleted
and created again. A full disk or a read-only folder is not damage: then the cache is only read, or
not used at all.

Writes are not synced to disk: what a power failure destroys is detected like any damage, and
computed again.
"""

import logging
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import RLock
from typing import cast

import msgspec

from .versions import engine_version

logger = logging.getLogger(__name__)

SqlValue = str | int | bytes

SECTIONS = ("outline", "links", "comments", "tokens")
MAX_BYTES = 1 << 30
_SCHEMA_VERSION = 2
_DAY_S = 86_400
_STALE_S = 30 * _DAY_S
_MAX_OTHER_ENGINES = 2
_BUSY_S = 5.0
_RETRY_S = 0.02
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_VARIABLES = 500  # SQLite before 3.32 allows 999 in a statement
_PAGE_BYTES = 1 << 14  # facts of a file are some kilobytes: fewer overflow pages than with 4 KiB
_WAL_BYTES = 1 << 24  # the log is cut to this size after a checkpoint
_FAILURES = (sqlite3.Error, UnicodeError)
"""UnicodeError when a name in a damaged database is not UTF-8."""
_NOT_DAMAGE = frozenset(
    getattr(sqlite3, f"SQLITE_{name}")
    for name in [
        "BUSY",
        "CANTOPEN",
        "FULL",
        "INTERRUPT",
        "IOERR",
        "LOCKED",
        "NOMEM",
        "PERM",
        "READONLY",
    ]
)
"""Errors of the machine; any other error means that the database is damaged."""
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS roots (id INTEGER PRIMARY KEY, root BLOB UNIQUE, used INTEGER)",
    """CREATE TABLE IF NOT EXISTS files (root INTEGER, path TEXT, size INTEGER, mtime_ns INTEGER,
    ctime_ns INTEGER, key BLOB, PRIMARY KEY (root, path)) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS listings (root INTEGER PRIMARY KEY, crc INTEGER, data BLOB)",
    *(
        f"CREATE TABLE IF NOT EXISTS {section} (key BLOB PRIMARY KEY, crc INTEGER, data BLOB)"
        for section in SECTIONS
    ),
)


class FileStamp(msgspec.Struct, frozen=True, gc=False):
    """The status of a file when its content was read, and the key of its facts."""

    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    key: bytes


class FactCache:
    """The cache in one folder; if it cannot be used, nothing is found and nothing saved."""

    def __init__(self, folder: Path, max_bytes: int = MAX_BYTES) -> None:
        self._file = folder / f"facts-{_SCHEMA_VERSION}-{engine_version()}.sqlite"
        self._max_bytes = max_bytes
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            logger.warning("the fact cache cannot be used: %s", error)
            return
        self._open()
        if self.is_usable:
            self._drop_other_engines()

    @property
    def is_usable(self) -> bool:
        """Whether the database is open."""
        return self._connection is not None

    def stamps(self, root: bytes) -> dict[str, FileStamp]:
        """Return the stamps of the files of a workspace."""
        # At most one write a day: a plain read must not lock the database.
        yesterday = int(time.time()) - _DAY_S
        if self._query("SELECT 1 FROM roots WHERE root = ? AND used < ?", (root, yesterday)):
            self._write(partial(_touch, root=root))
        rows = self._query(
            "SELECT path, size, mtime_ns, ctime_ns, key FROM files"
            " JOIN roots ON files.root = roots.id WHERE roots.root = ?",
            (root,),
        )
        known = cast("list[tuple[object, int, int, int, bytes]]", rows)
        return {
            path: FileStamp(size, mtime_ns, ctime_ns, key)
            for path, size, mtime_ns, ctime_ns, key in known
            if isinstance(path, str)
        }

    def load(self, section: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return a section for each key that has one; damaged rows are skipped."""
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _VARIABLES):
            some = keys[start : start + _VARIABLES]
            marks = ",".join("?" * len(some))
            rows = self._query(
                f"SELECT key, crc, data FROM {_table(section)} WHERE key IN ({marks})",  # noqa: S608 - fixed names and marks
                some,
            )
            found.update(
                (key, data)
                for key, crc, data in rows
                if isinstance(key, bytes)
                and isinstance(data, bytes)
                and _checksum(section, key, data) == crc
            )
        return found

    def save_facts(self, facts: Mapping[bytes, Mapping[str, bytes]]) -> None:
        """Save the sections of some files, by key."""

        def insert(connection: sqlite3.Connection) -> None:
            for section in SECTIONS:
                rows = ((key, it[section]) for key, it in facts.items())
                connection.executemany(
                    f"INSERT OR REPLACE INTO {section} VALUES (?, ?, ?)",  # noqa: S608 - a fixed name
                    ((key, _checksum(section, key, data), data) for key, data in rows),
                )

        self._write(insert)

    def save_stamps(
        self, root: bytes, stamps: Mapping[str, FileStamp], gone: Iterable[str]
    ) -> None:
        """Save the stamps of files of a workspace, and delete those of removed files."""

        def replace(connection: sqlite3.Connection) -> None:
            number = _touch(connection, root)
            connection.executemany(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (number, path, it.size_bytes, it.mtime_ns, it.ctime_ns, it.key)
                    for path, it in stamps.items()
                ),
            )
            connection.executemany(
                "DELETE FROM files WHERE root = ? AND path = ?", ((number, path) for path in gone)
            )

        self._write(replace)

    def listings(self, root: bytes) -> bytes:
        """Return the encoded folder listings of a workspace."""
        rows = self._query(
            "SELECT crc, data FROM listings JOIN roots ON listings.root = roots.id"
            " WHERE roots.root = ?",
            (root,),
        )
        for crc, data in rows:
            if isinstance(data, bytes) and _checksum("listings", root, data) == crc:
                return data
        return b""

    def save_listings(self, root: bytes, data: bytes) -> None:
        """Save the encoded folder listings of a workspace."""

        def replace(connection: sqlite3.Connection) -> None:
            row = (_touch(connection, root), _checksum("listings", root, data), data)
            connection.execute("INSERT OR REPLACE INTO listings VALUES (?, ?, ?)", row)

        self._write(replace)

    def forget(self, root: bytes) -> None:
        """Delete the stamps and listings of a workspace; facts stay."""
        numbers = self._query("SELECT id FROM roots WHERE root = ?", (root,))
        self._write(partial(_drop_roots, numbers=numbers))

    def trim(self) -> None:
        """Delete facts above the size limit: first unused ones, then the oldest workspaces."""
        oldest: list[tuple[object, ...]] = []
        while self._size_bytes() > self._max_bytes:
            if not self._write(partial(_drop, roots=oldest)):
                return
            oldest = self._query("SELECT id FROM roots ORDER BY used, id LIMIT 1", ())
            if not oldest:
                return

    def close(self) -> None:
        """Close the database."""
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
                logger.warning("the fact cache was damaged and is created again: %s", error)
                _remove(self._file)
                self._connection = self._connect()
        except (OSError, *_FAILURES) as error:
            logger.warning("the fact cache cannot be used: %s", error)

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
        connection = sqlite3.connect(
            self._file, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
            for statement in _SCHEMA:
                connection.execute(statement)
        except _FAILURES:
            connection.close()
            raise
        return connection

    def _drop_other_engines(self) -> None:
        """Delete databases of other engine versions, except the two newest of the last month."""
        others: list[tuple[float, Path]] = []
        for path in self._file.parent.glob("facts-*.sqlite"):
            with suppress(OSError):
                if path.name != self._file.name:
                    others.append((path.stat().st_mtime, path))
        for rank, (used, path) in enumerate(sorted(others, reverse=True)):
            if rank >= _MAX_OTHER_ENGINES or time.time() - used > _STALE_S:
                with suppress(OSError):
                    _remove(path)

    def _query(self, statement: str, values: Sequence[SqlValue]) -> list[tuple[object, ...]]:
        with self._lock:
            if self._connection is None:
                return []
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
            logger.warning("the fact cache failed: %s", error)
            return
        logger.warning("the fact cache was damaged and is created again: %s", error)
        self.close()
        try:
            _remove(self._file)
        except OSError as failure:
            logger.warning("the fact cache cannot be used: %s", failure)
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


def _is_damage(error: Exception) -> bool:
    """Whether the database is damaged; an error without a code is about its content."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is None or code & 0xFF not in _NOT_DAMAGE


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _checksum(section: str, key: bytes, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(key, zlib.crc32(section.encode())))


def _touch(connection: sqlite3.Connection, root: bytes) -> int:
    """Record that a workspace is in use, and return its id."""
    [number] = connection.execute(
        "INSERT INTO roots (root, used) VALUES (?, ?)"
        " ON CONFLICT (root) DO UPDATE SET used = excluded.used RETURNING id",
        (root, int(time.time())),
    ).fetchone()
    return cast("int", number)


def _drop_roots(connection: sqlite3.Connection, numbers: list[tuple[object, ...]]) -> None:
    for number in numbers:
        connection.execute("DELETE FROM files WHERE root = ?", number)
        connection.execute("DELETE FROM listings WHERE root = ?", number)
        connection.execute("DELETE FROM roots WHERE id = ?", number)


def _drop(connection: sqlite3.Connection, roots: list[tuple[object, ...]]) -> None:
    _drop_roots(connection, roots)
    for section in SECTIONS:
        connection.execute(
            f"DELETE FROM {section} WHERE key NOT IN (SELECT key FROM files)"  # noqa: S608 - a fixed name
        )


def _table(section: str) -> str:
    if section not in SECTIONS:
        message = f"{section!r} is not a section of facts"
        raise ValueError(message)
    return section
