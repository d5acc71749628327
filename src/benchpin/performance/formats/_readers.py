"""Readers of the formats that profilers write, each recognised by its content."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from benchpin.core.calls import Job
from benchpin.performance.calls import Budget
from benchpin.performance.values import Profile

from . import (
    _callgrind as callgrind,
)
from . import (
    _chrome_trace as chrome_trace,
)
from . import (
    _collapsed as collapsed,
)
from . import (
    _cpuprofile as cpuprofile,
)
from . import (
    _perf_script as perf_script,
)
from . import (
    _pprof as pprof,
)
from . import (
    _pstats as pstats,
)
from . import (
    _pyinstrument as pyinstrument,
)
from . import (
    _speedscope as speedscope,
)
from . import (
    _xhprof as xhprof,
)
from ._source import ProfileSource


@dataclass(frozen=True, slots=True)
class ProfileFormat:
    """A format by its name, a test of the first bytes of a file, and its reader."""

    name: str
    fits: Callable[[bytes], bool]
    read: Callable[[ProfileSource], Profile]


# The ones with the clearest marks first.
FORMATS = tuple(
    ProfileFormat(module.NAME, module.fits, module.read)
    for module in (
        speedscope,
        cpuprofile,
        pyinstrument,
        xhprof,
        chrome_trace,
        pstats,
        callgrind,
        perf_script,
        pprof,
        collapsed,
    )
)


def profile_format(head: bytes) -> str | None:
    """Return the format of a file by its first bytes, unpacked."""
    return next((each.name for each in FORMATS if each.fits(head)), None)


def read_format(name: str, file: BinaryIO, budget: Budget, job: Job) -> Profile:
    """Read a profile in a format that was recognised."""
    [chosen] = [each for each in FORMATS if each.name == name]
    return chosen.read(ProfileSource(file, budget, job))
