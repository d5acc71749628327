import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchpin.core.calls import Job, Operation, Permissions, Rule
from benchpin.facts import Outline, SourceIndex, SourceQuery
from benchpin.facts.store import engine_version
from benchpin.fleet import Answer, Steps
from benchpin.fleet._answering import Answers, Order
from benchpin.fleet._packs import FactIndex, Where
from benchpin.fleet._place import TABLE_BYTES, StoreFails, names_in
from benchpin.fleet._steps import ClusterFails
from repositories import Tree

from .conftest import Fleet


def files_of(fleet: Fleet, prefix: str) -> dict[str, bytes]:
    names = names_in(fleet.place, prefix)
    return {name: fleet.place.get(name, TABLE_BYTES) or b"" for name in names}


def test_the_same_content_is_measured_once_in_the_whole_fleet(fleet: Fleet) -> None:
    run = fleet.measure()

    assert [it.name for it in run.measured] == ["one", "two"]
    assert (run.blobs, run.new_blobs, run.failed) == (4, 4, {})


def test_what_one_clone_lacks_is_read_from_another_that_has_it(fleet: Fleet, one: Tree) -> None:
    blob = one.git("rev-parse", "HEAD:shared.py").decode()
    one.root.joinpath(".git/objects", blob[:2], blob[2:]).unlink()
    run = fleet.measure()

    assert [it.name for it in run.measured] == ["two"]
    assert list(run.failed) == ["one"]
    assert "not in this partial clone" in run.failed["one"]
    assert ["shared.py"] in fleet.query("SELECT path FROM files WHERE repository = 'two'")


def test_what_did_not_change_costs_nothing(fleet: Fleet) -> None:
    fleet.measure()
    again = fleet.measure()

    assert (again.unchanged, again.new_blobs, again.measured) == (2, 0, [])


def test_a_new_commit_has_only_what_is_new_measured(fleet: Fleet, one: Tree) -> None:
    fleet.measure()
    one.commit({"more.py": b"def more():\n    return 2\n", "app.py": None})
    again = fleet.measure()

    assert ([it.name for it in again.measured], again.new_blobs) == (["one"], 1)
    assert fleet.query("SELECT path FROM files WHERE repository = 'one' ORDER BY path") == [
        ["more.py"],
        ["shared.py"],
    ]
    [trend] = fleet.ask("trend")
    assert (trend["repository"], trend["functions"]) == ("one", 0)


def test_two_measurements_of_the_same_commits_are_the_same_bytes(
    fleet: Fleet, tmp_path: Path
) -> None:
    other = Fleet(fleet.root, str(tmp_path / "elsewhere"), fleet.steps)
    fleet.measure()
    other.measure()

    assert files_of(fleet, "tables/") == files_of(other, "tables/") != {}
    assert files_of(fleet, "facts/") == files_of(other, "facts/") != {}


def test_the_numbers_are_those_of_the_work_tree(fleet: Fleet, one: Tree, tmp_path: Path) -> None:
    fleet.measure()
    index = SourceIndex(one.root, tmp_path / "cache")
    outlines: dict[str, Outline] = {
        it.path: it.outline for it in index.read(SourceQuery(), Job()).files
    }
    index.close()

    assert fleet.query(
        "SELECT path, language, lines, code_lines, functions, max_cyclomatic FROM files "
        "WHERE repository = 'one' ORDER BY path"
    ) == [
        [
            path,
            it.language,
            it.lines,
            it.code_lines,
            len(it.functions),
            max((one.cyclomatic for one in it.functions), default=0),
        ]
        for path, it in sorted(outlines.items())
    ]


def test_a_bare_mirror_has_the_tables_of_its_work_tree(fleet: Fleet, one: Tree) -> None:
    one.git("clone", "--quiet", "--bare", str(one.root), str(one.root.parent / "bare.git"))
    fleet.measure()
    columns = "path, blob, language, lines, commits, owner"

    assert fleet.query(f"SELECT {columns} FROM files WHERE repository = 'one'") == fleet.query(
        f"SELECT {columns} FROM files WHERE repository = 'bare.git'"
    )


def test_a_repository_that_git_cannot_read_costs_only_itself(fleet: Fleet, two: Tree) -> None:
    head = two.git("rev-parse", "HEAD").decode()
    (two.root / ".git/objects" / head[:2] / head[2:]).unlink()
    run = fleet.measure()

    assert [it.name for it in run.measured] == ["one"]
    assert list(run.failed) == ["two"]


def test_a_repository_without_a_commit_is_named(fleet: Fleet) -> None:
    Tree(fleet.root / "empty")

    assert fleet.measure().empty == ["empty"]


def test_a_file_that_cannot_be_parsed_is_listed_with_the_reason(fleet: Fleet, two: Tree) -> None:
    two.commit({"blob.py": b"\0\1"})
    fleet.measure()

    assert fleet.query("SELECT path, problem FROM files WHERE problem IS NOT NULL") == [
        ["blob.py", "binary"]
    ]


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def changed(data: bytes) -> bytes:
    return data[:-9] + bytes(it ^ 255 for it in data[-9:])


