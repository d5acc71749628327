"""Whatever happens to the file, the cache gives back what was put in, or nothing."""

import logging
import os
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchpin.facts.store import SECTIONS, FactCache, FileStamp
from benchpin.facts.store import _cache_database as module
from benchpin.facts.store._cache import MAX_BYTES

ROOT = b"/workspace"
SIZE = 40


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def facts(number: int) -> dict[str, bytes]:
    """Make sections big enough to need pages of their own."""
    return {section: f"{section} {number} ".encode() * 200 for section in SECTIONS}


STORED = {key(number): facts(number) for number in range(SIZE)}
STAMPS = {
    f"src/{number}.py": FileStamp(number, number, number, key(number)) for number in range(SIZE)
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "facts"


@pytest.fixture
def filled(folder: Path) -> Path:
    """Return the file of a cache that was filled and closed."""
    cache = FactCache(folder)
    cache.save_facts(STORED)
    cache.save_stamps(ROOT, STAMPS, ())
    cache.close()
    [file] = folder.iterdir()
    return file


@pytest.fixture
def opened(folder: Path) -> Iterator[Callable[..., FactCache]]:
    caches: list[FactCache] = []

    def open_cache(max_bytes: int = MAX_BYTES) -> FactCache:
        caches.append(FactCache(folder, max_bytes))
        return caches[-1]

    yield open_cache
    for cache in caches:
        cache.close()


def assert_true_or_nothing(cache: FactCache) -> int:
    """Read everything; what comes must be what was stored. Returns how much did."""
    count = 0
    for section in SECTIONS:
        for found, data in cache.load(section, list(STORED)).items():
            assert data == STORED[found][section]
            count += 1
    return count


def assert_usable(cache: FactCache) -> None:
    cache.save_facts(STORED)
    cache.save_stamps(ROOT, STAMPS, ())
    assert assert_true_or_nothing(cache) == SIZE * len(SECTIONS)
    assert cache.stamps(ROOT) == STAMPS


def test_what_was_stored_comes_back_in_another_process(
    filled: Path, opened: Callable[[], FactCache]
) -> None:
    assert filled.exists()
    cache = opened()
    assert assert_true_or_nothing(cache) == SIZE * len(SECTIONS)
    assert cache.stamps(ROOT) == STAMPS
    assert cache.stamps(b"/elsewhere") == {}
    assert cache.load("outline", [key(SIZE)]) == {}


def test_more_keys_than_sqlite_takes_at_once_are_found(opened: Callable[[], FactCache]) -> None:
    cache = opened()
    many = {key(number): facts(0) for number in range(1_203)}
    cache.save_facts(many)
    assert cache.load("links", list(many)).keys() == many.keys()


def test_files_that_are_gone_are_forgotten(opened: Callable[[], FactCache]) -> None:
    cache = opened()
    cache.save_stamps(ROOT, STAMPS, ())
    cache.save_stamps(ROOT, {}, ["src/0.py", "src/none.py"])
    assert cache.stamps(ROOT).keys() == STAMPS.keys() - {"src/0.py"}


@pytest.mark.parametrize("section", SECTIONS)
def test_a_row_that_was_altered_is_not_trusted(
    filled: Path, opened: Callable[[], FactCache], section: str
) -> None:
    changes = (
        "data = CAST('other' AS BLOB)",
        "data = 'text'",
        "data = NULL, crc = NULL",
        "crc = 'x'",
        "key = x'00ff'",
    )
    with closing(sqlite3.connect(filled)) as connection, connection:
        for row, change in enumerate(changes, start=1):
            connection.execute(f"UPDATE {section} SET {change} WHERE rowid = {row}")
    connection.close()
    found = opened().load(section, [*STORED, b"\x00\xff"])
    assert found == {key(number): facts(number)[section] for number in range(5, SIZE)}


def test_a_row_under_the_key_of_another_is_not_trusted(
    filled: Path, opened: Callable[[], FactCache]
) -> None:
    data = facts(7)["outline"]
    with closing(sqlite3.connect(filled)) as connection, connection:
        values = (key(99), zlib.crc32(data), data)
        connection.execute("INSERT INTO outline VALUES (?, ?, ?)", values)
        connection.execute(
            "INSERT INTO outline SELECT ?, crc, data FROM outline WHERE key = ?", (key(98), key(7))
        )
    connection.close()
    assert opened().load("outline", [key(98), key(99)]) == {}


def test_listings_that_were_altered_or_are_of_another_workspace_are_not_trusted(
    filled: Path, opened: Callable[[], FactCache]
) -> None:
    roots = (b"/one", b"/two", b"/three")
    cache = opened()
    for root in roots:
        cache.save_listings(root, b"in " + root)
    assert [cache.listings(root) for root in roots] == [b"in " + root for root in roots]
    cache.close()
    with closing(sqlite3.connect(filled)) as connection, connection:
        connection.execute("UPDATE listings SET data = x'00' WHERE data = CAST('in /one' AS BLOB)")
        connection.execute(
            "UPDATE listings SET (crc, data) = (SELECT crc, data FROM listings WHERE"
            " data = CAST('in /three' AS BLOB)) WHERE data = CAST('in /two' AS BLOB)"
        )
    connection.close()
    assert [opened().listings(root) for root in roots] == [b"", b"", b"in /three"]


def test_a_workspace_can_be_forgotten_without_what_its_files_said(
    opened: Callable[[], FactCache],
) -> None:
    cache = opened()
    cache.save_facts({key(1): facts(1)})
    for root in (b"/one", b"/two"):
        cache.save_stamps(root, {"a.py": FileStamp(1, 1, 1, key(1))}, ())
        cache.save_listings(root, b"folders")
    cache.forget(b"/one")
    assert (cache.stamps(b"/one"), cache.listings(b"/one")) == ({}, b"")
    assert (len(cache.stamps(b"/two")), cache.listings(b"/two")) == (1, b"folders")
    assert key(1) in cache.load("outline", [key(1)])


OFFSETS = (*range(0, 100, 4), *range(100, 4_096, 97), *range(4_096, 60_000, 1_013))


@pytest.mark.parametrize("damage", [b"\0" * 64, b"\xff" * 64, b"\x7f", os.urandom(512)])
def test_damage_anywhere_is_never_believed(
    filled: Path, opened: Callable[[], FactCache], damage: bytes
) -> None:
    whole = filled.read_bytes()
    for offset in OFFSETS:
        if offset >= len(whole):
            break
        filled.write_bytes(whole[:offset] + damage + whole[offset + len(damage) :])
        cache = opened()
        assert_true_or_nothing(cache)
        for path, stamp in cache.stamps(ROOT).items():
            if path in STAMPS and stamp.key != key(stamp.size_bytes):
                assert cache.load("outline", [stamp.key]) == {}
        cache.close()
        for ending in ("-wal", "-shm"):
            filled.with_name(filled.name + ending).unlink(missing_ok=True)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 99, 100, 512, 4_095, 4_096, 20_000, 70_000])
