"""Kill workers, the store and the scheduler while a fleet is measured: is anything lost or double?

    python bench/fleet_faults.py ROOT GLOB FEW [worker=10] [store=2] [outage=1] [scheduler=2]

The first FEW repositories below ROOT that match GLOB are measured by a cluster of two workers into
a bucket of `servers/folder_s3.py`, so many times for each kind of fault, at random moments:

- worker: a worker is killed; its keeper starts another
- store: the store is killed, and started again after three seconds; it keeps its objects
- outage: the store is killed and stays away until the run has ended with an error
- scheduler: the scheduler is killed

A run must go on, or end with an error that names the cause, and go on when it is started again. In
the end tables must be the bytes of a run on this machine, and each fact must be there once.
"""

import random
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import duckdb
import psutil

from benchpin.core.calls import Permissions
from benchpin.core.errors import BenchpinError
from benchpin.fleet import dask_steps, find_members, local_steps
from benchpin.fleet._members import Member
from fleet_cluster import Cluster, Store, cluster, measure, store, tables
from results import help_if_asked

AWAY_S = 3.0
EARLIEST_S = 0.5
Fault = Callable[[Cluster, Store], None]


def kill_worker(made: Cluster, _store: Store) -> None:
    """Kill the processes that work for a worker, not their keeper."""
    victim = random.choice(made.workers)  # noqa: S311 - any will do
    for child in psutil.Process(victim.pid).children(recursive=True):
        try:
            child.send_signal(signal.SIGKILL)
        except psutil.NoSuchProcess:
            continue


def restart_store(_made: Cluster, it: Store) -> None:
    """Kill the store, and start it again."""
    it.kill()
    time.sleep(AWAY_S)
    it.start()


def kill_store(_made: Cluster, it: Store) -> None:
    """Kill the store."""
    it.kill()


def kill_scheduler(made: Cluster, _store: Store) -> None:
    """Kill the scheduler."""
    made.scheduler.send_signal(signal.SIGKILL)


FAULTS: dict[str, Fault] = {
    "worker": kill_worker,
    "store": restart_store,
    "outage": kill_store,
    "scheduler": kill_scheduler,
}


@dataclass(frozen=True)
class Trial:
    """Repositories that are measured again and again."""

    members: Sequence[Member]
    folder: Path
    store: Store
    expected: dict[str, bytes | None]
    facts: int
    """How many there must be."""
    whole_s: float
    """How long a run without faults takes."""

    def run(self, number: int, kind: str) -> bool:
        """Measure with one fault; print what happened, and return whether all is there once."""
        bucket = f"{kind}-{number}"
        place = self.store.bucket(bucket)
        after_s = random.uniform(EARLIEST_S, self.whole_s)  # noqa: S311 - any moment will do
        began = time.perf_counter()
        said = self._measure(place, kind, after_s)
        ended_s = time.perf_counter() - began
        if said:
            if self.store.process.poll() is not None:
                self.store.start()
            said += self._measure(place, None, 0)
        rows, keys = facts_of(self.folder / "store" / bucket)
        is_right = tables(place) == self.expected and rows == keys == self.facts
        outcome = said or "went on"
        print(
            f"| {kind} | {after_s:.1f} s | {ended_s:.1f} s | {outcome} | {keys:,} facts, "
            f"{rows - keys} double | {'same' if is_right else 'DIFFERENT'} |",
            flush=True,
        )
        return is_right

    def _measure(self, place: str, kind: str | None, after_s: float) -> str:
        """Measure; return the error with which it ended, empty if with none."""
        with cluster(2, self.folder) as made:
            fault = Thread(target=self._fail, args=(kind, made, after_s))
            try:
                with dask_steps(made.address) as steps:
                    fault.start()
                    _, run = measure(self.members, place, steps, self.folder / "fetched")
            except BenchpinError as error:
                return f"{error.kind}: {error.message}; then "
            finally:
                fault.join()
        return f"failed: {run.failed}" if run.failed else "" if kind else "went on"

    def _fail(self, kind: str | None, made: Cluster, after_s: float) -> None:
        if kind is not None:
            time.sleep(after_s)
            FAULTS[kind](made, self.store)


def facts_of(bucket: Path) -> tuple[int, int]:
    """Return how many facts the indexes of a bucket have, and under how many keys."""
    indexes = [str(it) for it in bucket.glob("fleet/facts/*/*.parquet")]
    sql = "SELECT count(*), count(DISTINCT key) FROM read_parquet(?)"
    found = duckdb.execute(sql, [indexes]).fetchone()
    return (int(found[0]), int(found[1])) if found else (0, 0)


def main(root: str, glob: str, few: str, *faults: str) -> int:
    """Run all trials; 1 if something was lost or is double."""
    asked = dict(it.split("=") for it in faults) or {
        "worker": "10",
        "store": "2",
        "outage": "1",
        "scheduler": "2",
    }
    members = find_members(Path(root), [glob], None, Permissions()).found[: int(few)]
    with TemporaryDirectory() as name, store(Path(name, "store")) as made:
        folder = Path(name)
        here = str(folder / "here")
        with local_steps() as steps:
            whole_s, run = measure(members, here, steps, folder / "fetched")
        trial = Trial(members, folder, made, tables(here), run.new_blobs, whole_s)
        print(f"{len(members)} repositories, {run.blobs:,} files, {whole_s:.1f} s on this machine")
        print("| killed | after | ended after | outcome | facts | tables |")
        print("| --- | --: | --: | --- | --- | --- |", flush=True)
        right = [
            trial.run(number, kind) for kind, times in asked.items() for number in range(int(times))
        ]
    print(f"\n{sum(right)} of {len(right)} runs: nothing lost, nothing double.")
    return int(not all(right))


if __name__ == "__main__":
    help_if_asked(__doc__)
    sys.exit(main(*sys.argv[1:]))
