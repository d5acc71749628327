"""Facts on disk, by the content of files: one database for all workspaces and each engine."""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast

import msgspec

from ._cache_database import DAY_S, CacheDatabase, Row, checksum
from ._versions import KEY_BYTES, VERSION_BYTES, engine_version, place_of

SECTIONS = ("outline", "links", "comments", "tokens")
MAX_BYTES = 1 << 30  # about 100,000 files: Django takes 31 MB for 2,833
_SCHEMA_VERSION = 2
_OLDEST_AND_NEXT = "SELECT id FROM roots ORDER BY used, id LIMIT 2"
_VARIABLES = 500  # SQLite before 3.32 allows 999 in a statement
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS roots (id INTEGER PRIMARY KEY, root BLOB UNIQUE, used INTEGER)",
    """CREATE TABLE IF NOT EXISTS files (root INTEGER, path TEXT, size INTEGER, mtime_ns INTEGER,
    ctime_ns INTEGER, key BLOB, PRIMARY KEY (root, path)) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS listings (root INTEGER PRIMARY KEY, crc INTEGER, data BLOB)",
    # Facts that measures derive: `fact` is `place_of`, and the key begins with that of the content.
    """CREATE TABLE IF NOT EXISTS derived (fact BLOB, key BLOB, crc INTEGER, data BLOB,
    PRIMARY KEY (fact, key))""",
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


class FactCache(CacheDatabase):
    """The cache in one folder; if it cannot be used, nothing is found and nothing saved."""

    def __init__(self, folder: Path, max_bytes: int = MAX_BYTES) -> None:
        super().__init__(folder, "facts", f"{_SCHEMA_VERSION}-{engine_version()}", _SCHEMA)
        self._max_bytes = max_bytes

    def stamps(self, root: bytes) -> dict[str, FileStamp]:
        # At most one write a day: a plain read must not lock the database.
        yesterday = int(time.time()) - DAY_S
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
                and checksum(section, key, data) == crc
            )
        return found

    def keys_of(self, section: str) -> frozenset[bytes]:
        """Return the keys that have a section, of all workspaces."""
        rows = self._query(f"SELECT key FROM {_table(section)}", ())  # noqa: S608 - fixed names
        return frozenset(cast("bytes", key) for (key,) in rows)

    def keys_lacking(
        self, root: bytes, texts: Sequence[bytes], sections: Sequence[str]
    ) -> frozenset[bytes]:
        """Return the keys of a workspace that have none of some texts in any of these sections.

        A file whose key is not among them may have one. Checksums are not compared for this.
        """
        stamped = "SELECT key FROM files JOIN roots ON files.root = roots.id WHERE roots.root = ?"
        absent = " AND instr(data, ?) = 0" * len(texts)
        lacking = " INTERSECT ".join(
            f"SELECT key FROM {_table(section)} WHERE key IN ({stamped}){absent}"  # noqa: S608 - fixed names
            for section in sections
        )
        rows = self._query(lacking, (root, *texts) * len(sections))
        return frozenset(cast("bytes", key) for (key,) in rows)

    def save_facts(self, facts: Mapping[bytes, Mapping[str, bytes]]) -> None:

        def insert(connection: sqlite3.Connection) -> None:
            for section in SECTIONS:
                rows = ((key, it[section]) for key, it in facts.items())
                connection.executemany(
                    f"INSERT OR REPLACE INTO {section} VALUES (?, ?, ?)",  # noqa: S608 - a fixed name
                    ((key, checksum(section, key, data), data) for key, data in rows),
                )

        self._write(insert)

    def load_derived(self, fact: bytes, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return a derived fact for each key that has one; damaged rows are skipped."""
        return {
            key: data
            for key, crc, data in self._derived("key, crc, data", fact, keys)
            if isinstance(key, bytes)
            and isinstance(data, bytes)
            and checksum("derived", fact + key, data) == crc
        }

    def derived_keys(self, fact: bytes, keys: Sequence[bytes]) -> set[bytes]:
        """Return which keys have a derived fact; checksums are not compared for this."""
        return {cast("bytes", key) for (key,) in self._derived("key", fact, keys)}

    def _derived(self, columns: str, fact: bytes, keys: Sequence[bytes]) -> Iterator[Row]:
        for start in range(0, len(keys), _VARIABLES):
            some = keys[start : start + _VARIABLES]
            marks = ",".join("?" * len(some))
            yield from self._query(
                f"SELECT {columns} FROM derived WHERE fact = ? AND key IN ({marks})",  # noqa: S608 - fixed names and marks
                (fact, *some),
            )

    def save_derived(self, rows: Iterable[tuple[bytes, bytes, bytes]]) -> bool:
        """Save derived facts: of each the fact, the key and the value; return whether it worked."""

        def insert(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "INSERT OR REPLACE INTO derived VALUES (?, ?, ?, ?)",
                (
                    (fact, key, checksum("derived", fact + key, data), data)
                    for fact, key, data in rows
                ),
            )

        return self._write(insert)

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
        rows = self._query(
            "SELECT crc, data FROM listings JOIN roots ON listings.root = roots.id"
            " WHERE roots.root = ?",
            (root,),
        )
        for crc, data in rows:
            if isinstance(data, bytes) and checksum("listings", root, data) == crc:
                return data
        return b""

    def save_listings(self, root: bytes, data: bytes) -> None:

        def replace(connection: sqlite3.Connection) -> None:
            row = (_touch(connection, root), checksum("listings", root, data), data)
            connection.execute("INSERT OR REPLACE INTO listings VALUES (?, ?, ?)", row)

        self._write(replace)

    def forget(self, root: bytes) -> None:
        """Delete the stamps and listings of a workspace; facts stay."""
        numbers = self._query("SELECT id FROM roots WHERE root = ?", (root,))
        self._write(partial(_drop_roots, numbers=numbers))

    def trim(self) -> None:
        """Delete facts above the size limit: first unused ones, then the oldest workspaces.

        The one that was used last stays, whatever its size: else each process would parse it again.
        """
        oldest: list[Row] = []
        while self._size_bytes() > self._max_bytes:
            if not self._write(partial(_drop, roots=oldest)):
                return
            [*oldest, _] = self._query(_OLDEST_AND_NEXT, ()) or [()]
            if not oldest:
                return


