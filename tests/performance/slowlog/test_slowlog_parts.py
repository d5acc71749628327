"""Parts of a log add up to what one reading finds, to the last byte."""

import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import Job, Progress
from benchpin.core.errors import Cancelled, TimeLimitExceeded
from benchpin.performance.slowlog import Part
from benchpin.performance.slowlog import (
    _connections as connections,
)
from benchpin.performance.slowlog import (
    _reading as reading,
)
from benchpin.performance.slowlog._digest import Digest
from benchpin.performance.slowlog._reading import merge
from benchpin.system.processes import HelperProcess
from slow_logs import REAL, digest, mariadb_event, mysql_event, real_log

MOST = 1000


def part_of(log: bytes, start: int, end: int) -> Part:
    part = Digest(start, most_classes=MOST, is_first=start == 0)
    part.feed(log[start:end])
    return part.finish()


def starts(log: bytes) -> list[int]:
    """Return where events begin that name their user."""
    found, at = [], log.find(b";\n# User@Host: ")
    while at >= 0:
        found.append(at + 2)
        at = log.find(b";\n# User@Host: ", at + 1)
    return found


@pytest.mark.parametrize("name", [name for name in REAL if "mysql" not in name])
def test_parts_of_a_real_log_add_up(name: str) -> None:
    log = real_log(name)
    whole = digest(log)
    for cut in starts(log)[:: len(starts(log)) // 12 + 1]:
        merged = merge([part_of(log, 0, cut), part_of(log, cut, len(log))], MOST)
        assert merged is None or reading.slow_log(merged) == whole


@given(
    events=st.lists(
        st.tuples(st.integers(1, 4), st.sampled_from("ABCD"), st.integers(0, 3)),
        min_size=4,
        max_size=60,
    ),
    cuts=st.sets(st.integers(1, 59), max_size=4),
    gap=st.integers(0, 12),
)
def test_runs_and_connections_add_up_wherever_the_log_is_cut(
    events: list[tuple[int, str, int]], cuts: set[int], gap: int
) -> None:
    texts = [
        mariadb_event(f"SELECT {name}{' ' * thread}FROM t", thread=thread, time=f"0.00000{time_us}")
        for thread, name, time_us in events
    ]
    log = b"".join(texts)
    edges = [0, *sorted(cut for cut in cuts if cut < len(texts)), len(texts)]
    places = [sum(map(len, texts[:edge])) for edge in edges]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connections, "GAP", gap)
        patch.setattr("benchpin.performance.slowlog._digest.GAP", gap)
        whole = digest(log)
        found = [part_of(log, *pair) for pair in pairwise(places)]
        merged = merge(found, MOST)
    assert merged is not None
    assert reading.slow_log(merged) == whole


def test_database_that_an_earlier_part_names_is_inherited() -> None:
    first = mysql_event("SELECT 1").replace(b"SET timestamp", b"use `shop`;\nSET timestamp")
    log = first + mysql_event("SELECT a FROM b")
    merged = merge([part_of(log, 0, len(first)), part_of(log, len(first), len(log))], MOST)
    assert merged is not None
    assert [it.databases for it in reading.slow_log(merged).classes] == [("shop",), ("shop",)]
    assert reading.slow_log(merged) == digest(log)


def test_cut_inside_a_literal_is_noticed() -> None:
    fake = mysql_event("SELECT 666").decode()
    log = mysql_event("SELECT 1") + mysql_event(f"INSERT INTO t VALUES ('a;\n{fake}b')")
    cut = log.rindex(b"# Time: ")
    assert merge([part_of(log, 0, cut), part_of(log, cut, len(log))], MOST) is None


def test_part_that_lacks_the_time_is_noticed() -> None:
    event = b"# User@Host: a[a] @ b []\n# Query_time: 1  Lock_time: 0  Rows_sent: 0\nSELECT 1;\n"
    log = b"# Time: 060102  3:04:05\n" + event * 2
    cut = len(log) - len(event)
    assert merge([part_of(log, 0, cut), part_of(log, cut, len(log))], MOST) is None


def made_log(folder: Path) -> Path:
    place = folder / "slow.log"
    place.write_bytes(real_log("bundle.log") * 6 + real_log("mariadb1011_evil.log") * 3)
    return place


@pytest.mark.parametrize("workers", [2, 3])
def test_processes_find_what_one_finds(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_MIN_PART_BYTES", 100_000)
    place = made_log(tmp_path)
    seen: list[Progress] = []
    job = Job(on_progress=seen.append)
    job.leave_out("what has nothing to do with this log")
    with place.open("rb") as file:
        assert len(reading.find_cuts(file.fileno(), place.stat().st_size, workers)) == workers + 1
        log = reading.read_slow_log(file, place.stat().st_size, job, workers=workers)
    assert log == digest(place.read_bytes())
    assert {it.total for it in seen} == {place.stat().st_size}


def test_log_that_can_not_be_cut_is_read_in_one_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_MIN_PART_BYTES", 100)
    place = tmp_path / "slow.log"
    fake = mysql_event("SELECT 666").decode() * 50
    place.write_bytes(mysql_event(f"INSERT INTO t VALUES ('a;\n{fake}b')"))
    with place.open("rb") as file:
        log = reading.read_slow_log(file, place.stat().st_size, Job(), workers=2)
    assert (log.events, log.is_complete) == (1, True)


@pytest.mark.slow
def test_child_that_fails_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_MIN_PART_BYTES", 100_000)
    monkeypatch.setattr(reading, "_MODULE", "benchpin.no_such_module")
    place = made_log(tmp_path)
    with place.open("rb") as file:
        log = reading.read_slow_log(file, place.stat().st_size, Job(), workers=2)
    assert log == digest(place.read_bytes())


def test_cancelled_job_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_MIN_PART_BYTES", 100_000)
    started: list[subprocess.Popen[bytes]] = []

    class Remembered(HelperProcess):
        def __init__(self, module: str, files: Sequence[int]) -> None:
            super().__init__(module, files)
            started.append(self._process)

    monkeypatch.setattr(reading, "HelperProcess", Remembered)
    job = Job(on_progress=lambda _: job.cancel())
    place = made_log(tmp_path)
    with place.open("rb") as file, pytest.raises(Cancelled):
        reading.read_slow_log(file, place.stat().st_size, job, workers=2)
    assert [process.poll() is not None for process in started] == [True]


def test_parts_that_are_not_read_in_time_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_MIN_PART_BYTES", 100_000)
    monkeypatch.setattr(reading, "part_chunks", lambda *_: iter([real_log("bundle.log")] * 50))
    clock = iter(range(1000))
    job = Job(time_limit_s=10, monotonic=lambda: next(clock))
    place = made_log(tmp_path)
    with place.open("rb") as file, pytest.raises(TimeLimitExceeded):
        reading.read_slow_log(file, place.stat().st_size, job, workers=2)
