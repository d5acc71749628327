"""A folder that a workspace brings along leads nowhere else."""

from pathlib import Path

import pytest

from benchpin.fleet import open_place
from benchpin.fleet._place import RECORD_BYTES, StoreFails, names_in
from benchpin.fleet._schema import read_records


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "salaries.parquet").write_bytes(b"1")
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "facts").symlink_to(folder)
    return folder


def test_nothing_is_written_listed_or_removed_through_a_link(tmp_path: Path, outside: Path) -> None:
    place = open_place(str(tmp_path / "place"))

    with pytest.raises(StoreFails):
        place.put("facts/a.pack", b"2")
    with pytest.raises(StoreFails):
        place.delete(["facts/salaries.parquet"])
    with pytest.raises(StoreFails):
        place.get("facts/salaries.parquet", RECORD_BYTES)
    with pytest.raises(StoreFails):
        place.file_of("facts/salaries.parquet", tmp_path)
    assert names_in(place, "") == []
    assert [it.name for it in outside.iterdir()] == ["salaries.parquet"]


def test_a_record_that_is_too_large_or_not_ours_is_not_read(tmp_path: Path) -> None:
    place = open_place(str(tmp_path / "place"))
    place.put("records/a/1.json", b" " * (RECORD_BYTES + 1))
    place.put("records/b/1.json", b"[")

    assert read_records(place, "1") == {}


@pytest.mark.parametrize(
    "endpoint",
    ["store", "http://a b", "127.0.0.1:9", "http://", "http://[::1", "http://a:99999", "http://é"],
)
def test_an_address_of_a_store_that_is_none_is_named(
    monkeypatch: pytest.MonkeyPatch, endpoint: str
) -> None:
    pytest.importorskip("obstore", reason="obstore is not installed")
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    with pytest.raises(StoreFails, match="AWS_ENDPOINT_URL is no address"):
        open_place("s3://fleet/ours")
