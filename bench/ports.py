"""Ports of this machine for the servers that are measured."""

import subprocess
import time
from socket import create_connection, socket

_LIMIT_S = 60.0
_PAUSE_S = 0.05


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    """Wait until a server listens on its port.

    Raises:
        OSError: when it ended, or took more than a minute.
    """
    deadline = time.monotonic() + _LIMIT_S
    while True:
        try:
            create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if time.monotonic() > deadline or server.poll() is not None:
                raise
            time.sleep(_PAUSE_S)
        else:
            return
