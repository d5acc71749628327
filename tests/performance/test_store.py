import errno
import json
import os
from pathlib import Path

import pytest

from benchpin.core.errors import AccessDenied, DiskFull, InvalidCursor, InvalidParams, PathError
from benchpin.performance.snapshots import (
    Origin,
    Retention,
    Snapshot,
    SnapshotStore,
    build_snapshot,
)
from benchpin.performance.snapshots._runs import SnapshotDamaged, SnapshotNotFound
from profile_values import log_reading, query_class, slow_log

DAY_US = 86_400_000_000


def snapshot(number: int) -> Snapshot:
    return build_snapshot([log_reading(1, slow_log([query_class("A", [number + 1])]))])


def folder_of(root: Path, stored: Snapshot) -> Path:
    return root / f"var/mcp/snapshots/snapshot_{stored.id}"


def fill(store: SnapshotStore, count: int) -> list[Snapshot]:
    made = [snapshot(number) for number in range(count)]
    for moment, each in enumerate(made, 1):
        store.save(each, [], moment)
    return made


def test_a_snapshot_comes_back_as_it_was_with_where_it_came_from(tmp_path: Path) -> None:
    store, stored = SnapshotStore(tmp_path / "data"), snapshot(1)
    source = stored.sources[0]
    origin = Origin(
        source.sha256,
        source.size_bytes,
        source.type,
        source.version,
        path="/logs/slow.log",
        hints={"spx": {"pair_status": "paired"}},
    )
    saved = store.save(stored, [origin], 5)
    assert saved.is_new
    assert store.load(stored.id) == stored
    assert store.metadata(stored.id[:8]).sources == (origin,)
    assert store.metadata(stored.id).run.id == stored.id
    assert sorted(place.name for place in folder_of(tmp_path / "data", stored).iterdir()) == [
        "metadata.json",
        "snapshot.json",
    ]
    assert b"/logs" not in (folder_of(tmp_path / "data", stored) / "snapshot.json").read_bytes()


def test_nothing_is_stored_in_a_new_folder(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path / "none")
    assert store.runs().runs == ()
    with pytest.raises(SnapshotNotFound):
        store.load("0" * 64)
    assert not (tmp_path / "none").exists(), "reading makes no folders"


