import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.facts.workers import FileBatch, FileResult, WorkerPool
from benchpin.facts.workers import _pool as module
from benchpin.facts.workers._pool import WorkersFail
from benchpin.facts.workers._worker import FILE_TIMEOUT_S
from benchpin.system.processes import worker_count
from waiting import WAIT_S
from workers import install_faulty

pytestmark = pytest.mark.slow


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    before = children()
    made = WorkerPool()
    yield made
    made.close()
    assert children() <= before


@pytest.fixture
def is_faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_faulty(tmp_path / "faults", monkeypatch)


def batch(root: Path, **files: str) -> FileBatch:
    for name, content in files.items():
        (root / f"{name}.py").write_text(f"{content} = 1\n", encoding="utf-8")
    listed = tuple((f"{name}.py", "python") for name in files)
    cache = os.fsencode(root.parent / "facts")
    return FileBatch(os.fsencode(root), cache, listed, ("outline",))


def careful(batch: FileBatch) -> FileBatch:
    return msgspec.structs.replace(batch, is_careful=True)


def problems(items: Iterator[FileResult]) -> dict[str, str]:
    return {item.path: item.problem for item in items}


def pids(pool: WorkerPool) -> set[int]:
    return {worker.process.pid for worker in pool._idle}


@pytest.mark.parametrize("workers", [1, 2, 5, None])
def test_every_file_of_every_order_is_answered_once(
    workspace: Path, pool: WorkerPool, workers: int | None
) -> None:
    batches = [batch(workspace, **{f"f{at}x{it}": "x" for it in range(5)}) for at in range(7)]
    items = list(pool.map(batches, Job(), workers))
    assert sorted(item.path for item in items) == sorted(
        path for one in batches for path, _ in one.files
    )
    assert not any(item.problem for item in items)
    assert len(pids(pool)) <= worker_count()


def test_no_orders_need_no_workers(pool: WorkerPool) -> None:
    assert list(pool.map([], Job())) == []
    assert pids(pool) == set()


def test_workers_are_kept_for_the_next_piece_of_work(workspace: Path, pool: WorkerPool) -> None:
    list(pool.map([batch(workspace, a="x")], Job()))
    before = pids(pool)
    list(pool.map([batch(workspace, b="x")], Job()))
    assert pids(pool) == before != set()


def test_a_pool_at_rest_has_no_worker_until_it_is_needed_again(
    workspace: Path, pool: WorkerPool
) -> None:
    before = children()
    order = batch(workspace, a="x")
    list(pool.map([order], Job()))
    pool.rest()

    assert children() <= before
    assert problems(pool.map([order], Job())) == {"a.py": ""}


def test_a_worker_that_died_meanwhile_is_replaced(workspace: Path, pool: WorkerPool) -> None:
    list(pool.map([batch(workspace, a="x")], Job()))
    [dead] = pids(pool)
    os.kill(dead, signal.SIGKILL)
    assert problems(pool.map([batch(workspace, b="x")], Job())) == {"b.py": ""}
    assert dead not in pids(pool)


def test_an_order_longer_than_a_pipe_holds_arrives(workspace: Path, pool: WorkerPool) -> None:
    names = tuple((f"{'n' * 200}{number}.py", "python") for number in range(2_000))
    one = FileBatch(os.fsencode(workspace), b"", names, ("outline",))
    assert len(problems(pool.map([one], Job()))) == 2_000


@pytest.mark.usefixtures("is_faulty")
@pytest.mark.parametrize("fault", ["CRASH", "KILL", "LEAVE"])
def test_only_the_file_that_a_worker_does_not_survive_is_named(
    workspace: Path, pool: WorkerPool, fault: str
) -> None:
    batches = [batch(workspace, a="x", b="x", c=fault, d="x"), batch(workspace, e="x")]
    items = list(pool.map(batches, Job(), 1))
    assert {item.path for item in items if item.problem} == {"c.py"}
    assert [item.is_fatal for item in items if item.problem] == [True]
    assert sorted(item.path for item in items) == ["a.py", "b.py", "c.py", "d.py", "e.py"]


@pytest.mark.usefixtures("is_faulty")
def test_every_one_of_many_is_found(workspace: Path, pool: WorkerPool) -> None:
    one = batch(workspace, a="CRASH", b="x", c="CRASH", d="CRASH", e="x")
    found = problems(pool.map([one], Job(), 2))
    assert {path for path, problem in found.items() if problem} == {"a.py", "c.py", "d.py"}
    assert found.keys() == {path for path, _ in one.files}


