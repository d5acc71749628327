"""A pipe, socket, device or folder in place of one of our own files is refused, not waited for."""

import os
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from benchpin.core.errors import FileMissing, ResourceNotFound
from benchpin.core.own_files import open_own, read_own, require_own
from benchpin.core.results import ResultStore
from benchpin.facts.store import CacheDatabase, _cache_database
from benchpin.performance.collector._copying import MANIFEST, read_manifest
from benchpin.repository.packing._text_facts import TextFactsCache
from benchpin.run.sandbox import _sandbox as remembered
from benchpin.run.sandbox._sandbox import Sandbox


def _socket(place: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as it:
        it.bind(str(place))


ODD: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "socket": _socket,
    "device": lambda place: place.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
}


@pytest.fixture(params=ODD)
def odd(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # the address of a socket is short
    place = Path("sandbox-works")
    ODD[request.param](place)
    return place.absolute()


def test_what_is_not_a_file_is_refused(odd: Path) -> None:
    with pytest.raises(OSError, match=r"regular file|No such device|Is a directory"):
        read_own(odd)
    with pytest.raises(OSError, match=r"regular file|No such device|Is a directory"):
        open_own(odd)
    with pytest.raises(OSError, match="is not a regular file; remove it"):
        require_own(odd)


def test_a_file_is_read_and_a_missing_one_may_be_made(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    assert read_own(tmp_path / "a") == b"x"
    require_own(tmp_path / "missing")


def test_caches_start_empty_and_the_sandbox_is_probed_again(
    odd: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "detect_sandbox", lambda _: Sandbox("none", "tried"))
    remembered.remember(Path("/nowhere"), odd.parent)
    assert not remembered.can_confine(Path("/nowhere"), odd.parent)
    TextFactsCache(odd)


def test_a_database_that_is_not_a_file_is_not_used(odd: Path) -> None:
    for name in ("facts-1.sqlite", "facts-2.sqlite-wal"):
        (odd.parent / name).symlink_to(odd)
    for version in ("1", "2"):
        assert not CacheDatabase(odd.parent, "facts", version, ()).is_usable


def test_a_stored_result_that_is_not_a_file_is_not_there(odd: Path) -> None:
    store = ResultStore(odd.parent / "results")
    stored = store.store("text")
    [place] = (odd.parent / "results").iterdir()
    place.unlink()
    odd.rename(place)
    with pytest.raises(ResourceNotFound):
        store.read(stored.id, 0, 100)


def test_what_a_killed_writer_seems_to_have_left_is_not_waited_for(odd: Path) -> None:
    (odd.parent / "results").mkdir()
    odd.rename(odd.parent / "results" / ".new-x")
    store = ResultStore(odd.parent / "results")
    for text in ("one", "two"):
        assert store.read(store.store(text).id, 0, 100).text == text


def test_a_manifest_that_is_not_a_file_is_refused(odd: Path) -> None:
    odd.rename(odd.parent / MANIFEST)
    with pytest.raises(FileMissing, match="has no readable manifest"):
        read_manifest(odd.parent)


TABLE = "CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY) WITHOUT ROWID"
ENDLESS = "WITH RECURSIVE n(key) AS (SELECT 1 UNION ALL SELECT key + 1 FROM n) SELECT key FROM n"
FOREIGN = {
    "an endless view": [f"CREATE VIEW kept AS {ENDLESS}"],
    "an endless view beside it": [TABLE, f"CREATE VIEW other AS {ENDLESS}"],
    "a trigger": [TABLE, "CREATE TRIGGER it AFTER INSERT ON kept BEGIN DELETE FROM kept; END"],
    "an index that computes": [TABLE, "CREATE INDEX it ON kept (hex(key))"],
    "another table of that name": ["CREATE TABLE kept (key TEXT, more TEXT)"],
    "a table that computes": ["CREATE TABLE kept (key BLOB, more AS (hex(zeroblob(1 << 29))))"],
    "tables of another program": ["CREATE TABLE cookies (value TEXT)"],
}


@pytest.mark.parametrize("statements", FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_database_is_replaced_and_never_asked(
    tmp_path: Path, statements: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with closing(sqlite3.connect(tmp_path / "facts-1.sqlite")) as connection:
        for statement in statements:
            connection.execute(statement)
    database = CacheDatabase(tmp_path, "facts", "1", (TABLE,))
    assert database._query("SELECT key FROM kept", ()) == []
    assert database._write(lambda it: it.execute("INSERT INTO kept VALUES (x'01')"))
    assert "was damaged and is created again" in caplog.text
    caplog.clear()
    database.close()
    again = CacheDatabase(tmp_path, "facts", "1", (TABLE,))
    assert again._query("SELECT key FROM kept", ()) == [(b"\x01",)]
    again.close()
    assert caplog.text == ""


def test_a_query_that_does_not_end_is_ended_and_its_database_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cache_database, "_MAX_QUERY_S", 0.2)
    database = CacheDatabase(tmp_path, "facts", "1", (TABLE,))
    assert database._query(ENDLESS, ()) == []
    assert database._query("SELECT key FROM kept", ()) == []
    database.close()
