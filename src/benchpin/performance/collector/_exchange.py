"""One request and its response, timed phase by phase.

Each request has a blocking socket in its own thread: a thread that waits in the kernel sees the
moment when data arrives, an event loop only when it gets to it, and each step of the connection can
be timed. The standard library parses the response (`HTTPResponse`); all of its reads go through
`_DeadlineStream`, so that a server cannot delay us past the deadline by sending single bytes.
"""

import http
import http.client
import io
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_RESPONSE_BYTES = 64 << 20
# The limit of one request, including interim responses such as 103 Early Hints.
MAX_RESPONSES = 10
_PIECE_BYTES = 64 << 10
PORTS = {"http": 80, "https": 443}
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


@dataclass(frozen=True, slots=True)
class Target:
    """The host that is probed."""

    scheme: Literal["http", "https"]
    host: str
    port: int
    prefix: str
    """The path of the base URL, which every path begins with."""
    authorization: str | None = None

    @property
    def authority(self) -> str:
        """Host, and the port unless it is the default one of the scheme."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


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
        done = threading.Event()
        outcome: list[Address] | OSError = []

        def run() -> None:
            nonlocal outcome
            try:
                outcome = _addresses(host, port, 0)
            except OSError as error:
                outcome = error
            except UnicodeError:
                outcome = socket.gaierror(socket.EAI_NONAME, "invalid host name")
            finally:
                self._slots.release()
                done.set()

        # On a thread of its own, which is abandoned when the time is up.
        threading.Thread(target=run, daemon=True).start()
        while not done.wait(min(_POLL_S, max(0.0, deadline - time.monotonic()))):
            if self._sockets.is_cut or time.monotonic() >= deadline:
                raise TimeoutError
        if isinstance(outcome, OSError):
            raise outcome
        return outcome


def _addresses(host: str, port: int, flags: int) -> list[Address]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    return [(family, address) for family, _, _, _, address in found]


class Failure(Exception):
    """Why there is no complete response."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(slots=True)
class HttpExchange:
    """The progress of a request; moments are nanoseconds of a monotonic clock."""

    started_at_us: int
    """Since 1970."""
    start: int
    looked_up: int | None = None
    connected: int | None = None
    secured: int | None = None
    ready: int | None = None
    """When the request could be sent."""
    first_byte: int | None = None
    end: int | None = None
    status: int | None = None
    location: str | None = None
    """Where a redirect points; it is not followed."""
    body_bytes: int = 0
    failure: Failure | None = None

    def elapsed_us(self, moment: int | None) -> int | None:
        return None if moment is None else (moment - self.start + 500) // 1000


