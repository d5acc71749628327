"""A worker that does as the files tell it: crash, be killed, hang, leave, or measure."""

import os
from pathlib import Path

import pytest

from benchpin.engines.source import pool

_WORKER = """
import os, signal
from benchpin.engines.source import worker

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


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pools start such workers."""
    folder.mkdir(exist_ok=True)
    (folder / "faulty_worker.py").write_text(_WORKER, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    monkeypatch.setattr(pool, "_MODULE", "faulty_worker")
