"""Jobs whose time runs out, or that are cancelled, after so many looks at the clock."""

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.results import Result


class Clock:
    """A clock that goes on by one whenever somebody looks."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return float(self.looks)


def ending_after(looks: int) -> Job:
    """Return a job whose time is up after so many looks at the clock."""
    return Job(time_limit_s=looks, monotonic=Clock())


class CancelledJob(Job):
    """A job that is cancelled when it is asked for the so-manieth time whether it may go on."""

    def __init__(self, checks: int) -> None:
        super().__init__()
        self._left = checks

    def check(self) -> None:
        """Cancel it in the end."""
        self._left -= 1
        if self._left < 0:
            self.cancel()
        super().check()


def call(bench: Workbench, name: str, arguments: dict[str, object], job: Job) -> Result:
    """Call a tool with a job."""
    return bench.prepare(bench.catalogue.find(name), arguments, job=job).run()


def looks_of(bench: Workbench, name: str, arguments: dict[str, object]) -> int:
    """Return how often a whole call looks at the clock."""
    clock = Clock()
    call(bench, name, arguments, Job(time_limit_s=10**9, monotonic=clock))
    return clock.looks


def spread(looks: int) -> list[int]:
    """Return a few numbers from none to all, close together at both ends."""
    return sorted(
        {0, 1, 2, looks // 4, looks // 2, 3 * looks // 4, looks - 2, looks - 1} - {-1, -2}
    )
