"""Facts on disk: one SQLite file for all workspaces and each engine, by the content of files.

Several processes use it at once (WAL). Nothing in it is trusted: every row has a checksum, and a
file that SQLite cannot read is thrown away and begun anew.
"""

import logging
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from .versions import engine_version

logger = logging.getLogger(__name__)

SqlValue = str | int | bytes

SECTIONS = ("outline", "links", "comments", "tokens")
MAX_BYTES = 1 << 30
_SCHEMA_VERSION = 1
_STALE_S = 30 * 86_400
_BUSY_S = 20.0
_VARIABLES = 500
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS roots (id INTEGER PRIMARY KEY, root TEXT UNIQUE, used INTEGER)",
    """CREATE TABLE IF NOT EXISTS files (root INTEGER, path TEXT, size INTEGER, mtime_ns INTEGER,
    key BLOB, PRIMARY KEY (root, path)) WITHOUT ROWID""",
    *(
        f"CREATE TABLE IF NOT EXISTS {section} (key BLOB PRIMARY KEY, crc INTEGER, data BLOB)"
        for section in SECTIONS
    ),
)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a file looked like when its content was last read."""

    size_bytes: int
    mtime_ns: int
    key: bytes


class FactCache:
    """The cache in one folder; a machine without a usable one works without."""

    def __init__(self, folder: Path, max_bytes: int = MAX_BYTES) -> None:
        self._file = folder / f"facts-{_SCHEMA_VERSION}-{engine_version()}.sqlite"
        self._max_bytes = max_bytes
        self._connection: sqlite3.Connection | None = None
        with suppress(OSError, sqlite3.Error):
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = self._opened()
            self._drop_other_engines()

    @property
    def is_usable(self) -> bool:
        """Whether there is a cache at all."""
        return self._connection is not None

    def stamps(self, root: str) -> dict[str, Stamp]:
        """Return what is known of the files of a workspace."""
        rows = self._query(
            "SELECT path, size, mtime_ns, key FROM files JOIN roots ON files.root = roots.id"
            " WHERE roots.root = ?",
            (root,),
        )
        known = cast("list[tuple[str, int, int, bytes]]", rows)
        return {path: Stamp(size, mtime_ns, key) for path, size, mtime_ns, key in known}

    def load(self, section: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return a section for each key that has one; damaged rows are as if they were not."""
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _VARIABLES):
            some = keys[start : start + _VARIABLES]
            marks = ",".join("?" * len(some))
            rows = self._query(
                f"SELECT key, crc, data FROM {_table(section)} WHERE key IN ({marks})",  # noqa: S608 - fixed names and marks
                some,
            )
            stored = cast("list[tuple[bytes, int, bytes]]", rows)
            found.update((key, data) for key, crc, data in stored if zlib.crc32(data) == crc)
        return found

    def save_facts(self, facts: Mapping[bytes, Mapping[str, bytes]]) -> None:
        """Keep the sections of some files, by key."""

        def insert(connection: sqlite3.Connection) -> None:
            for section in SECTIONS:
                rows = ((key, it[section]) for key, it in facts.items())
                connection.executemany(
                    f"INSERT OR REPLACE INTO {section} VALUES (?, ?, ?)",  # noqa: S608 - a fixed name
                    ((key, zlib.crc32(data), data) for key, data in rows),
                )

        self._write(insert)

    def save_stamps(self, root: str, stamps: Mapping[str, Stamp], gone: Iterable[str]) -> None:
        """Remember what the files of a workspace looked like, and forget those that are gone."""

        def replace(connection: sqlite3.Connection) -> None:
            [number] = connection.execute(
                "INSERT INTO roots (root, used) VALUES (?, ?)"
                " ON CONFLICT (root) DO UPDATE SET used = excluded.used RETURNING id",
                (root, int(time.time())),
            ).fetchone()
            connection.executemany(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)",
                ((number, path, it.size_bytes, it.mtime_ns, it.key) for path, it in stamps.items()),
            )
            connection.executemany(
                "DELETE FROM files WHERE root = ? AND path = ?", ((number, path) for path in gone)
            )

        self._write(replace)

    def trim(self) -> None:
        """Make room when there is too much: what was used longest ago goes first."""
        while self._connection is not None and self._size_bytes() > self._max_bytes:
            oldest = self._query("SELECT id FROM roots ORDER BY used LIMIT 1", ())
            self._write(partial(_drop, roots=oldest))
            if self._connection is not None:
                self._connection.execute("VACUUM")
            if not oldest:
                return

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            logger.warning("the fact cache was damaged and is begun anew: %s", error)
            self._discard()
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._file, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        for statement in _SCHEMA:
            connection.execute(statement)
        return connection

    def _drop_other_engines(self) -> None:
        """Remove what engines left that nobody has used for a month."""
        for place in self._file.parent.glob("facts-*"):
            if not place.name.startswith(self._file.name):
                with suppress(OSError):
                    if time.time() - place.stat().st_mtime > _STALE_S:
                        place.unlink()

    def _discard(self) -> None:
        for ending in ("", "-wal", "-shm"):
            self._file.with_name(self._file.name + ending).unlink(missing_ok=True)

    def _query(self, statement: str, values: Sequence[SqlValue]) -> list[tuple[object, ...]]:
        if self._connection is None:
            return []
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            self._give_up(error)
            return []

    def _write(self, statements: Callable[[sqlite3.Connection], None]) -> None:
        """Write all or nothing; a cache that cannot be written is done without."""
        connection = self._connection
        if connection is None:
            return
        try:
            connection.execute("BEGIN IMMEDIATE")
            statements(connection)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            self._give_up(error)

    def _give_up(self, error: sqlite3.Error) -> None:
        logger.warning("the fact cache is not usable: %s", error)
        self.close()
        is_damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(
            error, sqlite3.OperationalError
        )
        if is_damaged:
            self._discard()

    def _size_bytes(self) -> int:
        rows = self._query(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", ()
        )
        return cast("int", rows[0][0]) if rows else 0


def _drop(connection: sqlite3.Connection, roots: list[tuple[object, ...]]) -> None:
    for (number,) in roots:
        connection.execute("DELETE FROM files WHERE root = ?", (number,))
        connection.execute("DELETE FROM roots WHERE id = ?", (number,))
    for section in SECTIONS:
        connection.execute(
            f"DELETE FROM {section} WHERE key NOT IN (SELECT key FROM files)"  # noqa: S608 - a fixed name
        )


def _table(section: str) -> str:
    if section not in SECTIONS:
        message = f"{section!r} is no section of facts"
        raise ValueError(message)
    return section
