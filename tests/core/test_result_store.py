import errno
import fcntl
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchpin.core.errors import DiskFull, InvalidCursor, ResourceNotFound
from benchpin.core.results import ResultStore, StoredResult
from benchpin.core.results import _result_store as result_store

FAR_FUTURE_S = 4_000_000_000


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    """Return an empty store, whose folder is not there yet."""
    return ResultStore(tmp_path / "deep" / "results")


def _read_whole(store: ResultStore, result_id: str, page_bytes: int) -> str:
    text, offset = "", 0
    for _ in range(store.find(result_id).size_bytes + 1):
        page = store.read(result_id, offset, page_bytes)
        text += page.text
        if page.next_offset is None:
            return text
        offset = page.next_offset
    pytest.fail("the pages do not come to an end")


def test_what_is_stored_is_found_by_its_content(store: ResultStore) -> None:
    stored = store.store('{"a": 1}', "application/json")
    assert stored == StoredResult(stored.id, "application/json", 8)
    assert stored.uri == f"result://{stored.id}"
    assert len(stored.id) == 16
    assert store.find(stored.id) == stored
    assert store.store('{"a": 1}', "application/json") == stored
    assert list(store.all()) == [stored]
    assert sum(it.size_bytes for it in store.all()) == 8


@pytest.mark.parametrize(
    "mime_type", ["application/json", "text/plain", "text/markdown", "text/html"]
)
def test_the_type_of_a_result_is_kept(store: ResultStore, mime_type: str) -> None:
    assert store.find(store.store("x", mime_type).id).mime_type == mime_type


def test_the_same_text_under_two_types_is_two_results(store: ResultStore) -> None:
    plain, json = store.store("5", "text/plain"), store.store("5", "application/json")
    assert [store.find(stored.id) for stored in (plain, json)] == [plain, json]
    assert len({stored.uri for stored in store.all()}) == 2


def test_an_empty_store_has_nothing(store: ResultStore) -> None:
    assert list(store.all()) == []
    assert sum(it.size_bytes for it in store.all()) == 0


def test_results_are_listed_by_id(store: ResultStore) -> None:
    ids = [store.store(f"text {number}").id for number in range(8)]
    assert [stored.id for stored in store.all()] == sorted(ids)


@pytest.mark.parametrize("result_id", ["0123456789abcdef", "", "..", "../results", "*"])
def test_an_id_that_was_never_stored_is_missing(store: ResultStore, result_id: str) -> None:
    store.store("something")
    with pytest.raises(ResourceNotFound) as caught:
        store.find(result_id)
    assert caught.value.data == {"id": result_id}
    with pytest.raises(ResourceNotFound):
        store.read(result_id, 0, 10)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.text(), page_bytes=st.integers(1, 40))
def test_the_pages_put_together_are_the_text(
    store: ResultStore, text: str, page_bytes: int
) -> None:
    assert _read_whole(store, store.store(text).id, page_bytes) == text


@pytest.mark.parametrize("text", ["aé", "éa", "a€", "€€€", "😀", "a😀b", "é" * 5, "\r\n\0é"])
@pytest.mark.parametrize("page_bytes", [4, 5, 7, 100])
def test_pages_are_cut_between_characters(store: ResultStore, text: str, page_bytes: int) -> None:
    assert _read_whole(store, store.store(text).id, page_bytes) == text


@pytest.mark.parametrize("page_bytes", [1, 2, 3])
def test_a_page_smaller_than_a_character_still_comes_to_an_end(
    store: ResultStore, page_bytes: int
) -> None:
    assert _read_whole(store, store.store("a😀é").id, page_bytes) == "a😀é"


def test_a_page_says_where_the_next_begins(store: ResultStore) -> None:
    stored = store.store("aéb")
    first = store.read(stored.id, 0, 2)
    assert (first.text, first.next_offset) == ("a", 1)
    second = store.read(stored.id, 1, 100)
    assert (second.text, second.next_offset) == ("éb", None)
    end = store.read(stored.id, 4, 100)
    assert (end.text, end.next_offset) == ("", None)


@pytest.mark.parametrize("offset", [-1, 6, 10**30])
def test_a_place_beyond_the_end_is_refused(store: ResultStore, offset: int) -> None:
    stored = store.store("hello")
    with pytest.raises(InvalidCursor):
        store.read(stored.id, offset, 10)


def test_broken_text_is_stored_all_the_same(store: ResultStore) -> None:
    assert _read_whole(store, store.store("a\ud800b").id, 100) == "a?b"