@pytest.mark.usefixtures("is_faulty")
def test_a_worker_that_hangs_over_a_file_is_ended_and_the_file_named(
    workspace: Path, pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(pool.map([batch(workspace, warm="x")], Job(), 1))
    monkeypatch.setattr(module, "FILE_TIMEOUT_S", 0.2)
    [item] = pool.map([batch(workspace, a="HANG")], Job(), 1)
    assert (item.path, item.is_fatal) == ("a.py", True)
    assert "longer than" in item.problem
    assert pids(pool) == set()


@pytest.mark.usefixtures("is_faulty")
def test_a_file_that_hangs_among_others_is_named(
    workspace: Path, pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(pool.map([batch(workspace, warm="x")], Job(), 1))
    monkeypatch.setattr(module, "FILE_TIMEOUT_S", 3)
    found = problems(pool.map([batch(workspace, a="x", b="HANG", c="x")], Job(), 1))
    assert found.keys() == {"a.py", "b.py", "c.py"}
    assert [path for path, problem in found.items() if problem] == ["b.py"]


def test_where_it_is_unclear_which_file_hangs_patience_is_short(
    workspace: Path, pool: WorkerPool
) -> None:
    pool.prepare(1)
    [worker] = pool._idle
    several, single = batch(workspace, a="x", b="x"), batch(workspace, a="x")
    silent_s = FILE_TIMEOUT_S / 2
    for given, is_stuck in ((several, True), (careful(several), False), (single, False)):
        worker.batch, worker.is_started = given, True
        worker._since = time.monotonic() - silent_s
        assert worker.is_stuck() is is_stuck
    worker.batch, worker.is_started = several, False
    assert not worker.is_stuck()


@pytest.mark.usefixtures("is_faulty")
def test_cancelling_kills_workers_that_are_busy(workspace: Path, pool: WorkerPool) -> None:
    job = Job()
    before = children()
    items = pool.map([careful(batch(workspace, a="x", b="HANG"))], job, 1)
    assert next(items).path == "a.py"
    assert children() > before
    job.cancel()
    with pytest.raises(Cancelled):
        next(items)
    assert children() == before


@pytest.mark.usefixtures("is_faulty")
def test_when_the_time_is_up_results_so_far_were_yielded_and_no_worker_stays(
    workspace: Path, pool: WorkerPool
) -> None:
    now = [0.0]
    job = Job(time_limit_s=10, monotonic=lambda: now[0])
    before = children()
    items = pool.map([careful(batch(workspace, a="x", b="HANG"))], job, 1)
    assert next(items).path == "a.py"
    now[0] = 11.0
    assert list(items) == []
    pool.close()
    assert children() == before


def test_who_was_late_ends_his_order_and_takes_the_next_one(
    workspace: Path, pool: WorkerPool
) -> None:
    now = [0.0]
    job = Job(time_limit_s=10, monotonic=lambda: now[0])
    begun = batch(workspace, **{f"a{it}": "x" for it in range(50)})
    items = pool.map([begun], job, 1)
    next(items)
    workers = children()
    now[0] = 11.0
    list(items)
    found = list(pool.map([batch(workspace, b="x"), begun], Job(), 1))
    assert sorted(it.path for it in found) == sorted([*(path for path, _ in begun.files), "b.py"])
    assert children() == workers


@pytest.mark.usefixtures("is_faulty")
def test_who_stops_listening_leaves_no_worker_behind(workspace: Path, pool: WorkerPool) -> None:
    before = children()
    items = pool.map([batch(workspace, a="x", b="HANG")], Job(), 1)
    next(items)
    items.close()  # type: ignore[attr-defined]  # a generator
    assert children() == before
    assert problems(pool.map([batch(workspace, c="x")], Job())) == {"c.py": ""}


def test_workers_that_cannot_start_blame_no_file(
    workspace: Path, pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MODULE", "there_is_no_such_module")
    with pytest.raises(WorkersFail) as raised:
        list(pool.map([batch(workspace, a="x")], Job()))
    assert "there_is_no_such_module" in (raised.value.suggestion or "")


def test_workers_end_when_whoever_started_them_is_killed(workspace: Path) -> None:
    program = (
        "import sys, signal\n"
        "from benchpin.core.calls import Job\n"
        "from benchpin.facts.workers._pool import WorkerPool\n"
        "from benchpin.facts.workers._worker import FileBatch\n"
        "pool = WorkerPool()\n"
        "files = (('a.py', 'python'),)\n"
        "list(pool.map([FileBatch(sys.argv[1].encode(), b'', files, ('outline',))], Job()))\n"
        "print(*(it.process.pid for it in pool._idle), flush=True)\n"
        "signal.pause()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(workspace)], stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        workers = [psutil.Process(int(pid)) for pid in parent.stdout.readline().split()]
        parent.kill()
    assert workers
    _, alive = psutil.wait_procs(workers, timeout=WAIT_S)
    assert alive == []
