"""Look up names with a time limit, and hold open sockets so that they can be cut."""

import ipaddress
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

Address = tuple[
    socket.AddressFamily, tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]
]
MOST_LOOKUPS = 4
"""That run at once, those included whose time ran out: the system cannot be told to stop one."""
_GLANCE_S = 0.1


class OpenSockets:
    """The sockets in use, to be shut all at once when the caller loses interest."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self.is_cut = False

    @contextmanager
    def watched(self, sock: socket.socket) -> Iterator[None]:
        """Have a socket shut when all are."""
        with self._lock:
            if self.is_cut:
                raise ConnectionAbortedError("the probe was stopped")
            self._sockets.add(sock)
        try:
            yield
        finally:
            with self._lock:
                self._sockets.discard(sock)

    @contextmanager
    def held(self, sock: socket.socket) -> Iterator[socket.socket]:
        """Watch a socket, and close it in the end."""
        with sock, self.watched(sock):
            yield sock

    def cut(self) -> None:
        """Shut them all, and those to come."""
        with self._lock:
            self.is_cut = True
            for sock in self._sockets:
                with suppress(OSError):  # as a plain one: TLS would drop what others still use
                    socket.socket.shutdown(sock, socket.SHUT_RDWR)


class Names:
    """Turns names into addresses."""

    def __init__(self, sockets: OpenSockets) -> None:
        """Stop waiting when the sockets are cut."""
        self._sockets = sockets
        self._turns = threading.BoundedSemaphore(MOST_LOOKUPS)

    def look_up(self, host: str, port: int, limit_s: float) -> list[Address]:
        """Return the addresses of a host, best first.

        Raises:
            OSError: when it has none; `TimeoutError` when that takes too long.
        """
        with suppress(ValueError):
            ipaddress.ip_address(host)
            return _addresses(host, port, socket.AI_NUMERICHOST)
        deadline = time.monotonic() + limit_s
        if not self._turns.acquire(timeout=limit_s):
            raise TimeoutError
        lookup = _Lookup(host, port, self._turns)
        while not lookup.done.wait(min(_GLANCE_S, max(0.0, deadline - time.monotonic()))):
            if self._sockets.is_cut or time.monotonic() >= deadline:
                raise TimeoutError
        if isinstance(lookup.outcome, OSError):
            raise lookup.outcome
        return lookup.outcome


class _Lookup:
    """A question to the system, on a thread that nobody has to wait for."""

    def __init__(self, host: str, port: int, turns: threading.Semaphore) -> None:
        self.done = threading.Event()
        self.outcome: list[Address] | OSError = []
        self._turns = turns
        threading.Thread(target=self._run, args=(host, port), daemon=True).start()

    def _run(self, host: str, port: int) -> None:
        try:
            self.outcome = _addresses(host, port, 0)
        except OSError as error:
            self.outcome = error
        except UnicodeError:
            self.outcome = socket.gaierror(socket.EAI_NONAME, "the name is no name of a host")
        finally:
            self._turns.release()
            self.done.set()


def _addresses(host: str, port: int, flags: int) -> list[Address]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    return [(family, address) for family, _, _, _, address in found]