class Deadline:
    """The moment by which a request must end."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left_s(self) -> float:
        """Return the seconds that are left.

        Raises:
            TimeoutError: when there are none.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def exchange(
    target: Target,
    path: str,
    headers: Mapping[str, str],
    *,
    timeout_s: float,
    resolver: HostResolver,
    sockets: OpenSockets,
    tls: ssl.SSLContext | None,
) -> HttpExchange:
    made = HttpExchange(started_at_us=time.time_ns() // 1000, start=time.perf_counter_ns())
    deadline = Deadline(timeout_s)
    try:
        found = resolver.look_up(target.host, target.port, deadline.left_s())
        made.looked_up = time.perf_counter_ns()
        sock = _connected(found, deadline, sockets)
        made.connected = time.perf_counter_ns()
        if tls is not None:
            sock = tls.wrap_socket(sock, server_hostname=target.host, do_handshake_on_connect=False)
        with sock, sockets.watched(sock):
            if isinstance(sock, ssl.SSLSocket):
                sock.settimeout(deadline.left_s())
                sock.do_handshake()
                made.secured = time.perf_counter_ns()
            made.ready = time.perf_counter_ns()
            sock.settimeout(deadline.left_s())
            sock.sendall(_request(target, path, headers))
            _read(sock, deadline, made)
    except (OSError, http.client.HTTPException, Failure) as error:
        made.failure = _failure(error, made, timeout_s)
    made.end = time.perf_counter_ns()
    return made


def _connected(found: list[Address], deadline: Deadline, sockets: OpenSockets) -> socket.socket:
    """Connect to the first address that answers; each gets an equal share of the time."""
    problem: OSError = OSError("the host name has no address")
    for at, (family, address) in enumerate(found):
        sock = socket.socket(family, socket.SOCK_STREAM)
        try:
            with sockets.watched(sock):
                sock.settimeout(deadline.left_s() / (len(found) - at))
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sock.connect(address)
        except OSError as error:
            sock.close()
            problem = error
        else:
            return sock
    raise problem


def _request(target: Target, path: str, headers: Mapping[str, str]) -> bytes:
    fields = {
        "Host": target.authority,
        "User-Agent": "benchpin",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
    }
    if target.authorization:
        fields["Authorization"] = target.authorization
    given = {name.lower() for name in headers}
    fields = {name: value for name, value in fields.items() if name.lower() not in given}
    lines = [f"{name}: {value}" for name, value in {**fields, **headers}.items()]
    head = "\r\n".join([f"GET {path} HTTP/1.1", *lines, "Connection: close", "", ""])
    return head.encode("latin-1")


def _read(sock: socket.socket, deadline: Deadline, made: HttpExchange) -> None:
    try:
        response = _final_response(_DeadlineStream(sock, deadline, made))
        made.status = response.status
        made.location = response.getheader("Location")
        while piece := response.read(_PIECE_BYTES):
            made.body_bytes += len(piece)
    except (ValueError, OverflowError) as error:  # http.client does not check chunk sizes
        raise Failure("bad_response", "no HTTP response: a length in it is invalid") from error
    if response.length:
        raise Failure("cut", f"the connection ended {response.length} bytes too early")


def _final_response(source: "_DeadlineStream") -> http.client.HTTPResponse:
    for _ in range(MAX_RESPONSES):
        response = http.client.HTTPResponse(source, method="GET")  # type: ignore[arg-type]  # it only calls makefile()
        response.begin()
        if response.status >= http.HTTPStatus.OK:
            return response
    raise Failure("bad_response", f"{MAX_RESPONSES} interim responses and no final one")


class _Reader(io.BufferedReader):
    """Stays open after an interim response, because the final one follows."""

    def close(self) -> None:
        """Do nothing; the owner of the socket closes it."""


class _DeadlineStream(io.RawIOBase):
    """The bytes of a socket, up to a deadline and a size.

    The size is limited here because http.client reads without end when a chunk size is negative.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline, made: HttpExchange) -> None:
        self._sock = sock
        self._deadline = deadline
        self._made = made
        self._room = MAX_RESPONSE_BYTES
        self._reader = _Reader(self, _PIECE_BYTES)

    def makefile(self, _mode: str) -> _Reader:
        return self._reader

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        self._sock.settimeout(self._deadline.left_s())
        count = self._sock.recv_into(buffer)
        if count and self._made.first_byte is None:
            self._made.first_byte = time.perf_counter_ns()
        self._room -= count
        if self._room < 0:
            limit = MAX_RESPONSE_BYTES >> 20
            raise Failure("body_too_large", f"the response is larger than {limit} MiB")
        return count


def _failure(error: Exception, made: HttpExchange, timeout_s: float) -> Failure:
    if isinstance(error, Failure):
        return error
    if isinstance(error, TimeoutError):
        return Failure(
            "timeout", f"not finished within {round(timeout_s * 1000)} ms; {_reached(made)}"
        )
    if isinstance(error, http.client.HTTPException):
        return Failure("bad_response", f"no HTTP response: {type(error).__name__}")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    for kind, code in _CODES:
        if isinstance(error, kind):
            return Failure(code, str(reason))
    return Failure("network", str(reason))


_CODES: tuple[tuple[type[OSError], str], ...] = (
    (AddressRefused, "address_refused"),
    (socket.gaierror, "unknown_host"),
    (ConnectionRefusedError, "refused"),
    (ssl.SSLCertVerificationError, "certificate"),
    (ssl.SSLError, "tls"),
    (ConnectionError, "reset"),
)


def _reached(made: HttpExchange) -> str:
    if made.first_byte is not None:
        return "the response had begun"
    if made.ready is not None:
        return "the request was sent, but no response came"
    if made.connected is not None:
        return "the TLS handshake was not finished"
    return (
        "no connection was made" if made.looked_up is not None else "the host name was not resolved"
    )
