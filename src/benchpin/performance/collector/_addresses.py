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
# IPv6 addresses whose last 32 bits are an IPv4 address: RFC 6052 §2.1, RFC 4291 §2.5.5.1.
_EMBEDDED = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("::/96"))
# Where Amazon's machines have over IPv6 what is at 169.254.169.254.
_METADATA = ipaddress.ip_address("fd00:ec2::254")
# RFC 6598: private to a provider, and not `is_private` in Python.
_SHARED = ipaddress.ip_network("100.64.0.0/10")
# Concurrent lookups, including abandoned ones: the system cannot cancel a lookup.
MAX_LOOKUPS = 4
_POLL_S = 0.1


class AddressRefused(OSError):
    """A host has only addresses to which no request is sent."""


def refusal_of(address: str, *, allows_private: bool) -> str | None:
    """Return why no request goes to an address; None if it is public, or this machine's own.

    Link-local addresses have the metadata of cloud machines, with credentials.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address) and not ip.is_loopback:
        inner = ip.ipv4_mapped or ip.sixtofour
        if inner is None and any(ip in it for it in _EMBEDDED):
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
        if inner is not None and not ip.is_unspecified:
            return refusal_of(str(inner), allows_private=allows_private)
    if ip.is_loopback:
        return None
    if ip.is_link_local or ip == _METADATA:
        return "link-local"
    if ip.is_unspecified or ip.is_multicast:
        return "not the address of a host"
    is_private = ip.is_private or ip in _SHARED or getattr(ip, "is_site_local", False)
    return "private" if is_private and not allows_private else None


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

    def __init__(self, sockets: OpenSockets, *, allows_private: bool) -> None:
        self._sockets = sockets
        self._allows_private = allows_private
        self._slots = threading.BoundedSemaphore(MAX_LOOKUPS)

    def look_up(self, host: str, port: int, limit_s: float) -> list[Address]:
        """Return the addresses of a host that may get a request, best first.

        Raises:
            AddressRefused: when it has none of these.
            OSError: when it has none at all; `TimeoutError` when that takes too long.
        """
        found = self._look_up(host, port, limit_s)
        refused = {
            address[0]: why
            for _, address in found
            if (why := refusal_of(str(address[0]), allows_private=self._allows_private))
        }
        allowed = [it for it in found if it[1][0] not in refused]
        if refused and not allowed:
            address, why = next(iter(refused.items()))
            message = f"{address} is {why}"
            raise AddressRefused(message)
        return allowed

    def _look_up(self, host: str, port: int, limit_s: float) -> list[Address]:
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
