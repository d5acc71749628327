"""One call in progress: how far it is, whether it may go on, what its result lacks.

Engines take a `Job` where work can be long. Every method may be called from any thread.
Whatever takes a job can raise `Cancelled`; docstrings do not repeat that.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Literal, TypeVar, get_args

from benchpin.core.errors import Cancelled, TimeLimitExceeded

T = TypeVar("T")

# Where the result of a measure comes from: an earlier call, an earlier result and what changed
# since, or this call alone.
HowMade = Literal["recalled", "updated", "computed"]
LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
_WORK: tuple[HowMade, ...] = get_args(HowMade)
# Ten reports a second are enough for a progress bar, and cheap to send.
REPORT_INTERVAL_S = 0.1


# How much a call may read while it holds up others; that takes less than a millisecond.
BRIEF_BYTES = 64 * 1024
# Items of a list that are looked at between two looks at the clock: about a millisecond.
_ITEMS_PER_CHECK = 1_000
_POLL_S = 0.05  # a lock cannot be woken by a cancelled job, so look at the job in between


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is."""

    done: float
    total: float | None
    message: str


def _ignore_log(_level: LogLevel, _message: str) -> None: ...


def _ignore_news(_line: str) -> None: ...


class NotBrief(Exception):
    """A call that holds up others would take too long; nothing was done yet."""