def _touch(connection: sqlite3.Connection, root: bytes) -> int:
    """Record that a workspace is in use, and return its id."""
    [number] = connection.execute(
        "INSERT INTO roots (root, used) VALUES (?, ?)"
        " ON CONFLICT (root) DO UPDATE SET used = excluded.used RETURNING id",
        (root, int(time.time())),
    ).fetchone()
    return cast("int", number)


def _drop_roots(connection: sqlite3.Connection, numbers: list[Row]) -> None:
    for number in numbers:
        connection.execute("DELETE FROM files WHERE root = ?", number)
        connection.execute("DELETE FROM listings WHERE root = ?", number)
        connection.execute("DELETE FROM roots WHERE id = ?", number)


def _drop(connection: sqlite3.Connection, roots: list[Row]) -> None:
    _drop_roots(connection, roots)
    for section in SECTIONS:
        connection.execute(
            f"DELETE FROM {section} WHERE key NOT IN (SELECT key FROM files)"  # noqa: S608 - a fixed name
        )
    # Those of other versions of the measures first: the name of the database does not tell them.
    connection.execute(
        "DELETE FROM derived WHERE substr(fact, 1, ?) != ?"
        " OR substr(key, 1, ?) NOT IN (SELECT key FROM files)",
        (VERSION_BYTES, place_of("", b"")[:VERSION_BYTES], KEY_BYTES),
    )


def _table(section: str) -> str:
    if section not in SECTIONS:
        message = f"{section!r} is not a section of facts"
        raise ValueError(message)
    return section
