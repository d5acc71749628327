"""One piece of work under way: how far it is, whether it may go on, what it left out.

Engines take a `Job` where work can be long. Everything in it may be called from any thread.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Literal, TypeVar

from .errors import Cancelled

T = TypeVar("T")

LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
REPORT_INTERVAL_S = 0.1


BRIEF_BYTES = 64 * 1024


class Lengthy(Exception):
    """Work that was tried where it must be brief is not; start it anew where it may take long."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is."""

    done: float
    total: float | None
    message: str


def _ignore_progress(_progress: Progress) -> None: ...


def _ignore_log(_level: LogLevel, _message: str) -> None: ...


class Job:
    """Progress, cancellation and the time limit of one call."""

    def __init__(
        self,
        *,
        time_limit_s: float | None = None,
        started_at: float | None = None,
        trial_s: float | None = None,
        on_progress: Callable[[Progress], None] = _ignore_progress,
        on_log: Callable[[LogLevel, str], None] = _ignore_log,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start the clock, or take one that was started before.

        With `trial_s` the work is on trial, so long: `Lengthy` is raised where it turns out to need
        longer.
        """
        self._monotonic = monotonic
        self._trial_ends = None if trial_s is None else monotonic() + trial_s
        start = monotonic() if started_at is None else started_at
        self._deadline = None if time_limit_s is None else start + time_limit_s
        self._on_progress = on_progress
        self._on_log = on_log
        self._cancelled = threading.Event()
        self._lock = threading.RLock()  # a signal handler cancels on the thread that works
        self._stops: list[Callable[[], None]] = []
        self._left_out: list[str] = []
        self._next_report = 0.0

    @property
    def missing(self) -> list[str]:
        """What was left out, for want of time mostly, in words; each once."""
        return list(dict.fromkeys(self._left_out))

    @property
    def omissions(self) -> int:
        """How often something was left out, also the same again."""
        return len(self._left_out)

    def left_out_since(self, omissions: int) -> list[str]:
        """Return what was left out after the first so many times."""
        return list(dict.fromkeys(self._left_out[omissions:]))

    @property
    def is_expired(self) -> bool:
        """Whether the time is up: finish with what there is."""
        return self._deadline is not None and self._monotonic() >= self._deadline

    def time_left_s(self) -> float | None:
        """Return the seconds that are left, None without a limit."""
        return None if self._deadline is None else max(0.0, self._deadline - self._monotonic())

    def check(self) -> None:
        """Stop here if the caller lost interest.

        Raises:
            Cancelled: when the job was cancelled.
            Lengthy: when it is on trial and takes too long for that.
        """
        if self._cancelled.is_set():
            raise Cancelled("The call was cancelled", suggestion="Call again to start over.")
        if self._trial_ends is not None and self._monotonic() >= self._trial_ends:
            raise Lengthy

    def expect(self, size_bytes: int) -> None:
        """Tell how much is about to be read at once.

        Raises:
            Lengthy: when the job is on trial and that is too much for it.
        """
        if self._trial_ends is not None and size_bytes > BRIEF_BYTES:
            raise Lengthy

    @property
    def is_on_trial(self) -> bool:
        """Whether the work is to be given up where it turns out to be lengthy."""
        return self._trial_ends is not None

    def end_trial(self) -> None:
        """Let the work take its time from now on."""
        self._trial_ends = None

    def leave_out(self, what: str) -> None:
        """Record that the result will lack something."""
        with self._lock:
            self._left_out.append(what)

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """Tell how far the work is; reports in quick succession are thinned out."""
        now = self._monotonic()
        if now >= self._next_report or done == total:
            self._next_report = now + REPORT_INTERVAL_S
            self._on_progress(Progress(done, total, message))

    def log(self, level: LogLevel, message: str) -> None:
        """Tell the caller something worth knowing while the work goes on."""
        self._on_log(level, message)

    def each(self, items: Sequence[T], what: str) -> Iterator[T]:
        """Go through items with progress; ends early, and says so, when the time is up.

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
        """Have `stop` called when the job is cancelled inside the block, to kill a child, say.

        Raises:
            Cancelled: when the job was cancelled already, once `stop` was called.
        """
        with self._lock:
            is_late = self._cancelled.is_set()
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

    def cancel(self) -> None:
        """Ask the work to stop, and stop what was registered."""
        with self._lock:
            self._cancelled.set()
            stops, self._stops = self._stops, []
        with ExitStack() as pending:  # one that fails does not spare the others
            for stop in reversed(stops):
                pending.callback(stop)
