"""Everything that is remembered about one workspace, in one place.

A `Workbench` owns the session and passes it on in `Bench`; engines receive it as an argument and
keep nothing themselves. It has two kinds of memory: services, which are long-lived objects such as
the source index, and results, which are remembered by what they were computed from. A result that
was cut short is never remembered.
"""

import ctypes
import gc
import os
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import Annotated, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field

from ._job import Job, job_lock

KIB = 1024
MIB = 1024 * KIB

Positive = Annotated[int, Field(ge=1)]
T = TypeVar("T")

_ROOM = 24
# Above this the older half of the results is dropped: those of a large project take tens of
# megabytes each, and every edit makes new ones.
_MAX_RESIDENT_BYTES = 512 * MIB
# How often the memory of the process is looked at, so that the results of one call stay.
_LOOK_S = 30.0
_IS_LINUX = sys.platform == "linux"
_STATUS = Path("/proc/self/statm")


class WorkspaceSession:
    """The services and remembered results of a workspace; any thread may use it."""

    def __init__(self, root: Path, cache_dir: Path, git_folders: tuple[Path, ...] = ()) -> None:
        self.root = root
        self.cache_dir = cache_dir
        self.git_folders = git_folders
        """Folders outside the workspace from which git may read objects."""
        self._lock = Lock()
        self._services: OrderedDict[Hashable, object] = OrderedDict()
        self._opening: dict[Hashable, Lock] = {}
        self._results: dict[str, OrderedDict[Hashable, object]] = {}
        self._making: dict[Hashable, tuple[Lock, int]] = {}
        self._next_look = 0.0

    def service(self, key: Hashable, open_service: Callable[[], T]) -> T:
        """Return the service of a key, opened on first use.

        One that has a `close()` is closed with the session.
        """
        with self._lock:
            opening = self._opening.setdefault(key, Lock())
        with opening:  # a service may take a while to open, and must be opened once
            with self._lock:
                if key in self._services:
                    return cast("T", self._services[key])
            opened = open_service()
            with self._lock:
                self._services[key] = opened
            return opened

    def remember(
        self,
        job: Job,
        kind: str,
        key: Hashable,
        make: Callable[[], T],
        *,
        room: int = _ROOM,
        is_current: Callable[[T], bool] = lambda _value: True,
        is_fresh: bool = False,
    ) -> T:
        """Return a result, computed now unless it is remembered.

        `key` says what it is computed from; the same content must give the same key. Of each kind
        the `room` most recently used results are kept. A remembered result is used only if
        `is_current` accepts it; with `is_fresh` the result is always computed. Calls
        for the same key wait for each other.

        Raises:
            Cancelled: when the job is cancelled while it waits.
        """

        def recall() -> "tuple[T] | None":
            known = None if is_fresh else cast("tuple[T] | None", self.recall(kind, key))
            return known if known is not None and is_current(known[0]) else None

        known = recall()  # without a lock first: one call may recall thousands
        if known is not None:
            return known[0]
        with self.exclusive(job, (kind, key)):
            known = recall()
            if known is not None:
                return known[0]
            omissions = job.omissions
            value = make()
            if job.omissions == omissions:
                self._keep(kind, key, value, room)
            return value

    def close(self) -> None:
        """Forget everything and close what was opened, the newest first."""
        with self._lock:
            services = list(self._services.values())
            self._services.clear()
            self._results.clear()
        with ExitStack() as closing:  # one that fails does not keep the others open
            for service in services:
                close = getattr(service, "close", None)
                if close is not None:
                    closing.callback(close)

    def recall(self, kind: str, key: Hashable) -> tuple[object] | None:
        """Return a result that is in memory, in a tuple; None where there is none."""
        with self._lock:
            kept = self._results.get(kind)
            if kept is None or key not in kept:
                return None
            kept.move_to_end(key)
            return (kept[key],)

    def _keep(self, kind: str, key: Hashable, value: object, room: int) -> None:
        with self._lock:
            kept = self._results.setdefault(kind, OrderedDict())
            kept[key] = value
            kept.move_to_end(key)
            while len(kept) > room:
                kept.popitem(last=False)
            dropped = self._drop_older_half()
        if dropped:
            dropped.clear()  # without the lock: it may take a while
            give_back_free_memory()

    def _drop_older_half(self) -> list[object]:
        """Take the less recently used results out if the process holds too much memory."""
        now = time.monotonic()
        if now < self._next_look:
            return []
        self._next_look = now + _LOOK_S
        if resident_bytes() <= _MAX_RESIDENT_BYTES:
            return []
        return [
            kept.popitem(last=False)
            for kept in self._results.values()
            for _ in range(len(kept) // 2)
        ]

    @contextmanager
    def exclusive(self, job: Job, key: Hashable) -> Iterator[bool]:
        """Hold the lock of a key; yields False, without the lock, if time runs out first.

        Raises:
            Cancelled: when the job is cancelled while it waits.
        """
        with self._lock:
            lock, users = self._making.get(key, (Lock(), 0))
            self._making[key] = (lock, users + 1)
        try:
            with job_lock(lock, job) as is_held:
                yield is_held
        finally:
            with self._lock:
                lock, users = self._making[key]
                if users == 1:
                    del self._making[key]
                else:
                    self._making[key] = (lock, users - 1)


# How much memory this process holds, and how to give back what it no longer uses.


def resident_bytes() -> int:
    """Return the resident memory of this process; 0 where the system does not say."""
    if not _IS_LINUX:
        return 0
    return int(_STATUS.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGESIZE")


def give_back_free_memory(*, with_cycles: bool = False) -> None:
    """Return freed memory to the system; glibc keeps it for later otherwise.

    `with_cycles` looks for objects that refer to one another first, which takes longer.
    """
    if with_cycles:
        gc.collect()
    if _IS_LINUX:
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # not in musl
        if trim is not None:
            trim(0)


class Limits(BaseModel):
    """Limits on size, rate and time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    request_bytes: Positive = MIB
    """The longest message that is read."""
    response_bytes: Positive = 10 * MIB
    """The longest result that is sent; longer ones are stored and linked."""
    text_chars: Positive = 40_000
    """The longest text that is shown to a model; the rest is stored and linked."""
    in_flight: Positive = 128
    """Requests that one connection may have under way."""
    burst: Positive = 1000
    """Requests that one connection may send at once."""
    per_second: Annotated[float, Field(gt=0)] = 100.0
    """Requests that one connection may send each second, after the burst."""
    queue_s: Annotated[float, Field(gt=0)] = 60.0
    """How long a call may wait for others before it starts to run, in seconds."""
    unsent_bytes: Positive = 8 * MIB
    """Unread answers that one connection may have before its calls wait."""
    unsent_total_bytes: Positive = 32 * MIB
    """Unread answers of all connections before clients that do not read are disconnected."""
    head_s: Annotated[float, Field(gt=0)] = 10.0
    """How long an HTTP request may take to send its head, in seconds."""
    body_s: Annotated[float, Field(gt=0)] = 30.0
    """How long an HTTP request may take to send its body, in seconds."""
    drain_s: Annotated[float, Field(gt=0)] = 60.0
    """How long a client may take to read one message before it is disconnected, in seconds."""
    shutdown_s: Annotated[float, Field(ge=0)] = 30.0
    """How long shutdown waits for running requests, in seconds."""
    connections: Positive = 100
    """Connections that the network transports accept at a time."""
