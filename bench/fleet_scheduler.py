"""Run a million files that cost nothing through a cluster: what do the tasks themselves cost?

    python bench/fleet_scheduler.py [FILES [RECORD_BYTES]]

The executor, the batches of 500 files and the cluster of two workers are the real ones; the map
step returns at once, with records of so many bytes for each file (none).
"""

import os
import sys
import time
from collections.abc import Iterator
from functools import partial
from hashlib import sha1
from pathlib import Path
from tempfile import TemporaryDirectory

from benchpin.core.calls import Job
from benchpin.facts.workers import WorkerPool
from benchpin.fleet import dask_steps
from benchpin.fleet._sources import TreeFile
from benchpin.fleet._steps import BATCH_BLOBS, BlobBatch, Measured, MeasuredBatch
from fleet_cluster import Watch, cluster
from results import help_if_asked


def batches(files: int) -> Iterator[BlobBatch]:
    """Yield batches as large as real ones."""
    for first in range(0, files, BATCH_BLOBS):
        ids = (sha1(b"%d" % it, usedforsecurity=False) for it in range(first, first + BATCH_BLOBS))
        yield BlobBatch(
            "/srv/mirrors/any", tuple(TreeFile("any.py", it.hexdigest(), "python") for it in ids)
        )


def no_map(batch: BlobBatch, _pool: WorkerPool, record_bytes: int) -> MeasuredBatch:
    """Return a batch at once."""
    blobs = batch.blobs if record_bytes else ()
    return MeasuredBatch(
        batch.folder, [Measured(blob, 0, os.urandom(record_bytes)) for _, blob, _ in blobs]
    )


def main(files: str = "1000000", record_bytes: str = "0") -> None:
    """Run it and print what it took."""
    step = partial(no_map, record_bytes=int(record_bytes))
    tasks = received = 0
    with (
        TemporaryDirectory() as name,
        cluster(2, Path(name)) as made,
        dask_steps(made.address) as steps,
        Watch(made.programs()) as watch,
    ):
        began = time.perf_counter()
        for it in steps.map(step, batches(int(files)), Job()):
            tasks += 1
            received += sum(len(record.record) for record in it.records)
        seconds = time.perf_counter() - began
    print(f"{int(files):,} files, {tasks:,} tasks, {received:,} bytes in {seconds:.1f} s:")
    print(f"{tasks / seconds:.0f} tasks/s. {watch.line()}")


if __name__ == "__main__":
    help_if_asked(__doc__)
    main(*sys.argv[1:])
