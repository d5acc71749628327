"""A kernel over the fixture toolset and the server's own, whatever other toolsets there are."""

from pathlib import Path

import everything
from benchpin.app import Workbench, configure
from benchpin.server import Kernel
from benchpin.toolsets import server


def workbench_for(root: Path | None = None, /, **settings: object) -> Workbench:
    """Return a workbench with the fixture toolset; every effect is allowed."""
    given = {"allow": ["write", "execute", "network"], **settings}
    configuration = configure(root=root or Path(), **given)
    return Workbench(configuration, [server.TOOLSET, everything.TOOLSET])


def kernel_for(root: Path | None = None, /, **settings: object) -> Kernel:
    """Return a kernel with the fixture toolset."""
    return Kernel(workbench_for(root, **settings))
