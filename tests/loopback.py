"""A server on loopback that answers as a test says, well or badly."""

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from waiting import WAIT_S

Answer = Callable[[socket.socket, "Loopback"], None]


def whole(body: bytes = b"hello", *, status: str = "200 OK", headers: str = "") -> Answer:
    """Answer properly."""
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode()
    return raw(head + body)


def raw(content: bytes) -> Answer:
    """Answer with bytes and hang up."""

    def answer(connection: socket.socket, _server: "Loopback") -> None:
        connection.sendall(content)

    return answer


def drip(start: bytes, drop: bytes) -> Answer:
    """Answer with a few bytes at a time, for ever."""

    def answer(connection: socket.socket, server: "Loopback") -> None:
        connection.sendall(start)
        while not server.closing.wait(0.01):
            connection.sendall(drop)

    return answer


def silence(_connection: socket.socket, server: "Loopback") -> None:
    """Never answer."""
    server.closing.wait()


def flood(start: bytes) -> Answer:
    """Answer without an end, as fast as it goes."""

    def answer(connection: socket.socket, server: "Loopback") -> None:
        connection.sendall(start)
        while not server.closing.is_set():
            connection.sendall(bytes(1 << 20))

    return answer


class Loopback:
    """Listens while it is entered; keeps the requests."""

    def __init__(
        self, answer: Answer, *, family: int = socket.AF_INET, tls: ssl.SSLContext | None = None
    ) -> None:
        """Bind to a free port."""
        self.closing = threading.Event()
        self.requests: list[bytes] = []
        self.asked = threading.Event()
        self._answer = answer
        self._tls = tls
        self._listener = socket.socket(family, socket.SOCK_STREAM)
        self._listener.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
        self._listener.listen(16)
        self.port: int = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def paths(self) -> list[str]:
        """Return the paths that were asked for."""
        return [it.split(b" ")[1].decode() for it in self.requests]

    def __enter__(self) -> Self:
        """Begin to listen."""
        self._start(self._accept)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Hang up, and wait for all threads."""
        self.closing.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(10)

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.closing.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._start(lambda it=connection: self._serve(it))  # type: ignore[misc]  # bound now

    def _serve(self, plain: socket.socket) -> None:
        plain.settimeout(WAIT_S)
        with suppress(OSError), plain:
            connection = self._tls.wrap_socket(plain, server_side=True) if self._tls else plain
            with connection:
                request = b""
                while b"\r\n\r\n" not in request and (piece := connection.recv(4096)):
                    request += piece
                self.requests.append(request)
                self.asked.set()
                self._answer(connection, self)
