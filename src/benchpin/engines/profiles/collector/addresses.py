"""Resolve host names with a time limit, and track open sockets so that they can be shut."""

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
"""Concurrent lookups, including abandoned ones: the system cannot cancel a lookup."""
_POLL_S = 0.1


class OpenSockets:
    """The sockets in use, to be shut together when the job is cancelled."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self.is_cut = False

    @contextmanager
    def watched(self, sock: socket.socket) -> Iterator[None]:
        """Register a socket while it is in use."""
        with self._lock:
            if self.is_cut:
                raise ConnectionAbortedError("the probe was stopped")
            self._sockets.add(sock)
        try:
            yield
        finally:
            with self._lock:
                self._sockets.discard(sock)

    def cut(self) -> None:
        """Shut all sockets, and refuse new ones."""
        with self._lock:
            self.is_cut = True
            for sock in self._sockets:
                # not sock.shutdown(): on a TLS socket that frees state which its thread still uses
                with suppress(OSError):
                    socket.socket.shutdown(sock, socket.SHUT_RDWR)


class HostResolver:
    """Resolves host names; waiting ends when the sockets are cut."""

    def __init__(self, sockets: OpenSockets) -> None:
        self._sockets = sockets
        self._slots = threading.BoundedSemaphore(MOST_LOOKUPS)

    def look_up(self, host: str, port: int, limit_s: float) -> list[Address]:
        """Return the addresses of a host, best first.

        Raises:
            OSError: when it has none; `TimeoutError` when that takes too long.
        """
        with suppress(ValueError):
            ipaddress.ip_address(host)
            return _addresses(host, port, socket.AI_NUMERICHOST)
        deadline = time.monotonic() + limit_s
        if not self._slots.acquire(timeout=limit_s):
            raise TimeoutError
        lookup = _Lookup(host, port, self._slots)
        while not lookup.done.wait(min(_POLL_S, max(0.0, deadline - time.monotonic()))):
            if self._sockets.is_cut or time.monotonic() >= deadline:
                raise TimeoutError
        if isinstance(lookup.outcome, OSError):
            raise lookup.outcome
        return lookup.outcome


class _Lookup:
    """A lookup on its own thread, which can be abandoned."""

    def __init__(self, host: str, port: int, slots: threading.Semaphore) -> None:
        self.done = threading.Event()
        self.outcome: list[Address] | OSError = []
        self._slots = slots
        threading.Thread(target=self._run, args=(host, port), daemon=True).start()

    def _run(self, host: str, port: int) -> None:
        try:
            self.outcome = _addresses(host, port, 0)
        except OSError as error:
            self.outcome = error
        except UnicodeError:
            self.outcome = socket.gaierror(socket.EAI_NONAME, "invalid host name")
        finally:
            self._slots.release()
            self.done.set()


def _addresses(host: str, port: int, flags: int) -> list[Address]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    return [(family, address) for family, _, _, _, address in found]
