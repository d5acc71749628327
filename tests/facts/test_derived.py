"""Facts that measures derive from one file are kept by content."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from benchpin.core.calls import Job, Permissions, WorkspaceSession
from benchpin.facts import FileFacts, FileSelection, open_index
from benchpin.facts.derived import FileFact
from benchpin.facts.store import FactCache
from benchpin.facts.workers import FactOrder, FileBatch, WorkerPool
from benchpin.facts.workers import _worker as module
from benchpin.facts.workers._worker import load_fact, measure
from benchpin.measures.complexity import SUMMARIES
from benchpin.measures.debt import FILE_DEBT
from benchpin.measures.names import NAME_QUALITY
from workers import Spy

MEASURED: list[str] = []


def count_names(file: FileFacts, times: int) -> int:
    """Return how many names a file has, times a number; fail on one with a function `fail`."""
    MEASURED.append(file.path)
    if any(it.name == "fail" for it in file.outline.functions):
        raise ValueError
    return times * len(file.links.references)


NAMES = FileFact[int, int](f"{__name__}:NAMES", int, count_names, ("outline", "links"), int)
PATHS = FileFact[None, str](
    f"{__name__}:PATHS", str, lambda file, _option: file.path, has_path=True
)


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    """Do the work of the workers here, of however little."""
    MEASURED.clear()
    monkeypatch.setattr(module, "_MAX_BYTES_THERE", 0)
    return Spy(monkeypatch)


@contextmanager
def selected(folder: Path, job: Job | None = None) -> Iterator[FileSelection]:
    """Return the selection of all files, with a new process's memory."""
    session = WorkspaceSession(folder / "work", folder / "cache")
    try:
        yield FileSelection(session, Permissions(), job or Job())
    finally:
        session.close()


def write(folder: Path, **texts: str) -> None:
    (folder / "work").mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / "work" / f"{name}.py").write_text(text, encoding="utf-8")


def names(folder: Path, times: int = 1) -> dict[str, int]:
    MEASURED.clear()
    with selected(folder) as selection:
        return NAMES.of(selection, selection.list_files().files, times)


@pytest.mark.parametrize("bytes_here", [0, 1 << 20])
def test_only_files_with_another_content_are_measured_again(
    tmp_path: Path, spy: Spy, monkeypatch: pytest.MonkeyPatch, bytes_here: int
) -> None:
    monkeypatch.setattr(module, "_MAX_BYTES_THERE", bytes_here)
    write(tmp_path, a="x = 1\n", b="x = y\n", c="x = 1\n")
    assert names(tmp_path) == {"a.py": 1, "b.py": 2, "c.py": 1}
    assert len(MEASURED) == 2  # two have the same content
    assert names(tmp_path) == {"a.py": 1, "b.py": 2, "c.py": 1}
    assert not MEASURED

    write(tmp_path, b="x = y + z\n")
    (tmp_path / "work" / "c.py").rename(tmp_path / "work" / "d.py")
    spy.take()
    assert names(tmp_path) == {"a.py": 1, "b.py": 3, "d.py": 1}
    assert len(MEASURED) == 1
    assert spy.take()[1] == 1


def test_another_option_has_values_of_its_own(tmp_path: Path, spy: Spy) -> None:
    write(tmp_path, a="x = 1\n")
    assert [names(tmp_path, times) for times in (1, 2, 1)] == [
        {"a.py": 1},
        {"a.py": 2},
        {"a.py": 1},
    ]
    assert not MEASURED
    assert spy.parsed == 1


def test_an_expected_fact_is_derived_from_the_same_parse(tmp_path: Path, spy: Spy) -> None:
    write(tmp_path, a="x = 1\n", b="x = y\n")
    with selected(tmp_path) as selection:
        open_index(selection.session).expect(NAMES.order(1))
        files = selection.list_files().files
        assert len(MEASURED) == 2
        assert NAMES.of(selection, files, 1) == {"a.py": 1, "b.py": 2}
        assert len(MEASURED) == 2

        write(tmp_path, a="x = y = z = 1\n")
        later = replace(selection, job=Job())
        files = later.list_files().files
        assert len(MEASURED) == 3
        assert NAMES.of(later, files, 1)["a.py"] == 3
    assert spy.parsed == 3


