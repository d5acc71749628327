"""Workers for tests: one that fails as its files say, and one that works in this process."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.facts.store import FactCache
from benchpin.facts.workers import FileBatch, FileResult
from benchpin.facts.workers import _pool as pool
from benchpin.facts.workers import _worker as worker
from benchpin.facts.workers._worker import measure

_WORKER = """
import os, signal
from benchpin.facts.workers import _worker as worker

real = worker.encode

def encode(source, language):
    if b"CRASH" in source:
        os.abort()
    if b"KILL" in source:
        os.kill(os.getpid(), signal.SIGKILL)
    if b"LEAVE" in source:
        raise RuntimeError
    if b"HANG" in source:
        while True:
            signal.pause()
    return real(source, language)

worker.encode = encode
worker.main()
"""


def install_faulty(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pools start workers that crash, are killed, hang or leave over a file that says so."""
    folder.mkdir(exist_ok=True)
    (folder / "faulty_worker.py").write_text(_WORKER, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    monkeypatch.setattr(pool, "_MODULE", "faulty_worker")


class Spy:
    """Does the work of a pool in this process, and remembers what it was asked and did."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ordered: list[str] = []
        self.parsed = 0
        self.before: Callable[[], None] | None = None
        self._encode = worker.encode
        monkeypatch.setattr(worker, "encode", self.encode)
        monkeypatch.setattr(pool.WorkerPool, "map", self.map)

    def encode(self, source: bytes, language: str) -> dict[str, bytes]:
        self.parsed += 1
        return self._encode(source, language)

    def map(
        self, batches: list[FileBatch], job: Job, _workers: int | None = None
    ) -> Iterator[FileResult]:
        if self.before is not None:
            self.before()
        for batch in batches:
            with closing(FactCache(Path(os.fsdecode(batch.cache_folder)))) as cache:
                for item in measure(batch, cache):
                    job.check()
                    self.ordered.append(item.path)
                    yield item
                    if job.is_expired:
                        return

    def take(self) -> tuple[list[str], int]:
        """Return what was ordered and how much was parsed since the last time."""
        taken = (sorted(self.ordered), self.parsed)
        self.ordered, self.parsed = [], 0
        return taken
