"""What each step of a call over HTTP costs: `read_file` of 1.3 kB, from bytes in to bytes out.

`python bench/call_steps.py` takes ten seconds. Steps are left out one after the other, and what a
call takes less then is the cost of the step. There is no socket: see `bench/transports.py`.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import uvicorn
from uvicorn.server import ServerState

from benchpin.app import Workbench
from benchpin.server import Kernel, Session, collect_less, configure_logging
from benchpin.server._scheduler import Scheduler
from benchpin.server.jsonrpc import ENCODED, Request
from benchpin.server.network._connections import HttpProtocol, TcpConnections
from benchpin.server.network._network import Network
from benchpin.server.wire import Channel, Presenter
from results import help_if_asked, machine, write_section
from transports import CALL, FILE, HANDSHAKE, http_request

ROUNDS = 25
CALLS = 200
_RACY_S = 2.5
"""For so long after a folder has changed, what is known about it is read anew."""


class Wire(asyncio.Transport):
    """A connection without a socket."""

    def __init__(self) -> None:
        super().__init__()
        self.written: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._protocol: asyncio.BaseProtocol | None = None

    def get_extra_info(self, name: str, default: object = None) -> object:
        """Return the addresses."""
        return ("127.0.0.1", 1) if name in {"peername", "sockname"} else default

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Take a response."""
        self.written.set_result(bytes(data))

    def resume_reading(self) -> None:
        """Go on."""

    def is_closing(self) -> bool:
        """Whether it ends: it does not."""
        return False

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Keep the protocol."""
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return the protocol."""
        assert self._protocol is not None
        return self._protocol


class Client:
    """Sends requests to a server in this process."""

    def __init__(self, kernel: Kernel, workbench: Workbench) -> None:
        network = Network(kernel, workbench.configuration.settings)
        config = uvicorn.Config(network.app, lifespan="off", log_config=None, server_header=False)
        config.load()
        limits = TcpConnections(kernel.limits)
        self._wire = Wire()
        self._protocol = HttpProtocol(config, ServerState(), {}, connections=limits, head_s=10.0)
        self._wire.set_protocol(self._protocol)
        self._protocol.connection_made(self._wire)

    async def ask(self, request: bytes) -> bytes:
        """Send a request and return the response."""
        self._wire.written = asyncio.get_running_loop().create_future()
        self._protocol.data_received(request)
        return await self._wire.written

    async def measure(self, request: bytes) -> float:
        """Return the microseconds of a core that a call takes, as the median of rounds."""
        rounds = []
        for _ in range(ROUNDS):
            begin = time.process_time()
            for _ in range(CALLS):
                await self.ask(request)
            rounds.append((time.process_time() - begin) / CALLS * 1e6)
        return statistics.median(rounds)


async def _answer_at_once(_self: Session, _request: Request, channel: Channel) -> None:
    await channel.answer(b'{"jsonrpc":"2.0","id":1,"result":{}}')


async def _run_nothing(_self: Scheduler, _peer: object, _task: object, _work: object) -> object:
    return {ENCODED: (b"{}",)}


def _present_nothing(_self: Presenter, _result: object, **_how: object) -> object:
    return {ENCODED: (b"{}",)}


def _log_nothing(*_line: object) -> None: ...


async def measured(folder: Path) -> dict[str, float]:
    """Return the cost of each step, the last one first."""
    (folder / FILE).write_text("def double(x: int) -> int:\n    return 2 * x\n" * 30, "utf-8")
    workbench = Workbench.open(folder, limits={"burst": 1_000_000_000})
    kernel = Kernel(workbench)
    client = Client(kernel, workbench)
    head = await client.ask(http_request(HANDSHAKE))
    session = head.split(b"mcp-session-id: ")[1].split(b"\r\n")[0].decode()
    request = http_request(CALL, session)
    assert b'"isError":false' in await client.ask(request)
    collect_less()
    await asyncio.sleep(_RACY_S)
    left_out: tuple[tuple[str, str, Callable[..., object]], ...] = (
        (
            "encoding the result",
            "benchpin.server.wire._wire_results.Presenter.tool_result",
            _present_nothing,
        ),
        ("the tool", "benchpin.server._scheduler.Scheduler.run", _run_nothing),
        ("the line of the log", "benchpin.server._request_log.log_fields", _log_nothing),
        ("decoding, checks, session", "benchpin.server._session.Session.serve", _answer_at_once),
    )
    costs = {}
    whole = await client.measure(request)
    for name, place, instead in left_out:
        patch(place, instead).start()
        rest = await client.measure(request)
        costs[name] = whole - rest
        whole = rest
    costs["HTTP, without the socket"] = whole
    return costs


def main() -> None:
    """Measure, and write the table."""
    with Path(os.devnull).open("w", encoding="utf-8") as nothing:
        kept, sys.stderr = sys.stderr, nothing
        configure_logging(debug=False)
        with tempfile.TemporaryDirectory() as folder:
            costs = asyncio.run(measured(Path(folder).resolve()))
        sys.stderr = kept
    rows = [f"| {name} | {cost:.0f} |" for name, cost in reversed(costs.items())]
    about = (
        f"`read_file` of 1.3 kB over HTTP, in one process and without sockets; medians of {ROUNDS} "
        f"rounds of {CALLS} calls; {machine()}, load {os.getloadavg()[0]:.0f}."
    )
    table = [
        "| step | µs of a core |",
        "| --- | --- |",
        *rows,
        f"| all | {sum(costs.values()):.0f} |",
    ]
    write_section("Steps of a call", "\n".join([about, "", *table]))


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