def test_a_fact_of_the_product_is_not_derived_from_tests(tmp_path: Path, spy: Spy) -> None:
    write(tmp_path, a="x = 1\n", test_a="x = y\n")
    with selected(tmp_path) as every:
        product = replace(every, query=replace(every.query, scope="production"))
        product.expect(NAMES.order(1))
        files = every.list_files().files
        assert len(MEASURED) == 1
        assert NAMES.of(every, files, 1) == {"a.py": 1, "test_a.py": 2}
        product.expect(NAMES.order(1))  # all were asked for meanwhile
        write(tmp_path, test_a="x = y + z\n")
        replace(every, job=Job()).list_files()
        assert len(MEASURED) == 3
    assert spy.parsed == 3


def test_tests_are_not_parsed_for_a_question_about_the_product(tmp_path: Path, spy: Spy) -> None:
    write(tmp_path, a="x = 1\n", test_a="x = y\n")
    with selected(tmp_path) as every:
        found = replace(every, query=replace(every.query, scope="production")).list_files()
        assert ([it.path for it in found.files], found.skipped) == (["a.py"], {"tests": 1})
        assert spy.parsed == 1
        assert [it.path for it in every.list_files().files] == ["a.py", "test_a.py"]
        assert spy.parsed == 2


def test_a_fact_that_fails_on_a_file_is_lost_for_that_file_alone(tmp_path: Path, spy: Spy) -> None:
    write(tmp_path, a="x = 1\n", b="def fail(): pass\n")
    with selected(tmp_path) as selection:
        open_index(selection.session).expect(NAMES.order(1))
        assert [it.path for it in selection.read().files] == ["a.py", "b.py"]
    assert spy.parsed == 2
    assert names(tmp_path) == {"a.py": 1}
    assert not MEASURED  # it is not tried again


def test_the_function_sees_the_path_only_where_the_fact_depends_on_it(
    tmp_path: Path, spy: Spy
) -> None:
    write(tmp_path, a="x = 1\n", b="x = 1\n")
    assert names(tmp_path) == {"a.py": 1, "b.py": 1}
    assert MEASURED == [""]
    with selected(tmp_path) as selection:
        found = PATHS.of(selection, selection.list_files().files, None)
    assert found == {"a.py": "a.py", "b.py": "b.py"}
    assert spy.parsed


def test_what_a_caller_wants_to_be_fresh_is_computed_again(tmp_path: Path, spy: Spy) -> None:
    write(tmp_path, a="x = 1\n")
    names(tmp_path)
    for expected in (2, 3):
        with selected(tmp_path) as selection:
            fresh = replace(selection, is_fresh=True)
            assert NAMES.of(fresh, fresh.list_files().files, 1) == {"a.py": 1}
        assert len(MEASURED) == expected
    assert spy.parsed == 1


def test_a_damaged_value_is_computed_again(tmp_path: Path, spy: Spy) -> None:
    write(tmp_path, a="x = 1\n")
    names(tmp_path)
    [database] = (tmp_path / "cache" / "source").glob("facts-*.sqlite")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE derived SET data = x'05'")
        connection.commit()
    assert names(tmp_path) == {"a.py": 1}
    assert len(MEASURED) == 1
    assert spy.parsed == 1


def test_files_in_another_state_have_their_own_values(tmp_path: Path, spy: Spy) -> None:
    write(tmp_path, a="x = 1\n", b="x = 1\n")
    with selected(tmp_path) as selection:
        texts = {"a.py": ("python", b"x = y = z\n")}
        index = open_index(selection.session)
        other = index.read_texts(texts, ("outline", "links"), selection.job)
        before = selection.replacing(other)
        assert NAMES.of(before, before.list_files().files, 1) == {"a.py": 3, "b.py": 1}
        assert NAMES.of(selection, selection.list_files().files, 1) == {"a.py": 1, "b.py": 1}
    assert spy.parsed


def test_files_without_time_are_left_out_and_said_so(tmp_path: Path, spy: Spy) -> None:
    write(tmp_path, a="x = 1\n", b="x = y\n")
    with selected(tmp_path) as selection:
        files = selection.list_files().files
        late = replace(selection, job=Job(time_limit_s=0))
        assert NAMES.of(late, files, 1) == {}
        assert late.job.missing == ["2 of 2 files"]
    assert spy.parsed == 2


@pytest.mark.parametrize("fact", [SUMMARIES, FILE_DEBT, NAME_QUALITY])
def test_a_worker_finds_a_fact_by_its_name(fact: FileFact[object, object]) -> None:
    assert load_fact(fact.name) is fact


def test_a_name_that_leads_nowhere_is_no_fact() -> None:
    assert load_fact("benchpin.measures.debt:NO_SUCH_FACT") is None
    assert load_fact("benchpin.no_such_module:FACT") is None