def test_runs_are_listed_newest_first(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    made = fill(store, 3)
    assert [run.id for run in store.runs().runs] == [each.id for each in reversed(made)]


def test_saving_again_renews_a_snapshot(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    made = fill(store, 2)
    assert not store.save(made[0], [], 9).is_new
    assert [run.id for run in store.runs().runs] == [made[0].id, made[1].id]
    assert store.runs().runs[0].ingested_at_us == 9


def test_pages_do_not_shift_when_a_run_is_added(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    made = [each.id for each in reversed(fill(store, 5))]
    first = store.page(2, None)
    assert ([run.id for run in first.items], first.total) == (made[:2], 5)
    store.save(snapshot(77), [], 99)
    second = store.page(2, first.next_cursor)
    assert [run.id for run in second.items] == made[2:4]
    last = store.page(2, second.next_cursor)
    assert ([run.id for run in last.items], last.next_cursor) == (made[4:], None)
    with pytest.raises(InvalidCursor):
        store.page(2, "nonsense")


@pytest.mark.parametrize("content", [b"", b"{", b'{"runs": 3}', b"\xff\xfe", None])
def test_a_lost_or_damaged_index_is_rebuilt_from_the_folders(
    tmp_path: Path, content: bytes | None
) -> None:
    store = SnapshotStore(tmp_path)
    fill(store, 3)
    before = store.runs()
    index = tmp_path / "var/mcp/snapshots/index.json"
    index.unlink()
    if content is not None:
        index.write_bytes(content)
    assert store.runs() == before
    store.save(snapshot(9), [], 9)
    assert len(json.loads(index.read_bytes())["runs"]) == 4


def test_a_damaged_snapshot_is_named_and_the_others_are_whole(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    one, other = fill(store, 2)
    place = folder_of(tmp_path, one) / "snapshot.json"
    place.write_bytes(place.read_bytes().replace(b'"count":1', b'"count":2'))
    with pytest.raises(SnapshotDamaged, match=r"snapshot_.*snapshot\.json is damaged") as error:
        store.load(one.id)
    assert one.id in str(error.value.data["path"])
    assert store.load(other.id) == other
    store.save(one, [], 7)
    assert store.load(one.id) == one, "ingesting again heals it"


def test_damaged_metadata_does_not_hide_the_other_runs(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    one, other = fill(store, 2)
    (tmp_path / "var/mcp/snapshots/index.json").unlink()
    (folder_of(tmp_path, one) / "metadata.json").write_bytes(b"{}")
    found = store.runs()
    assert [run.id for run in found.runs] == [other.id]
    assert found.damaged == (f"var/mcp/snapshots/snapshot_{one.id}/metadata.json",)


def test_ids_can_be_shortened_until_they_are_ambiguous(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    stored = snapshot(1)
    store.save(stored, [], 1)
    assert store.resolve(stored.id[:8]) == stored.id
    assert store.resolve(f"snapshot_{stored.id}") == stored.id
    twin = folder_of(tmp_path, stored).with_name(f"snapshot_{stored.id[:60]}0000")
    twin.mkdir()
    with pytest.raises(InvalidParams, match="2 snapshots begin with") as error:
        store.resolve(stored.id[:8])
    assert stored.id in error.value.suggestion
    with pytest.raises(InvalidParams, match="too short"):
        store.resolve(stored.id[:7])
    with pytest.raises(SnapshotNotFound):
        store.resolve("../../../etc")


def test_only_the_last_snapshots_are_kept(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path, Retention(keep_last_n=2))
    made = [snapshot(number) for number in range(4)]
    dropped = [store.save(each, [], moment).dropped for moment, each in enumerate(made, 1)]
    assert dropped == [(), (), (made[0].id,), (made[1].id,)]
    assert {place.name for place in (tmp_path / "var/mcp/snapshots").iterdir()} == {
        ".lock",
        "index.json",
        *(f"snapshot_{each.id}" for each in made[2:]),
    }


def test_old_snapshots_go_after_their_time(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path, Retention(ttl_days=2))
    made = [snapshot(number) for number in range(3)]
    for moment, each in zip((1, 2, 4), made, strict=True):
        store.save(each, [], moment * DAY_US)
    assert [run.id for run in store.runs().runs] == [made[2].id, made[1].id]


def test_what_was_just_saved_stays_even_when_the_clock_went_back(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path, Retention(keep_last_n=1))
    store.save(snapshot(1), [], 100)
    store.save(snapshot(2), [], 50)
    assert store.load(snapshot(2).id) == snapshot(2)


def test_reports_lie_beside_the_snapshots(tmp_path: Path) -> None:
    places = SnapshotStore(tmp_path).save_report("7f1c5a71ab8e4d02", {"md": b"# A", "json": b"{}"})
    assert places == {
        "md": tmp_path / "var/mcp/reports/report_7f1c5a71ab8e4d02.md",
        "json": tmp_path / "var/mcp/reports/report_7f1c5a71ab8e4d02.json",
    }
    assert places["md"].read_bytes() == b"# A"


def test_a_link_in_the_way_is_not_followed(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (root / "var").symlink_to(outside)
    with pytest.raises(PathError):
        SnapshotStore(root).save(snapshot(1), [], 1)
    assert list(outside.iterdir()) == []


def test_the_oldest_reports_have_to_go(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path, Retention(keep_last_n=2))
    for number in range(4):
        places = store.save_report(f"{number:016x}", {"md": b"a", "json": b"{}"})
        for place in places.values():
            os.utime(place, ns=(number * 10**9, number * 10**9))
    other = tmp_path / "var/mcp/reports/mine.txt"
    other.touch()
    store.save_export(f"profile_{9:016x}.html", b"")
    assert sorted(it.name for it in other.parent.iterdir()) == [
        "mine.txt",
        f"profile_{9:016x}.html",
        f"report_{3:016x}.json",
        f"report_{3:016x}.md",
    ]


@pytest.mark.parametrize("linked", ["var", "var/mcp", "var/mcp/snapshots"])
def test_a_linked_folder_is_refused_by_name(tmp_path: Path, linked: str) -> None:
    data, outside = tmp_path / "data", tmp_path / "outside"
    fill(SnapshotStore(outside), 1)
    place = data / linked
    place.parent.mkdir(parents=True)
    place.symlink_to(outside / linked)
    before = sorted(outside.rglob("*"))
    store, stored = SnapshotStore(data), snapshot(1)
    for use in (
        store.runs,
        lambda: store.load(stored.id),
        lambda: store.resolve("0"),
        lambda: store.save(stored, [], 1),
    ):
        with pytest.raises(AccessDenied, match=f"^{linked} in the data folder is a link"):
            use()
    assert sorted(outside.rglob("*")) == before


@pytest.mark.parametrize("name", ["", "/snapshot.json", "/metadata.json"])
@pytest.mark.parametrize("target", ["outside", "/dev/zero", "pipe"])
def test_a_linked_snapshot_is_named_and_the_others_stay_usable(
    tmp_path: Path, name: str, target: str
) -> None:
    data, store = tmp_path / "data", SnapshotStore(tmp_path / "data")
    first, second = fill(store, 2)
    (data / "var/mcp/snapshots/index.json").unlink()
    place = Path(f"{folder_of(data, first)}{name}")
    place.rename(tmp_path / "outside")
    os.mkfifo(tmp_path / "pipe")
    place.symlink_to(target if target.startswith("/") else tmp_path / target)
    found = store.runs()
    assert [run.id for run in found.runs] == [second.id]
    assert len(found.damaged) == 1
    assert first.id in found.damaged[0]
    assert store.load(second.id) == second
    if name != "/metadata.json":
        with pytest.raises((SnapshotDamaged, PathError)):
            store.load(first.id)
    assert store.save(snapshot(3), [], 3).is_new


@pytest.mark.parametrize("name", [".lock", "index.json"])
def test_a_pipe_or_a_huge_file_in_place_of_the_index_does_not_matter(
    tmp_path: Path, name: str
) -> None:
    store = SnapshotStore(tmp_path)
    fill(store, 1)
    place = tmp_path / "var/mcp/snapshots" / name
    place.unlink()
    with place.open("wb") as file:
        file.truncate(1 << 40)
    assert len(store.runs().runs) == 1
    assert store.save(snapshot(2), [], 2).is_new
    place.unlink()
    os.mkfifo(place)
    assert len(store.runs().runs) == 2


def test_a_full_disk_is_named_and_the_stored_runs_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SnapshotStore(tmp_path)
    [stored] = fill(store, 1)

    def fail(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(DiskFull, match="The disk is full"):
            store.save(snapshot(2), [], 2)
    assert [run.id for run in store.runs().runs] == [stored.id]
    assert store.save(snapshot(2), [], 3).is_new