class Job:
    """Progress, cancellation and the time limit of one call."""

    def __init__(
        self,
        *,
        time_limit_s: float | None = None,
        winding_up_s: float = 0.0,
        on_progress: Callable[[Progress], None] | None = None,
        on_log: Callable[[LogLevel, str], None] = _ignore_log,
        on_news: Callable[[str], None] = _ignore_news,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start the clock; the last `winding_up_s` are for putting the answer together."""
        self._monotonic = monotonic
        self.time_limit_s = time_limit_s
        """How long the whole call may take; None without a limit."""
        self._winding_up_s = winding_up_s
        self.start()
        self._on_progress = on_progress
        self._on_log = on_log
        self.tell = on_news
        """Takes a line about what is known already, for a person who waits for the answer."""
        self._is_cancelled = False
        self._lock = threading.RLock()  # a signal handler may cancel on the thread that works
        self._stops: list[Callable[[], None]] = []
        self._left_out: list[str] = []
        self.omissions = 0
        """How many omissions were recorded, repeated ones included."""
        self._measures: dict[str, HowMade] = {}
        self._next_report = 0.0
        self.is_brief = False
        """Whether the call holds up all others until it ends."""

    def start(self) -> None:
        """Start the clock, again if the call had to wait before it could run."""
        limit_s = self.time_limit_s
        self._deadline = (
            None if limit_s is None else self._monotonic() + limit_s - self._winding_up_s
        )

    @property
    def missing(self) -> list[str]:
        """What the result lacks, in words, each once; mostly because time ran out."""
        return list(dict.fromkeys(self._left_out))

    def left_out_since(self, omissions: int) -> list[str]:
        """Return what was left out since `self.omissions` had this value, each once."""
        return list(dict.fromkeys(self._left_out[omissions:]))

    @property
    def is_expired(self) -> bool:
        """Whether the time limit has passed; the work should then return what it has."""
        return self._deadline is not None and self._monotonic() >= self._deadline

    def time_left_s(self) -> float | None:
        """Return the seconds until the time limit, at least 0; None without a limit."""
        return None if self._deadline is None else max(0.0, self._deadline - self._monotonic())

    def check(self) -> None:
        """Return if the work may go on.

        Raises:
            Cancelled: when the job was cancelled.
        """
        if self._is_cancelled:
            raise Cancelled("The call was cancelled", suggestion="Call again to start over.")

    def require_time(self) -> None:
        """Return if there is time left, where a part of the result would be of no use.

        Raises:
            TimeLimitExceeded: when the time limit has passed.
        """
        self.check()
        if self.is_expired:
            raise TimeLimitExceeded(
                "Time ran out before everything was read",
                suggestion="Nothing was stored. Allow more time with --tool-timeout, or for one "
                "tool in a file with tool_timeouts.",
                data={"limit_s": self.time_limit_s},
            )

    def timed(self, items: Iterable[T]) -> Iterator[T]:
        """Yield all items; `require_time` is asked every now and then.

        Raises:
            TimeLimitExceeded: when the time limit has passed before the last one.
        """
        for number, item in enumerate(items):
            if number % _ITEMS_PER_CHECK == 0:
                self.require_time()
            yield item

    def expect(self, size_bytes: int) -> None:
        """Return if the work may read this many bytes now.

        Raises:
            NotBrief: when others would have to wait too long for it.
        """
        if size_bytes > BRIEF_BYTES:
            self.expect_long()

    def expect_long(self) -> None:
        """Return if the work may take long now.

        Raises:
            NotBrief: when others would have to wait for it.
        """
        if self.is_brief:
            raise NotBrief

    def leave_out(self, what: str) -> None:
        """Record that the result will lack something."""
        with self._lock:
            self._left_out.append(what)
            self.omissions += 1

    @property
    def measures(self) -> dict[str, HowMade]:
        """How the result of each measure came about, by its name."""
        return dict(self._measures)

    def note_measure(self, name: str, how: HowMade) -> None:
        """Record how the result of a measure came about; the most work counts."""
        with self._lock:
            known = self._measures.get(name, how)
            self._measures[name] = max(known, how, key=_WORK.index)

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report progress, at most once every `REPORT_INTERVAL_S`; the last is always sent."""
        if self._on_progress is None:
            return
        now = self._monotonic()
        if now >= self._next_report or done == total:
            self._next_report = now + REPORT_INTERVAL_S
            self._on_progress(Progress(done, total, message))

    def log(self, level: LogLevel, message: str) -> None:
        """Send the caller a log message while the work continues."""
        self._on_log(level, message)

    def each(self, items: Sequence[T], what: str) -> Iterator[T]:
        """Yield items and report progress; stop early, and record it, when time runs out.

        `what` names the items in the plural: "files", "commits".

        Raises:
            Cancelled: when the job was cancelled.
        """
        total = len(items)
        for done, item in enumerate(items):
            self.check()
            if self.is_expired:
                self.leave_out(f"{total - done} of {total} {what}")
                return
            self.report(done, total, what)
            yield item
        self.report(total, total, what)

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Iterator[None]:
        """Call `stop` if the job is cancelled inside the block, for example to kill a child.

        Raises:
            Cancelled: when the job was cancelled before; `stop` is called first.
        """
        with self._lock:
            is_late = self._is_cancelled
            if not is_late:
                self._stops.append(stop)
        if is_late:
            stop()
            self.check()
        try:
            yield
        finally:
            with self._lock:
                if stop in self._stops:
                    self._stops.remove(stop)

    @contextmanager
    def part(self, share: float, *, reports: bool = True) -> "Iterator[Job]":
        """Give a job for a part of the work, with a share of the time that is left.

        What the part leaves out is recorded in it alone. Without `reports`, its progress is not
        shown: that of the whole says more.

        Raises:
            Cancelled: when the job was cancelled before.
        """
        left = self.time_left_s()
        part = Job(
            time_limit_s=None if left is None else left * share,
            on_progress=(lambda it: self.report(it.done, it.total, it.message))
            if reports
            else None,
        )
        with self.stopping(part.cancel):
            yield part

    def cancel(self) -> None:
        """Ask the work to stop, and call every registered `stop`, the oldest first."""
        with self._lock:
            self._is_cancelled = True
            stops, self._stops = self._stops, []
        # A stack, because it calls the rest even if one fails; reversed, because it pops the last.
        with ExitStack() as pending:
            for stop in reversed(stops):
                pending.callback(stop)


@contextmanager
def job_lock(lock: Lock, job: Job) -> Iterator[bool]:
    """Hold a lock; yield False, without it, when the time of the job runs out first.

    Raises:
        Cancelled: when the job was cancelled while it waited.
    """
    while not (is_held := lock.acquire(timeout=_POLL_S)):
        job.check()
        if job.is_expired:
            break
    try:
        yield is_held
    finally:
        if is_held:
            lock.release()