@pytest.mark.slow
def test_workers_derive_what_this_process_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, **{f"f{it}": f"# TODO: {it}\ndef total_{it}(x): return x\n" for it in range(9)})
    with selected(tmp_path) as selection:
        files = selection.read("comments", "links").files
        here = FILE_DEBT.of(selection, files, 0.5), NAME_QUALITY.of(selection, files, None)
        fresh = replace(selection, is_fresh=True)
        monkeypatch.setattr(module, "_MAX_BYTES_THERE", 0)
        monkeypatch.setattr(FileFact, "made", None)  # not here
        assert FILE_DEBT.of(fresh, files, 0.5) == here[0]
        assert NAME_QUALITY.of(fresh, files, None) == here[1]
    assert here[0]["f3.py"].items[0].file == "f3.py"


@pytest.mark.slow
def test_without_a_cache_values_come_through_the_pipe(tmp_path: Path) -> None:
    write(tmp_path, a="# TODO: this\nx = 1\n", b="# TODO: this\nx = 1\n")
    order = NAME_QUALITY.order(None)
    batch = FileBatch(
        os.fsencode(tmp_path / "work"),
        b"",
        (("a.py", "python"), ("b.py", "python")),
        (),
        facts=(order,),
    )
    with closing(WorkerPool()) as pool:
        [one, two] = pool.map([batch], Job())
    assert one.derived.keys() == two.derived.keys() == {order.place}


def test_values_of_files_that_are_gone_and_of_other_versions_go_first(
    tmp_path: Path, spy: Spy
) -> None:
    write(tmp_path, a="x = 1\n", b="x = y\n")
    names(tmp_path)
    with closing(FactCache(tmp_path / "cache" / "source", max_bytes=1)) as cache:
        cache.save_derived([(b"an older version", b"k" * 16, b"1")])
        (tmp_path / "work" / "b.py").unlink()
        with selected(tmp_path) as selection:
            selection.list_files()
        cache.trim()
        rows = cache._query("SELECT COUNT(*) FROM derived", ())
    assert rows == [(1,)]
    assert spy.parsed


def test_a_batch_derives_from_what_the_cache_has(tmp_path: Path, spy: Spy) -> None:
    write(tmp_path, a="x = y\n")
    batch = FileBatch(
        os.fsencode(tmp_path / "work"), b"", (("a.py", "python"),), (), facts=(NAMES.order(2),)
    )
    with closing(FactCache(tmp_path / "cache")) as cache:
        for _ in range(2):
            [answer] = measure(batch, cache)
            assert not answer.derived
        found = cache.load_derived(NAMES.order(2).place, [answer.key])
    assert NAMES.decode(found[answer.key]) == (4,)
    assert spy.parsed == 1
    assert len(MEASURED) == 1


FATAL = """
import os
from benchpin.facts.derived import FileFact

def end_worker(file, _option):
    if any(it.name == "fatal" for it in file.outline.functions):
        os.abort()
    return 1

FACT = FileFact(f"{__name__}:FACT", int, end_worker)
"""


@pytest.mark.slow
@pytest.mark.parametrize("sections", [("outline",), ()])
def test_a_fact_that_ends_a_worker_costs_no_other_file_and_no_facts_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sections: tuple[str, ...]
) -> None:
    (tmp_path / "fatal_fact.py").write_text(FATAL, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    write(tmp_path, a="x = 1\n", b="def fatal(): pass\n", c="x = 2\n")
    batch = FileBatch(
        os.fsencode(tmp_path / "work"),
        os.fsencode(tmp_path / "cache"),
        tuple((f"{name}.py", "python") for name in "abc"),
        sections,
        facts=(FactOrder("fatal_fact:FACT", b"\xc0", b"p" * 16),),
    )
    with closing(WorkerPool()) as pool:
        found = {item.path: item for item in pool.map([batch], Job(), 1)}
    assert found.keys() == {"a.py", "b.py", "c.py"}
    assert [path for path, item in found.items() if item.is_fatal] == ([] if sections else ["b.py"])
    assert all(item.sections.keys() == {*sections} for item in found.values())
    with closing(FactCache(tmp_path / "cache")) as cache:
        known = cache.derived_keys(b"p" * 16, [item.key for item in found.values()])
    # What was answered before the crash is not kept, and is derived where it is asked for.
    assert found["c.py"].key in known
    assert found["b.py"].key not in known
