"""The steps of a measurement, and where they run: on this machine, or on a Dask cluster.

A step is a function of one order and a `WorkerPool`. Orders are taken as workers become free, so
that neither orders nor results pile up; results come in the order in which they are finished.
"""

import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import local
from time import monotonic
from typing import Any, TypeVar

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.facts.store import SECTIONS, engine_version
from benchpin.facts.workers import NO_CACHE, FileBatch, FileResult, WorkerPool
from benchpin.system.processes import require_extra, worker_count
from benchpin.system.zstd import compress

from ._sources import TreeFile, language_of, open_source

Order = TypeVar("Order")
Done = TypeVar("Done")
Step = Callable[[Order, WorkerPool], Done]

# Orders for each worker: one to work on, one that waits.
_AHEAD = 2
_POLL_S = 0.5
_LOOK_S = 5.0
# How often a cluster is asked for its workers, and how long it may have none.
_NO_WORKERS_S = 60.0
_CONNECT_S = "10s"
BATCH_BLOBS = 500
_HEAD_BYTES = 8_192
_LEVEL = 3
_NOT_HERE = "files of its newest commit are not in this partial clone: get them with `git fetch`"


class ClusterFails(BenchpinError):
    """The scheduler cannot be reached, has no workers, or gave up a batch."""

    kind = "cluster_fails"
    is_server_fault = True


class Steps:
    """Runs steps on some workers."""

    def __init__(
        self,
        executor: Executor,
        workers: int,
        run: Callable[..., Any],
        check: Callable[[], None] = lambda: None,
    ) -> None:
        """Take the executor, how many workers it has, and what runs a step with a pool there.

        `check` raises an error when results will not come any more.
        """
        self._executor = executor
        self.workers = workers
        self._run = run
        self._check = check

    def map(self, step: Step[Order, Done], orders: Iterable[Order], job: Job) -> Iterator[Done]:
        """Yield the result of each order as it is finished; end early when the time is up.

        Raises:
            Cancelled: when the job was cancelled.
        """
        waiting = iter(orders)
        submit = partial(self._executor.submit, self._run, step)
        running: set[Future[Done]] = set()
        try:
            running |= {submit(it) for it in islice(waiting, self.workers * _AHEAD)}
            while running:
                job.check()
                self._check()
                if job.is_expired:
                    return
                done, running = wait(running, _POLL_S, FIRST_COMPLETED)
                running |= {submit(it) for it in islice(waiting, len(done))}
                for future in done:
                    yield future.result()
        finally:
            for future in running:
                future.cancel()


@contextmanager
def local_steps(workers: int | None = None) -> Iterator[Steps]:
    """Give threads of this process, each with a worker process of its own that parses."""
    of_thread = local()
    pools: list[WorkerPool] = []

    def run(step: Step[Order, Done], order: Order) -> Done:
        if not hasattr(of_thread, "pool"):
            of_thread.pool = WorkerPool()
            pools.append(of_thread.pool)
        return step(order, of_thread.pool)

    most = workers or worker_count()
    with ThreadPoolExecutor(most, "fleet") as threads:
        try:
            yield Steps(threads, most, run)
        finally:
            threads.shutdown(cancel_futures=True)
            for pool in pools:
                pool.close()


@contextmanager
def dask_steps(address: str) -> Iterator[Steps]:
    """Give the workers of a Dask cluster.

    Each needs the same version of Benchpin, and the repositories and the place under the same
    names. A worker that dies costs the batches that it worked on: others get them.

    Raises:
        ClusterFails: when there is no scheduler, it has no workers, is gone, or gave up a batch.
        DependencyMissing: when the extra is not installed.
    """
    require_extra("fleet", "A Dask cluster")
    from distributed import Client, KilledWorker  # noqa: PLC0415 - an extra

    from ._dask_pool import PoolPlugin, run_on_worker  # noqa: PLC0415 - needs the extra

    try:
        client: Any = Client(  # type: ignore[no-untyped-call]
            address, timeout=_CONNECT_S, set_as_default=False
        )
    except (OSError, ValueError) as error:
        raise ClusterFails(
            f"There is no Dask scheduler at {address}: {error}",
            suggestion="Start one with `dask scheduler`, and workers with `dask worker ADDRESS`.",
        ) from error
    with _closing(client, address):
        workers = sum(it["nthreads"] for it in client.scheduler_info(-1)["workers"].values())
        if not workers:
            raise ClusterFails(
                f"The Dask cluster at {address} has no workers",
                suggestion=f"Start some: dask worker {address} --nthreads 1.",
            )
        client.register_plugin(PoolPlugin())
        with client.get_executor(pure=False) as executor:
            try:
                yield Steps(executor, workers, run_on_worker, _Watch(client, address).check)
            except CancelledError as error:
                raise _gone(address) from error
            except KilledWorker as error:
                raise ClusterFails(
                    f"Several workers died one after the other on the same batch: {error}",
                    suggestion="See their logs; often they have too little memory.",
                ) from error


