"""A Dask cluster and an object store on loopback, and what a run costs each of their processes."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Self

import psutil

from benchpin.core.calls import Job, Permissions
from benchpin.fleet import FleetMeasurement, Steps, open_place, tables_version
from benchpin.fleet._measuring import FleetRun
from benchpin.fleet._members import Member
from benchpin.fleet._place import TABLE_BYTES, names_in
from ports import free_port, wait_for

Process = subprocess.Popen[bytes]
VERSION = tables_version(Permissions())
MIB = 1 << 20
LOG = "requests.log"
_SERVER = Path(__file__).with_name("servers") / "folder_s3.py"
_WATCH_S = 0.2


@dataclass
class Cost:
    """Processor time and memory of a program with its processes."""

    seconds: float = 0
    peak_bytes: int = 0

    def __str__(self) -> str:
        """Return both."""
        return f"{self.seconds:.1f} s, {self.peak_bytes / MIB:.0f} MiB"


@dataclass
class Watch:
    """Notes the cost of programs while it is open."""

    programs: dict[str, int]
    """Their process ids."""
    alone: frozenset[str] = frozenset({"client"})
    """Those whose children are programs of their own."""
    costs: dict[str, Cost] = field(default_factory=dict)
    _began: dict[str, float] = field(default_factory=dict)
    _ended: Event = field(default_factory=Event)

    def __enter__(self) -> Self:
        """Begin."""
        self._note()
        self._began = {name: it.seconds for name, it in self.costs.items()}
        self._thread = Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End; costs are those since the beginning."""
        self._ended.set()
        self._thread.join()
        self._note()
        for name, cost in self.costs.items():
            cost.seconds -= self._began[name]

    def _run(self) -> None:
        while not self._ended.wait(_WATCH_S):
            self._note()

    def _note(self) -> None:
        for name, pid in self.programs.items():
            cost = self.costs.setdefault(name, Cost())
            seconds, size = now(pid, with_children=name not in self.alone)
            cost.seconds = max(cost.seconds, seconds)
            cost.peak_bytes = max(cost.peak_bytes, size)

    def line(self) -> str:
        """Return what each program cost."""
        return "; ".join(f"{name} {cost}" for name, cost in self.costs.items())


def now(pid: int, *, with_children: bool) -> tuple[float, int]:
    """Return the processor time and memory of a process, and of those that it has started."""
    seconds, size = 0.0, 0
    try:
        top = psutil.Process(pid)
        for it in (top, *(top.children(recursive=True) if with_children else ())):
            with it.oneshot():
                seconds += sum(it.cpu_times()[:4])  # with the children that have ended
                size += it.memory_info().rss
    except psutil.NoSuchProcess:
        pass
    return seconds, size


@dataclass
class Cluster:
    """A scheduler and its workers."""

    address: str
    scheduler: Process
    workers: list[Process]

    def programs(self) -> dict[str, int]:
        """Return the process ids by name."""
        workers = {f"worker {number}": it.pid for number, it in enumerate(self.workers, start=1)}
        return {"client": os.getpid(), "scheduler": self.scheduler.pid, **workers}


def started(command: Sequence[str], folder: Path) -> Process:
    """Start a program that says nothing."""
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=folder, stdout=quiet, stderr=quiet)


@contextmanager
def cluster(workers: int, folder: Path) -> Iterator[Cluster]:
    """Start a scheduler and workers; wait until all have come."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    with ExitStack() as stack:

        def start(*arguments: str) -> Process:
            command = [sys.executable, "-m", "dask", *arguments]
            made = stack.enter_context(started(command, folder))
            stack.callback(made.terminate)
            return made

        options = ("--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        scheduler = start("scheduler", *options)
        wait_for(port, scheduler)
        options = ("--nthreads", "1", "--memory-limit", "0", "--no-dashboard")
        made = Cluster(
            address, scheduler, [start("worker", address, *options) for _ in range(workers)]
        )
        wait_for_workers(address, workers)
        yield made


def wait_for_workers(address: str, workers: int) -> None:
    """Wait until a scheduler has its workers."""
    from distributed import Client  # noqa: PLC0415 - takes a second, and some programs need none

    with Client(address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        client.wait_for_workers(workers)


class Store:
    """The server of `servers/folder_s3.py`, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._port = free_port()
        os.environ |= {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self._port}",
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any",
            "AWS_REGION": "us-east-1",
        }
        self.start()

    def start(self) -> None:
        """Start the server."""
        command = [sys.executable, str(_SERVER), str(self._port), str(self._folder)]
        self.process = started(command, self._folder)
        wait_for(self._port, self.process)

    def kill(self) -> None:
        """Kill the server (SIGKILL)."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def bucket(self, name: str) -> str:
        """Make a bucket and return its address."""
        (self._folder / name).mkdir()
        return f"s3://{name}/fleet"

    def requests(self) -> Counter[str]:
        """Return how many requests of each kind there were, and forget them."""
        log = self._folder / LOG
        found = Counter(" ".join(line.split()[:2]) for line in log.read_text("utf-8").splitlines())
        os.truncate(log, 0)
        return found

    def size_of(self, bucket: str) -> dict[str, int]:
        """Return the bytes of a bucket: facts, indexes, tables, records."""
        sizes: Counter[str] = Counter()
        root = self._folder / bucket / "fleet"
        for path in root.rglob("*"):
            if path.is_file():
                kind = path.relative_to(root).parts[0]
                sizes["indexes" if kind == "facts" and path.suffix == ".parquet" else kind] += (
                    path.stat().st_size
                )
        return dict(sizes)


@contextmanager
def store(folder: Path) -> Iterator[Store]:
    """Start a store, and point clients to it."""
    made = Store(folder)
    try:
        yield made
    finally:
        made.kill()


def measure(
    members: Sequence[Member], place: str, steps: Steps, cache: Path
) -> tuple[float, FleetRun]:
    """Measure repositories; return the time and what was done."""
    began = time.perf_counter()
    run = FleetMeasurement(open_place(place), steps, cache, VERSION, Job()).run(members)
    return time.perf_counter() - began, run


def tables(place: str) -> dict[str, bytes | None]:
    """Return every table of a place."""
    it = open_place(place)
    return {name: it.get(name, TABLE_BYTES) for name in names_in(it, "tables/")}
