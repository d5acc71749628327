"""Measure a fleet on a Dask cluster with an object store, all on loopback, and check it.

    python bench/fleet.py ROOT GLOB [KILLS [FEW]]

Repositories below ROOT that match GLOB are measured on this machine into a folder, and by clusters
of two and of one worker into buckets of moto's S3. Tables must be the same bytes. Then KILLS times
a worker is killed at a random moment while a FEW repositories are measured.
"""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

import boto3  # type: ignore[import-untyped]
import psutil

from benchpin.core import Job, Permissions
from benchpin.engines.fleet.executors import Steps, dask_steps, local_steps
from benchpin.engines.fleet.measuring import FleetMeasurement, FleetRun
from benchpin.engines.fleet.members import Member, find_members
from benchpin.engines.fleet.place import TABLE_BYTES, names_in, open_place
from benchpin.engines.fleet.questions import QUESTIONS, FleetTables
from benchpin.engines.fleet.records import tables_version

VERSION = tables_version(Permissions())
MIB = 1 << 20
NAMES = {"symbol": "main", "users": "json", "dependents": "pytest", "copies": "main"}


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until somebody listens on a port."""
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return


@dataclass
class Cluster:
    """A scheduler and its workers."""

    address: str
    scheduler: "subprocess.Popen[bytes]"
    workers: "list[subprocess.Popen[bytes]]"
    peaks: dict[str, int] = field(default_factory=dict)
    """The most memory of the scheduler and of a worker with its processes, in bytes."""

    def watch(self, ended: Event) -> None:
        """Note the peaks until it is over."""
        groups = {"scheduler": [self.scheduler], "worker": self.workers}
        while not ended.wait(0.2):
            for name, members in groups.items():
                most = max(map(memory_of, members))
                self.peaks[name] = max(self.peaks.get(name, 0), most)


def memory_of(process: "subprocess.Popen[bytes]") -> int:
    """Return the memory of a process and its children."""
    try:
        top = psutil.Process(process.pid)
        return sum(it.memory_info().rss for it in (top, *top.children(recursive=True)))
    except psutil.NoSuchProcess:
        return 0


@contextmanager
def cluster(workers: int, folder: Path) -> Iterator[Cluster]:
    """Start a scheduler and workers."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    dask = (sys.executable, "-m", "dask")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    with ExitStack() as stack:

        def start(*arguments: str) -> "subprocess.Popen[bytes]":
            made = stack.enter_context(subprocess.Popen([*dask, *arguments], **quiet))  # type: ignore[call-overload]
            stack.callback(made.terminate)
            return made  # type: ignore[no-any-return]

        scheduler = start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        wait_for(port)
        options = ("--nthreads", "1", "--memory-limit", "0", "--no-dashboard")
        made = Cluster(
            address, scheduler, [start("worker", address, *options) for _ in range(workers)]
        )
        ended = Event()
        watching = Thread(target=made.watch, args=(ended,))
        watching.start()
        try:
            yield made
        finally:
            ended.set()
            watching.join()


@contextmanager
def bucket_server(folder: Path) -> Iterator[None]:
    """Start moto's server, and point clients to it."""
    port = free_port()
    endpoint = f"http://127.0.0.1:{port}"
    os.environ |= {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "any",
        "AWS_SECRET_ACCESS_KEY": "any",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder
    ) as server:
        wait_for(port)
        try:
            yield
        finally:
            server.terminate()


def bucket(name: str) -> str:
    """Make a bucket and return its address."""
    boto3.client("s3").create_bucket(Bucket=name)
    return f"s3://{name}/fleet"


def measure(
    members: Sequence[Member], place: str, steps: Steps, cache: Path
) -> tuple[float, FleetRun]:
    """Measure repositories; return the time and what was done."""
    began = time.perf_counter()
    run = FleetMeasurement(open_place(place), steps, cache, VERSION, Job()).run(members)
    return time.perf_counter() - began, run


