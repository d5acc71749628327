"""The sandbox of this machine, and the program to run in it."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from benchpin.system.processes import find_program

from ._capture import KEPT_BYTES

if TYPE_CHECKING:
    from ._bubblewrap import Bubblewrap

UNCONFINED = "none"


@dataclass(frozen=True, slots=True)
class Program:
    """A command line and its working directory."""

    argv: tuple[str, ...]
    cwd: str
    script: str | None = None
    """Text to write to a file, whose path becomes the last argument."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables in addition to those that every program gets."""
    kept_bytes: int = KEPT_BYTES
    """How much of stdout is kept, and of stderr; the middle is cut."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A kind of sandbox; `name` is UNCONFINED when none works, and `detail` says why."""

    name: str
    detail: str
    bubblewrap: "Bubblewrap | None" = None

    @property
    def confines(self) -> bool:
        """Whether programs are confined at all."""
        return self.name != UNCONFINED

    @property
    def remedy(self) -> str:
        """What brings a sandbox to a machine without one."""
        is_linux = sys.platform == "linux"
        return "Install bubblewrap" if is_linux else "Run Benchpin in a container or on Linux"


def detect_sandbox(root: Path) -> Sandbox:
    """Return the strongest sandbox that works here, without programs of the workspace."""
    return _probed(find_program("bwrap", root))


@cache
def _probed(bubblewrap: str | None) -> Sandbox:
    """Probe once for each program: it takes a tenth of a second."""
    if sys.platform != "linux":
        return Sandbox(UNCONFINED, "programs can be confined on Linux only")
    from ._detection import find_strongest  # noqa: PLC0415 - exists on Linux only

    return find_strongest(bubblewrap)