@contextmanager
def _closing(client: Any, address: str) -> Iterator[None]:
    """Close a client at the end; one that lost its scheduler says so by an error of its own."""
    try:
        with client:
            yield
    except RuntimeError as error:
        if client.status == "running":
            raise
        raise _gone(address) from error


class _Watch:
    """Notices that a cluster is gone: Dask itself would wait for it without end."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._looked = self._had_workers = monotonic()

    def check(self) -> None:
        """Look now and then.

        Raises:
            ClusterFails: when there is no scheduler, or had no workers for a minute.
        """
        if self._client.status != "running":
            raise _gone(self._address)
        now = monotonic()
        if now - self._looked < _LOOK_S:
            return
        self._looked = now
        if self._client.nthreads():
            self._had_workers = now
        elif now - self._had_workers > _NO_WORKERS_S:
            raise ClusterFails(
                f"All workers of the Dask cluster at {self._address} are gone",
                suggestion=f"Start some with `dask worker {self._address} --nthreads 1`; the same "
                "command then goes on from what was measured.",
            )


def _gone(address: str) -> ClusterFails:
    return ClusterFails(
        f"The connection to the Dask scheduler at {address} was lost",
        suggestion="See whether it runs; the same command then goes on from what was measured.",
    )


# The map step: a batch of blobs in, their facts out. A pure function, which can run anywhere.
#
# Blobs are read through one `git cat-file --batch`, or as files, and parsed by a process of the
# worker pool, so that a file on which a parser crashes or hangs costs itself, not the batch.


class BlobBatch(msgspec.Struct, frozen=True):
    """Blobs of one repository to measure."""

    folder: str
    """The repository, where every worker finds it under this path."""
    blobs: tuple[TreeFile, ...]
    """One file for each content."""
    engine: str = ""
    """The version of the engine that asks; a worker with another one refuses."""


class BlobFacts(msgspec.Struct, frozen=True, array_like=True):
    """What is known of one blob."""

    language: str
    """Empty when it is in no language that is known here."""
    size_bytes: int
    problem: str
    """Why there are no facts; empty if there are."""
    sections: dict[str, bytes]


class Measured(msgspec.Struct, frozen=True, array_like=True):
    """The facts of one blob as they are stored."""

    key: str
    crc: int
    record: bytes
    """`BlobFacts`, packed."""


class MeasuredBatch(msgspec.Struct, frozen=True, array_like=True):
    """What became of a batch."""

    folder: str
    """The repository."""
    records: list[Measured]
    problem: str = ""
    """Why there are no records of some blobs; empty if there are of all."""


def measure_batch(batch: BlobBatch, pool: WorkerPool) -> MeasuredBatch:
    """Return the facts of the blobs of a batch, in order."""
    if batch.engine != engine_version():
        return MeasuredBatch(batch.folder, [], "a worker has another version of Benchpin")
    try:
        return _measure(batch, pool)
    except BenchpinError as error:
        return MeasuredBatch(batch.folder, [], error.message)


def _measure(batch: BlobBatch, pool: WorkerPool) -> MeasuredBatch:
    job = Job()
    with open_source(Path(batch.folder)).opened(job) as source:
        contents = list(source.read_each(batch.blobs))
        missing = frozenset(source.missing)
    known: dict[int, BlobFacts] = {}
    with TemporaryDirectory(prefix="benchpin-fleet-") as folder:
        files: list[tuple[str, str]] = []
        for number, (blob, content) in enumerate(zip(batch.blobs, contents, strict=True)):
            if blob.blob in missing:
                continue  # another repository may have it
            if content is None:
                known[number] = BlobFacts("", 0, "too large", {})
                continue
            language = language_of(blob.kind, content[:_HEAD_BYTES])
            if language is None:
                known[number] = BlobFacts("", len(content), "in no known language", {})
                continue
            Path(folder, str(number)).write_bytes(content)
            files.append((str(number), language))
        order = FileBatch(os.fsencode(folder), NO_CACHE, tuple(files), SECTIONS)
        for result in pool.map([order] if files else [], job, 1):
            known[int(result.path)] = _facts(result, dict(files)[result.path])
    records = [_stored(batch.blobs[number], facts) for number, facts in sorted(known.items())]
    return MeasuredBatch(batch.folder, records, _NOT_HERE if missing else "")


def _facts(result: FileResult, language: str) -> BlobFacts:
    sections = {} if result.problem else result.sections
    return BlobFacts(language, result.size_bytes, result.problem, sections)


def _stored(blob: TreeFile, facts: BlobFacts) -> Measured:
    record = compress(msgspec.msgpack.encode(facts), _LEVEL)
    return Measured(blob.key, zlib.crc32(record), record)