def _dated(store: ResultStore, text: str, seconds: int) -> StoredResult:
    """Store a text and say that it was stored long ago."""
    stored = store.store(text)
    (place,) = store._folder.glob(f"{stored.id}.*")
    os.utime(place, (seconds, seconds))
    return stored


def test_the_oldest_results_make_room(store: ResultStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_store, "_MAX_RESULTS", 3)
    kept = [_dated(store, f"text {second}", second) for second in range(1, 8)]
    assert {stored.id for stored in store.all()} == {stored.id for stored in kept[-3:]}
    with pytest.raises(ResourceNotFound):
        store.find(kept[0].id)


def test_results_that_are_too_big_together_make_room(
    store: ResultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_store, "_MAX_BYTES", 25)
    kept = [_dated(store, f"{second:010}", second) for second in range(1, 5)]
    assert {stored.id for stored in store.all()} == {stored.id for stored in kept[-2:]}


def test_a_result_bigger_than_the_store_is_kept_alone(
    store: ResultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_store, "_MAX_BYTES", 5)
    _dated(store, "tiny", 1)
    big = store.store("bigger than all")
    assert [stored.id for stored in store.all()] == [big.id]


def test_what_was_stored_last_never_makes_room(
    store: ResultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_store, "_MAX_RESULTS", 2)
    for number in range(2):
        _dated(store, f"from a clock that is ahead {number}", FAR_FUTURE_S + number)
    last = store.store("now")
    assert store.find(last.id) == last


def test_a_result_that_another_process_removed_is_no_failure(store: ResultStore) -> None:
    stored = store.store("here")
    # A link to nowhere is a file that is listed and then cannot be looked at.
    (store._folder / "0123456789abcdef.txt").symlink_to("gone")
    assert list(store.all()) == [stored]
    assert sum(it.size_bytes for it in store.all()) == 4
    assert store.find(store.store("more").id).size_bytes == 4
    with pytest.raises(ResourceNotFound):
        store.find("0123456789abcdef")


def test_other_files_in_the_folder_are_left_alone(store: ResultStore) -> None:
    stored = store.store("ours")
    other = store._folder / "notes.doc"
    other.write_text("theirs", encoding="utf-8")
    store.store("more")
    assert other.exists()
    assert stored in list(store.all())
    assert len(list(store.all())) == 2


def test_nothing_but_results_is_left_behind(store: ResultStore) -> None:
    stored = store.store("x")
    assert [place.name for place in store._folder.iterdir()] == [f"{stored.id}.txt"]


def test_a_type_that_cannot_be_stored_leaves_nothing_behind(store: ResultStore) -> None:
    with pytest.raises(KeyError):
        store.store("a,b", "application/zip")
    assert not store._folder.exists() or list(store._folder.iterdir()) == []


def test_a_file_that_is_no_text_is_kept_as_it_is(store: ResultStore) -> None:
    body = b"PAR1\xff\x00PAR1"
    stored = store.store(body, "application/vnd.apache.parquet")
    assert (stored.is_binary, stored.size_bytes) == (True, len(body))
    assert store.read_bytes(stored.id, 0, 4) + store.read_bytes(stored.id, 4, 100) == body
    assert not store.store("text").is_binary


def test_a_full_disk_is_named_and_nothing_is_left(
    store: ResultStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = store.store("kept")

    def fail(_self: Path, _target: Path) -> Path:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(DiskFull, match="The disk is full"):
            store.store("new")
    assert [place.stem for place in (tmp_path / "deep/results").iterdir()] == [kept.id]


def test_what_a_killed_process_left_is_removed_and_what_is_being_written_is_not(
    store: ResultStore, tmp_path: Path
) -> None:
    store.store("first")
    dead, alive = (tmp_path / f"deep/results/.new-{name}" for name in ("dead", "alive"))
    dead.write_text("half", encoding="utf-8")
    with alive.open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        os.utime(alive, (0, 0))  # the clock was set back meanwhile
        store.store("second")
        assert (dead.exists(), alive.exists()) == (False, True)


def test_a_result_that_is_removed_while_it_is_read_is_not_found(
    store: ResultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = store.store("text")
    monkeypatch.setattr(store, "find", lambda _id: StoredResult("gone", "text/plain", 4))
    for read in (store.read, store.read_bytes):
        with pytest.raises(ResourceNotFound):
            read(stored.id, 0, 10)