def measure_there(
    members: Sequence[Member], place: str, workers: int, folder: Path, kill_after_s: float = 0
) -> tuple[float, FleetRun, Cluster]:
    """Measure repositories with a cluster; kill a worker after a while if that is asked for."""
    with cluster(workers, folder) as made:
        time.sleep(3)  # for the workers to come
        with dask_steps(made.address) as steps:
            if kill_after_s:
                victim = random.choice(made.workers)  # noqa: S311 - any will do
                Thread(target=kill_later, args=(victim, kill_after_s), daemon=True).start()
            seconds, run = measure(members, place, steps, folder / "fetched")
    return seconds, run, made


def kill_later(victim: "subprocess.Popen[bytes]", seconds: float) -> None:
    """Kill the process that works for a worker; its keeper starts another."""
    time.sleep(seconds)
    for child in psutil.Process(victim.pid).children(recursive=True):
        try:
            child.send_signal(signal.SIGKILL)
        except psutil.NoSuchProcess:
            continue


def tables(place: str) -> dict[str, bytes | None]:
    """Return every table of a place."""
    it = open_place(place)
    return {name: it.get(name, TABLE_BYTES) for name in names_in(it, "tables/")}


def ask(place: str, cache: Path) -> None:
    """Print how long each question takes."""
    began = time.perf_counter()
    opened = FleetTables(open_place(place), cache, VERSION)
    print(f"| finding the tables | {time.perf_counter() - began:.2f} s | |")
    for question, known in QUESTIONS.items():
        name = NAMES.get(question, "^get_") if known.needs_name else None
        began = time.perf_counter()
        answer = opened.ask(question, name, 20, Job())
        print(f"| {question} | {time.perf_counter() - began:.2f} s | {len(answer.rows)} rows |")


def main(root: str, glob: str, kills: str = "10", few: str = "12") -> int:
    """Run everything; 1 if something differs."""
    members = find_members(Path(root), [glob], None, Permissions()).found
    is_same = True
    with TemporaryDirectory() as name, bucket_server(Path(name)):
        folder = Path(name)
        here = str(folder / "here")
        with local_steps() as steps:
            local_s, run = measure(members, here, steps, folder / "fetched")
        expected = tables(here)
        print(f"{len(members)} repositories, {run.blobs:,} files, failed: {run.failed}")
        print("| what | time | |\n| --- | ---: | --- |")
        print(f"| this machine, a folder | {local_s:.1f} s | |", flush=True)
        times = {}
        for workers in (2, 1):
            there = bucket(f"workers-{workers}")
            seconds, run, made = measure_there(members, there, workers, folder)
            times[workers] = seconds
            is_same &= tables(there) == expected
            peaks = ", ".join(f"{it} {size / MIB:.0f} MiB" for it, size in made.peaks.items())
            print(f"| {workers} workers, a bucket | {seconds:.1f} s | {peaks} |", flush=True)
        with local_steps() as steps:
            again_s, run = measure(members, here, steps, folder / "fetched")
        print(f"| again, nothing new | {again_s:.2f} s | {100 * again_s / local_s:.2f} % |")
        ask(here, folder / "fetched")
        print(f"\nTwo workers beside one: {times[1] / times[2]:.2f}. Same tables: {is_same}")
        is_same &= survive(members, int(kills), int(few), folder)
    return int(not is_same)


def survive(members: Sequence[Member], kills: int, few: int, folder: Path) -> bool:
    """Kill workers at random moments; whether nothing was lost."""
    small = members[:few]
    with local_steps() as steps:
        whole_s, _ = measure(small, str(folder / "few"), steps, folder / "fetched")
    expected = tables(str(folder / "few"))
    right = 0
    for number in range(kills):
        there = bucket(f"killed-{number}")
        after_s = random.uniform(0.2, whole_s)  # noqa: S311 - any moment will do
        _, run, _ = measure_there(small, there, 2, folder, after_s)
        right += tables(there) == expected and not run.failed
    print(f"{kills} runs with a killed worker: {right} with the tables of a run without.")
    return right == kills


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
