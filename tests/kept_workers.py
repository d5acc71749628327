"""Worker processes that outlive the index of a test, so that the next test need not start any."""

from contextlib import suppress
from typing import Self, cast

from benchpin.facts.workers import FileBatch
from benchpin.facts.workers import _pool as pool

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
