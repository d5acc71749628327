"""Nothing that was acknowledged is lost, and everything is readable, whatever call fails.

`make chaos` has a fault at every call; the ordinary tests at a few.
"""

import os
import sys
import time
from collections.abc import Callable
from datetime import datetime, tzinfo
from pathlib import Path, PurePosixPath

import pytest

from chaos.faults import CAN_INJECT, Kind, Trace, run
from chaos.stores import STORES, Store, put_all

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CAN_INJECT, reason="faults are injected on Linux on x86_64 only"),
]
IS_COMPLETE = os.environ.get("CHAOS") == "all"
SOME = 5
COMPLETE_S = 900
CACHES = {".", "cache", "results"}
"""Folders that may be lost; `.` is the one of the test."""


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Store:
    """Return each store."""
    return STORES[request.param]


@pytest.fixture
def new_folder(store: Store, tmp_path: Path) -> Callable[[], Path]:
    """Return a function that makes a folder in which the store is empty."""

    def make() -> Path:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        (folder / "work").mkdir(parents=True)
        store.prepare(folder)
        return folder

    return make


def _run(store: Store, folder: Path, kind: Kind, at: int = -1) -> Trace:
    return run(lambda send: put_all(store, folder, send), folder / store.place, kind, at)


def _points(count: int) -> range:
    return range(count) if IS_COMPLETE else range(0, count, max(1, count // SOME))


def _check(store: Store, folder: Path, trace: Trace, where: str) -> None:
    """Compare what is stored with what was acknowledged, then use the store again."""
    crashes = [it for it in trace.messages if it.startswith("crash")]
    assert not crashes, where
    done = [int(it.split()[1]) for it in trace.messages if it.startswith("done")]
    before = store.get(folder)
    for name in {name for name, _ in store.puts}:
        numbers = [number for number, put in enumerate(store.puts) if put[0] == name]
        last = max((it for it in numbers if it in done), default=-1)
        allowed = [store.puts[it][1] for it in numbers if it >= last >= 0 or last < 0]
        if name in before:
            assert before[name] in {*allowed, "0"} if last < 0 else before[name] in allowed, where
        else:
            assert store.is_cache or last < 0, f"{name} is lost, {where}"
    for name, value in store.puts:
        store.put(folder, name, value)
    assert dict(store.get(folder)) == dict(store.puts), where
    left = [it.name for it in folder.rglob("*") if ".tmp" in it.name or ".new-" in it.name]
    assert not left, where


@pytest.mark.timeout(COMPLETE_S)
@pytest.mark.parametrize("kind", ["kill", "no space", "input/output error"])
def test_a_fault_at_any_call_loses_nothing(
    store: Store, new_folder: Callable[[], Path], kind: Kind
) -> None:
    whole = _run(store, new_folder(), "none")
    assert whole.messages == [f"done {number}" for number in range(len(store.puts))]
    for point in _points(len(whole.calls)):
        folder = new_folder()
        trace = _run(store, folder, kind, point)
        call = trace.calls[point] if point < len(trace.calls) else "the end"
        _check(store, folder, trace, f"{kind} at call {point}, {call}: {trace.messages}")


def test_a_read_only_file_system_is_named_and_readable(
    store: Store, new_folder: Callable[[], Path]
) -> None:
    folder = new_folder()
    _run(store, folder, "none")
    before = store.get(folder)
    trace = _run(store, folder, "read-only")
    assert len(trace.messages) == len(store.puts)
    assert trace.messages[0].split()[0] == ("done" if store.is_cache else "refused")
    assert store.get(folder) == before


def test_what_is_acknowledged_is_on_the_disk(store: Store, new_folder: Callable[[], Path]) -> None:
    """Otherwise the machine may lose it when the power fails."""
    unsynced: set[str] = set()
    known: set[str] = set()
    folder = new_folder()
    for event in run(lambda send: put_all(store, folder, send), folder, "none", -1).events:
        call, _, path = event.partition(" ")
        if call == "done":
            assert store.is_cache or unsynced <= CACHES, event
        elif call.startswith("write"):
            unsynced.add(path)
        elif call in {"fsync", "fdatasync"}:
            unsynced.discard(path)
        elif call.startswith("rename"):
            assert path not in unsynced, event
            unsynced.add(str(PurePosixPath(path).parent))
        elif call.startswith("mkdir") and path not in known:
            known.add(path)
            unsynced.add(str(PurePosixPath(path).parent))


@pytest.mark.parametrize("days", [-4000, 4000])
def test_a_clock_that_jumps_loses_nothing(
    store: Store, new_folder: Callable[[], Path], monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    folder = new_folder()
    for number, (name, value) in enumerate(store.puts):
        with monkeypatch.context() as patch:
            if number % 2:
                _jump(patch, days)
            store.put(folder, name, value)
            assert store.is_cache or store.get(folder)[name] == value
    assert dict(store.get(folder)).items() <= dict(store.puts).items()
    assert store.is_cache or dict(store.get(folder)) == dict(store.puts)


def _jump(patch: pytest.MonkeyPatch, days: int) -> None:
    """Move the time of day, wherever Benchpin takes it from."""
    seconds, time_of, time_ns_of = 86_400 * days, time.time, time.time_ns

    class Moved(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Moved":
            return cls.fromtimestamp(time_of() + seconds, tz)

    patch.setattr(time, "time", lambda: time_of() + seconds)
    patch.setattr(time, "time_ns", lambda: time_ns_of() + seconds * 10**9)
    for name, module in list(sys.modules.items()):
        if name.startswith("benchpin.") and getattr(module, "datetime", None) is datetime:
            patch.setattr(module, "datetime", Moved)
