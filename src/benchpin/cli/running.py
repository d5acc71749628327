"""Run one tool from the command line."""

import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from benchpin.app import Workbench
from benchpin.core.calls import Caller, Job
from benchpin.core.errors import BenchpinError, InternalError
from benchpin.core.results import Result

from .output import INTERRUPTED, job_with_progress

_CALLER = Caller(agent_id="operator", from_agent="cli", session_id="cli")


def run_tool(workbench: Workbench, name: str, arguments: Mapping[str, object]) -> Result:
    """Call a tool; naming it on the command line enables it, and typed arguments what they ask for.

    There is no time limit unless one is set: a person can press Ctrl-C.

    Raises:
        BenchpinError: when the tool is barred, the arguments are wrong, or it fails.
    """
    listing = workbench.catalogue.find(name, for_operator=True)
    settings = workbench.configuration.settings
    time_limit_s = settings.chosen_timeout_of(listing.name)
    with job_with_progress(time_limit_s) as job, cancelling_on_interrupt(job):
        try:
            call = workbench.prepare(listing, arguments, job=job, caller=_CALLER, is_typed=True)
            return call.run()
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except BenchpinError:
            raise
        except Exception as error:
            if "tools" in settings.debug:
                raise
            reference = "the traceback that BENCHPIN_DEBUG=tools shows"
            raise InternalError(reference) from error


@contextmanager
def cancelling_on_interrupt(job: Job) -> Iterator[None]:
    """Cancel the job on Ctrl-C, because a thread that waits for a child does not see the signal."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_number: int, _frame: object) -> None:
        job.cancel()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
