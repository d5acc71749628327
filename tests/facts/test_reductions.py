"""Results of measures survive the process that computed them, and nothing else does."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.core.results import Item
from benchpin.memory import Reduction, key_digest, open_reductions, remember
from benchpin.memory import _reductions as reductions
from benchpin.memory._reductions import ReductionStore


class Row(Item):
    name: str
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Found:
    rows: list[Row]
    share: float | None


FOUND = Found([Row(name="ä", sizes=(1, 2)), Row(name="", sizes=())], 0.5)
MEASURE = Reduction[Found]("rows", Found)
COUNT = Reduction[int]("count", int)
Open = Callable[[], WorkspaceSession]


@pytest.fixture
def new_session(tmp_path: Path) -> Iterator[Open]:
    """Sessions as of separate processes: they share the cache folder alone."""
    opened: list[WorkspaceSession] = []

    def make() -> WorkspaceSession:
        opened.append(WorkspaceSession(tmp_path / "work", tmp_path / "cache"))
        return opened[-1]

    yield make
    for it in opened:
        it.close()


def never() -> int:
    pytest.fail("it is computed again")


def count(session: WorkspaceSession, key: str, value: int) -> tuple[int, str]:
    """Return a count, and how it came about."""
    job = Job()
    found = remember(session, job, COUNT, key, lambda: value, update=lambda it: it + 100)
    return found, job.measures["count"]


def database(tmp_path: Path) -> Path:
    [place] = (tmp_path / "cache/source").glob("reductions-*.sqlite")
    return place


def test_the_next_process_does_not_compute_again(new_session: Open) -> None:
    first, second = Job(), Job()
    made = remember(new_session(), first, MEASURE, "key", lambda: FOUND)
    recalled = remember(new_session(), second, MEASURE, "key", lambda: Found([], None))
    assert made == recalled == FOUND
    assert first.measures == {"rows": "computed"}
    assert second.measures == {"rows": "recalled"}


def test_another_key_is_computed(new_session: Open) -> None:
    session = new_session()
    assert remember(session, Job(), COUNT, ("a", 1), lambda: 1) == 1
    assert remember(session, Job(), COUNT, ("a", 2), lambda: 2) == 2


def test_an_update_starts_from_the_newest_result(new_session: Open) -> None:
    assert count(new_session(), "a", 1) == (1, "computed")
    assert count(new_session(), "b", 2) == (101, "updated")
    assert count(new_session(), "c", 3) == (201, "updated")
    assert count(new_session(), "a", 4) == (1, "recalled")


def test_an_update_in_the_same_process_starts_from_the_result_in_memory(new_session: Open) -> None:
    session, starts = new_session(), []

    def update(before: Found) -> Found:
        starts.append(before)
        return Found(before.rows, None)

    first = remember(session, Job(), MEASURE, "a", lambda: FOUND, update=update)
    second = remember(session, Job(), MEASURE, "b", lambda: FOUND, update=update)
    remember(session, Job(), MEASURE, "a", lambda: FOUND, update=update)
    remember(session, Job(), MEASURE, "c", lambda: FOUND, update=update)
    assert [id(it) for it in starts] == [id(first), id(first)]
    assert second.share is None


def test_a_large_result_is_not_written_at_every_update(
    new_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reductions, "SMALL_BYTES", 0)
    monkeypatch.setattr(reductions, "_LONG_UPDATE_S", 1e9)
    monkeypatch.setattr(reductions, "_MAX_UNSAVED", 2)
    server = new_session()
    assert count(server, "a", 1) == (1, "computed")
    assert count(server, "b", 2) == (101, "updated")
    assert count(server, "c", 3) == (201, "updated")
    # Another process finds neither, and starts from what was computed.
    assert count(new_session(), "c", 3) == (101, "updated")
    assert count(server, "d", 4) == (301, "updated")  # saved: two were not
    assert count(new_session(), "d", 4) == (301, "recalled")


def test_what_the_next_update_starts_from_is_dropped_last(tmp_path: Path) -> None:
    store = ReductionStore(tmp_path, max_bytes=400)
    store.save(b"base", b"slot", bytes(100))
    store.save(b"old", b"other", bytes(100))
    store.save(b"new", b"other", bytes(100))
    store.save(b"newest", b"other", bytes(100))
    store.save(b"more", b"more", bytes(100))
    assert None in {store.load(b"old"), store.load(b"new")}
    assert store.load(b"base") == bytes(100)
    store.close()


def test_what_cannot_be_updated_is_computed(new_session: Open) -> None:
    remember(new_session(), Job(), COUNT, "a", lambda: 1)
    job = Job()
    assert remember(new_session(), job, COUNT, "b", lambda: 2, update=lambda _: None) == 2
    assert job.measures == {"count": "computed"}


def test_an_update_of_other_options_is_computed(new_session: Open) -> None:
    remember(new_session(), Job(), COUNT, "a", lambda: 1, slot="strict")
    job = Job()
    remember(new_session(), job, COUNT, "b", lambda: 2, slot="lax", update=lambda it: it)
    assert job.measures == {"count": "computed"}


def test_what_was_cut_short_is_not_kept(new_session: Open) -> None:
    job = Job()

    def make() -> int:
        job.leave_out("half of it")
        return 1

    assert remember(new_session(), job, COUNT, "a", make) == 1
    assert count(new_session(), "a", 2) == (2, "computed")


def test_a_result_that_is_not_current_is_computed_again(new_session: Open) -> None:
    remember(new_session(), Job(), COUNT, "a", lambda: 1)
    assert remember(new_session(), Job(), COUNT, "a", lambda: 2, is_current=lambda it: it > 1) == 2


def test_a_fresh_call_computes_again_and_keeps_that(new_session: Open) -> None:
    remember(new_session(), Job(), COUNT, "a", lambda: 1)
    assert remember(new_session(), Job(), COUNT, "a", lambda: 2, is_fresh=True) == 2
    assert remember(new_session(), Job(), COUNT, "a", never) == 2


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE reductions SET data = substr(data, 1, length(data) - 1)",
        "UPDATE reductions SET data = x'00'",
        "UPDATE reductions SET crc = crc + 1",
        "UPDATE reductions SET data = 'text'",
        "DELETE FROM reductions",
    ],
)
def test_a_damaged_row_is_computed_again(tmp_path: Path, new_session: Open, damage: str) -> None:
    remember(new_session(), Job(), COUNT, "a", lambda: 1)
    with sqlite3.connect(database(tmp_path)) as connection:
        connection.execute(damage)
    connection.close()
    assert remember(new_session(), Job(), COUNT, "a", lambda: 2) == 2
    assert remember(new_session(), Job(), COUNT, "b", lambda: 3, update=lambda it: it) == 2


def test_a_row_that_does_not_say_when_it_was_used_is_believed(
    tmp_path: Path, new_session: Open
) -> None:
    count(new_session(), "a", 1)
    with sqlite3.connect(database(tmp_path)) as connection:
        connection.execute("UPDATE reductions SET used = NULL")
    connection.close()
    assert count(new_session(), "a", 1) == (1, "recalled")


def test_a_database_that_is_cut_short_is_computed_again(tmp_path: Path, new_session: Open) -> None:
    session = new_session()
    remember(session, Job(), COUNT, "a", lambda: 1)
    session.close()
    place = database(tmp_path)
    place.write_bytes(place.read_bytes()[:5000])
    assert remember(new_session(), Job(), COUNT, "a", lambda: 2) == 2
    assert remember(new_session(), Job(), COUNT, "a", never) == 2


def test_a_result_of_another_form_is_computed_again(new_session: Open) -> None:
    remember(new_session(), Job(), Reduction[str]("count", str), "a", lambda: "one")
    assert remember(new_session(), Job(), COUNT, "a", lambda: 2) == 2


def test_results_of_other_code_are_not_used(
    new_session: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(new_session(), Job(), COUNT, "a", lambda: 1)
    monkeypatch.setattr(reductions, "engines_version", lambda: "another")
    assert remember(new_session(), Job(), COUNT, "a", lambda: 2) == 2


def test_a_result_without_a_stored_form_is_returned_all_the_same(new_session: Open) -> None:
    undecodable = Reduction[str]("name", str)
    assert remember(new_session(), Job(), undecodable, "a", lambda: "\udcff") == "\udcff"
    assert remember(new_session(), Job(), undecodable, "a", lambda: "b") == "b"


def test_the_least_used_results_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr("benchpin.memory._reductions.time.time", lambda: now)
    store = ReductionStore(tmp_path, max_bytes=4000)
    for number in range(4):
        store.save(b"%d" % number, b"slot", bytes(1000))
        now += 10
    now += 4000
    assert store.load(b"0") is not None  # in use again
    store.save(b"4", b"slot", bytes(1000))
    assert [store.load(b"%d" % it) is not None for it in range(5)] == [
        True,
        False,
        True,
        True,
        True,
    ]
    assert store.newest(b"slot") == bytes(1000)
    store.save(b"5", b"slot", bytes(1001))  # more than a quarter
    assert store.load(b"5") is None
    store.close()


def test_a_folder_that_cannot_be_used_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file\n", encoding="utf-8")
    session = WorkspaceSession(tmp_path, tmp_path / "cache")
    assert remember(session, Job(), COUNT, "a", lambda: 1) == 1
    assert not open_reductions(session).is_usable
    session.close()


def test_no_two_keys_look_alike() -> None:
    keys = [
        *(None, True, 1, 1.0, "1", b"1", "", b"", (), ("1",), (1,), ((1,),), (1, 2), ((1, 2),)),
        *(("a", "b"), ("ab",), ("a", ("b",)), frozenset({3, 4}), frozenset({"2"}), "None"),
        *(Found([], None).share, Thresholds(1, 2), Thresholds(2, 1)),
    ]
    assert len({key_digest(it) for it in keys}) == len(keys) - 1  # `share` is None


@dataclass(frozen=True)
class Thresholds:
    low: int
    high: int


def test_a_key_is_the_same_in_every_process() -> None:
    names = [f"name_{number}" for number in range(50)]
    assert key_digest(frozenset(names)) == key_digest(frozenset(reversed(names)))
    assert key_digest(("\udcff", 1)) == key_digest(("\udcff", 1)) != key_digest(("\udcfe", 1))
    assert key_digest((frozenset({"b", "a"}), 1)).hex() == "6913431b08b4c0b78f6719152328b99e"


def test_a_key_of_unknown_content_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot be part of a key"):
        key_digest((object(),))


def test_the_decoder_runs_nothing() -> None:
    assert COUNT.decode(b"cos\nsystem\n(S'false'\ntR.") is None
    assert MEASURE.decode(msgspec.msgpack.encode({"rows": [{"name": 1}], "share": None})) is None
