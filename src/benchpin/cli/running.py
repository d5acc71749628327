"""Run one tool for a person or a script."""

import sys
from collections.abc import Mapping

from benchpin.app import Workbench
from benchpin.core import BenchpinError, Caller, InternalError, Result

from .output import INTERRUPTED, job_with_progress
from .settings import Flags

_CALLER = Caller(agent_id="operator", from_agent="cli", session_id="cli")


def run_tool(flags: Flags, name: str, arguments: Mapping[str, object]) -> Result:
    """Call a tool that was named on the command line, which exposes it.

    There is no time limit unless `--tool-timeout` sets one: a person can press Ctrl-C.

    Raises:
        BenchpinError: when the tool is barred, the arguments do not fit, or it fails.
    """
    workbench: Workbench = flags.workbench()
    listing = workbench.catalogue.find(name, for_operator=True)
    time_limit = flags.given.get("tool_timeout")
    with job_with_progress(time_limit if isinstance(time_limit, float) else None) as job:
        try:
            return workbench.prepare(listing, arguments, job=job, caller=_CALLER).run()
        except KeyboardInterrupt:
            job.cancel()
            sys.exit(INTERRUPTED)
        except BenchpinError:
            raise
        except Exception as error:
            if "tools" in workbench.configuration.settings.debug:
                raise
            reference = "the traceback that BENCHPIN_DEBUG=tools shows"
            raise InternalError(reference) from error
