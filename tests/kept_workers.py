"""Child processes that outlive the index of a test, so that the next test need not start any."""

from contextlib import suppress
from typing import ClassVar, Self, cast

from benchpin.core.calls import Job
from benchpin.facts.workers import FileBatch
from benchpin.facts.workers import _pool as pool
from benchpin.fleet._answering import Answer, Answers, Order
from benchpin.system.processes import HelperProcess

_MAX_ORDERS = 40
"""A worker holds the cache of every workspace that it worked for open: so many are enough."""
_spare: list["KeptWorker"] = []


class KeptWorker(pool._Worker):
    """A worker that waits for the next pool when its own is closed; one that is busy is killed."""

    def __new__(cls) -> Self:
        """Take one that waits and is alive, or start another."""
        while _spare:
            worker = _spare.pop()
            if worker.process.poll() is None:
                return cast("Self", worker)
            worker.end()
        return super().__new__(cls)

    def __init__(self) -> None:
        if not hasattr(self, "process"):
            super().__init__()
            self.batches = 0

    def take(self, batch: FileBatch) -> None:
        """Count what it is given."""
        self.batches += 1
        super().take(batch)

    def kill(self) -> None:
        """Keep it if it owes nothing."""
        is_free = self.batch is None and not self._buffer and self.process.poll() is None
        if is_free and self.batches < _MAX_ORDERS:
            _spare.append(self)
        else:
            self.end()

    def end(self) -> None:
        """End it for good."""
        super().kill()


def end_spare_workers() -> None:
    """Let go of every worker that waits."""
    while _spare:
        with suppress(OSError):
            _spare.pop().end()


class KeptAnswers(Answers):
    """A process that answers questions about a fleet; the next test asks the same one."""

    _spare: ClassVar[list[HelperProcess]] = []

    def __init__(self) -> None:
        super().__init__()
        self._owes = False
        self._process = self._spare.pop() if self._spare else None

    def ask(self, order: Order, job: Job) -> Answer:
        """Note whether the answer has come."""
        self._owes = True
        answer = super().ask(order, job)
        self._owes = False
        return answer

    def close(self) -> None:
        """Keep the process if it owes nothing."""
        if self._process is None or self._owes or not self._process.is_alive:
            super().close()
        else:
            self._spare.append(self._process)
        self._process = None