@pytest.mark.parametrize("damage", [cut, changed, None])
@pytest.mark.parametrize("ending", [".pack", ".parquet"])
def test_damaged_facts_are_measured_again(
    fleet: Fleet, one: Tree, damage: Callable[[bytes], bytes] | None, ending: str
) -> None:
    fleet.measure()
    before = fleet.query("SELECT * EXCLUDE (commits, last_change) FROM files ORDER BY ALL")
    for name in names_in(fleet.place, "facts/"):
        if name.endswith(ending):
            data = fleet.place.get(name, TABLE_BYTES) or b""
            if damage is None:
                fleet.place.delete([name])
            else:
                fleet.place.put(name, damage(data))
    one.commit({"README.md": b"# One\n"})
    again = fleet.measure()

    assert ([it.name for it in again.measured], again.failed) == (["one"], {})
    assert fleet.query("SELECT * EXCLUDE (commits, last_change) FROM files ORDER BY ALL") == before


def test_what_may_not_be_read_is_in_no_table(fleet: Fleet) -> None:
    read = frozenset({Operation.READ})
    guarded = Permissions(((Rule("**", read), Rule("shared.py", frozenset())),))
    fleet.measure()
    fleet.measure(guarded)

    sql = "SELECT repository, path FROM files ORDER BY ALL"
    answer = fleet.tables(guarded).query(sql, 10, Job())
    assert answer.rows == [["one", "app.py"], ["two", "renamed.py"]]


def test_a_run_that_is_out_of_time_says_what_is_left_and_the_next_goes_on(fleet: Fleet) -> None:
    late = Job(time_limit_s=0)
    fleet.measure(job=late)

    assert late.missing
    assert [it.name for it in fleet.measure().measured] == ["one", "two"]


OTHERS = "facts/other-engine/a.parquet"
UNFINISHED = f"facts/{engine_version()}/unfinished.pack"


def written(fleet: Fleet, name: str, days_ago: float) -> None:
    """Write an object of a place as if it was there for some days."""
    fleet.place.put(name, b"1")
    moment = time.time() - 86_400 * days_ago
    os.utime(Path(fleet.place.url, name), (moment, moment))


def test_a_run_removes_unfinished_packs_and_the_facts_of_engines_that_nobody_uses(
    fleet: Fleet, two: Tree
) -> None:
    fleet.measure()
    kept = names_in(fleet.place, "facts/")
    written(fleet, OTHERS, 31)
    written(fleet, UNFINISHED, 1.1)
    two.commit({"README.md": b"# Two\n"})

    assert fleet.measure().removed == 2
    assert names_in(fleet.place, "facts/") == kept
    assert fleet.measure().unchanged == 2


def test_a_run_keeps_what_another_process_may_be_about_to_use(fleet: Fleet) -> None:
    written(fleet, OTHERS, 31)
    written(fleet, "facts/other-engine/b.parquet", 29)
    written(fleet, UNFINISHED, 0.9)

    assert fleet.measure().removed == 0
    assert {OTHERS, UNFINISHED} <= set(names_in(fleet.place, "facts/"))


def test_a_pack_that_is_removed_under_a_running_measurement_is_measured_again(
    fleet: Fleet, two: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.measure()
    two.commit({"README.md": b"# Two\n"})
    find = FactIndex.find

    def find_and_remove(self: FactIndex, keys: Sequence[str]) -> dict[str, Where]:
        monkeypatch.setattr(FactIndex, "find", find)
        found = find(self, keys)
        fleet.place.delete(names_in(fleet.place, "facts/"))
        return found

    monkeypatch.setattr(FactIndex, "find", find_and_remove)
    again = fleet.measure()

    assert ([it.name for it in again.measured], again.failed) == (["two"], {})


def test_a_place_that_cannot_be_cleaned_up_costs_the_run_nothing(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StoreFails("may not delete", suggestion="")

    monkeypatch.setattr(fleet.place, "delete", refuse)

    assert len(fleet.measure().measured) == 2


def test_an_index_that_kills_its_reader_costs_only_itself(
    fleet: Fleet, two: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.measure()
    crafted = f"facts/{engine_version()}/{'0' * 32}.parquet"
    fleet.place.put(crafted, b"1")
    two.commit({"README.md": b"# Two\n"})
    ask = Answers.ask

    def ask_and_die(self: Answers, order: Order, job: Job) -> Answer:
        if crafted in str(order.files):
            order = msgspec.structs.replace(order, sql="SELECT 1", files={}, limit=2**63)
        return ask(self, order, job)

    monkeypatch.setattr(Answers, "ask", ask_and_die)
    again = fleet.measure()

    assert (again.new_blobs, again.failed) == (0, {})
    assert crafted not in names_in(fleet.place, "facts/")


def test_what_was_measured_before_the_cluster_was_lost_is_kept(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Steps.map

    def broken(*arguments: Any) -> Iterator[object]:
        yield next(whole(*arguments))
        raise ClusterFails("The scheduler is gone", suggestion="Start it again.")

    with monkeypatch.context() as patch:
        patch.setattr("benchpin.fleet._measuring.BATCH_BLOBS", 3)
        patch.setattr(Steps, "map", broken)
        with pytest.raises(ClusterFails):
            fleet.measure()
    again = fleet.measure()

    assert again.new_blobs < again.blobs == 4
    assert not again.failed