def test_a_truncated_database_is_created_again(
    filled: Path, opened: Callable[[], FactCache], size: int
) -> None:
    with filled.open("r+b") as file:
        file.truncate(size)
    cache = opened()
    assert_true_or_nothing(cache)
    cache.stamps(ROOT)
    assert_usable(cache)


@pytest.mark.parametrize("content", [b"not a database" * 500, b"SQLite format 3\0" + b"\xff" * 500])
def test_a_file_that_is_not_a_database_is_replaced(
    filled: Path, opened: Callable[[], FactCache], content: bytes
) -> None:
    filled.write_bytes(content)
    assert_usable(opened())


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE outline",
        "DROP TABLE files",
        "ALTER TABLE outline RENAME COLUMN data TO other",
        "ALTER TABLE files RENAME COLUMN key TO other",
        "UPDATE files SET path = CAST(x'ff' AS TEXT) WHERE path = 'src/0.py'",
    ],
)
def test_a_database_with_other_tables_is_replaced(
    filled: Path, opened: Callable[[], FactCache], statement: str
) -> None:
    with closing(sqlite3.connect(filled)) as connection, connection:
        connection.execute(statement)
    connection.close()
    cache = opened()
    assert_true_or_nothing(cache)
    cache.stamps(ROOT)
    assert_usable(cache)


def test_damage_while_the_cache_is_open_is_survived(
    filled: Path, opened: Callable[[], FactCache]
) -> None:
    cache = opened()
    filled.write_bytes(b"\xff" * filled.stat().st_size)
    assert_true_or_nothing(cache)
    assert_usable(cache)


def test_a_folder_in_place_of_the_file_means_no_cache(
    filled: Path, opened: Callable[[], FactCache], caplog: pytest.LogCaptureFixture
) -> None:
    filled.unlink()
    filled.mkdir()
    cache = opened()
    assert not cache.is_usable
    assert caplog.records[0].levelno == logging.WARNING
    cache.save_facts(STORED)
    cache.save_stamps(ROOT, STAMPS, ())
    cache.trim()
    assert assert_true_or_nothing(cache) == 0
    assert cache.stamps(ROOT) == {}


def test_a_folder_that_cannot_be_made_means_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not FactCache(tmp_path / "file" / "facts").is_usable


def test_a_cache_that_cannot_be_written_is_still_read(
    filled: Path, opened: Callable[[], FactCache]
) -> None:
    assert filled.exists()
    cache = opened()
    connection = cache._connection
    assert connection is not None
    connection.execute("PRAGMA query_only = ON")
    cache.save_facts({key(99): facts(99)})
    assert assert_true_or_nothing(cache) == SIZE * len(SECTIONS)
    assert cache.load("outline", [key(99)]) == {}


