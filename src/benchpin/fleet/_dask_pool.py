"""What a Dask worker has for our steps: one pool of processes that parse, while it lives."""

from collections.abc import Callable
from typing import TypeVar, cast

from distributed import Worker, WorkerPlugin, get_worker

from benchpin.facts.workers import WorkerPool

Order = TypeVar("Order")
Done = TypeVar("Done")


class PoolPlugin(WorkerPlugin):
    """Keeps the pool of a worker."""

    name = "benchpin-pool"
    idempotent = True

    def setup(self, worker: Worker) -> None:  # noqa: ARG002 - as declared
        """Make the pool; its processes start when they are first needed."""
        self.pool = WorkerPool()

    def teardown(self, worker: Worker) -> None:  # noqa: ARG002 - as declared
        """End the processes."""
        self.pool.close()


def run_on_worker(step: Callable[[Order, WorkerPool], Done], order: Order) -> Done:
    """Run a step on the worker that this is called on."""
    plugin = cast("PoolPlugin", get_worker().plugins[PoolPlugin.name])
    return step(order, plugin.pool)