def test_a_full_disk_costs_only_what_did_not_fit(
    filled: Path, opened: Callable[[], FactCache]
) -> None:
    assert filled.exists()
    cache = opened()
    connection = cache._connection
    assert connection is not None
    [[pages]] = connection.execute("PRAGMA page_count").fetchall()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    many = {key(number): facts(number) for number in range(SIZE, SIZE * 3)}
    cache.save_facts(many)
    assert cache.load("outline", list(many)) == {}
    assert assert_true_or_nothing(cache) == SIZE * len(SECTIONS)


def test_a_writer_that_waits_in_vain_goes_on_without(
    filled: Path, opened: Callable[[], FactCache], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BUSY_S", 0.01)
    cache = opened()
    other = sqlite3.connect(filled, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    cache.save_facts({key(99): facts(99)})
    other.execute("ROLLBACK")
    other.close()
    assert assert_true_or_nothing(cache) == SIZE * len(SECTIONS)
    assert_usable(cache)


def test_what_no_file_has_goes_first_then_the_oldest_workspaces_never_the_one_in_use(
    opened: Callable[..., FactCache], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = opened()
    clock = iter(range(1_000, 2_000))
    monkeypatch.setattr(time, "time", lambda: next(clock))
    for at, root in enumerate((b"/old", b"/new")):
        numbers = range(at * SIZE, (at + 1) * SIZE)
        cache.save_facts({key(number): facts(number) for number in numbers})
        stamps = {f"{number}.py": FileStamp(1, 1, 1, key(number)) for number in numbers}
        cache.save_stamps(root, stamps, ())
        cache.save_listings(root, b"folders")
    cache._max_bytes = cache._size_bytes() + 150_000
    orphans = {key(number): facts(number) for number in range(900, 900 + 2 * SIZE)}
    cache.save_facts(orphans)
    cache.trim()
    assert cache.load("outline", list(orphans)) == {}
    assert len(cache.stamps(b"/old")) == len(cache.stamps(b"/new")) == SIZE
    more = {key(number): facts(number) for number in range(200, 200 + SIZE)}
    cache.save_facts(more)
    cache.save_stamps(b"/newest", {f"{it.hex()}.py": FileStamp(1, 1, 1, it) for it in more}, ())
    cache.trim()
    assert cache.stamps(b"/old") == {}
    assert (cache.listings(b"/old"), cache.listings(b"/new")) == (b"", b"folders")
    assert len(cache.stamps(b"/new")) == len(cache.stamps(b"/newest")) == SIZE
    cache._max_bytes = 1
    cache.trim()
    assert (cache.stamps(b"/new"), len(cache.stamps(b"/newest"))) == ({}, SIZE)
    assert cache.load("tokens", list(more)).keys() == more.keys()


def test_a_workspace_that_is_only_read_stays_in_use(
    opened: Callable[..., FactCache], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = opened()
    monkeypatch.setattr(time, "time", lambda: 1_000)
    cache.save_stamps(ROOT, STAMPS, ())
    monkeypatch.setattr(time, "time", lambda: 1_000_000)
    cache.stamps(ROOT)
    assert cache._query("SELECT used FROM roots", ()) == [(1_000_000,)]


def test_the_leavings_of_other_engines_are_removed(
    filled: Path, opened: Callable[[], FactCache]
) -> None:
    others = [filled.with_name(f"facts-1-{number}.sqlite") for number in range(4)]
    for age, place in enumerate(others):
        place.touch()
        place.with_name(place.name + "-wal").touch()
        os.utime(place, (1_800_000_000 + age, 4_000_000_000 - age))
    os.utime(others[0], (0, 0))
    opened()
    left = {place.name for place in filled.parent.glob("*-1-*")}
    assert left == {f"facts-1-{it}.sqlite{ending}" for it in (1, 2) for ending in ("", "-wal")}


_WRITER = """
import sys
from pathlib import Path
from benchpin.facts.store._cache import MAX_BYTES, SECTIONS, FactCache, FileStamp
me = int(sys.argv[2])
cache = FactCache(Path(sys.argv[1]))
for number in range(200):
    key = (me * 1000 + number).to_bytes(16, "big")
    shared = number.to_bytes(16, "little")
    data = {section: section.encode() * 50 for section in SECTIONS}
    cache.save_facts({key: data, shared: data})
    cache.save_stamps(b"/w", {f"{me}/{number}.py": FileStamp(1, 1, 1, key)}, ())
    assert cache.load("outline", [key, shared]).keys() == {key, shared}
cache.close()
"""


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 4])
def test_several_processes_write_at_once(
    folder: Path, opened: Callable[[], FactCache], count: int
) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(folder), str(number)])
        for number in range(count)
    ]
    assert [writer.wait() for writer in writers] == [0] * count
    cache = opened()
    assert len(cache.stamps(b"/w")) == count * 200
    keys = [(me * 1_000 + at).to_bytes(16, "big") for me in range(count) for at in range(200)]
    assert len(cache.load("tokens", keys)) == count * 200
