"""Measure the protocol beside the rivals, in one run: requests a second, latency, start-up."""

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import transports
from results import help_if_asked, machine, write_section

HERE = Path(__file__).parent
SERVERS = {
    "benchpin": "benchpin_echo.py",
    "stock SDK": "stock_echo.py",
    "FastMCP": "fastmcp_echo.py",
    "bare JSON loop": "bare_echo.py",
}
ROUNDS = 5
SERIAL = 1_000
PIPELINED = 6_000
WINDOW = 128
STARTS = 9
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}


@dataclass
class Measured:
    """What was seen of one server."""

    serial: list[float] = field(default_factory=list)
    pipelined: list[float] = field(default_factory=list)
    latencies_ms: list[float] = field(default_factory=list)
    starts_s: list[float] = field(default_factory=list)


def call(number: int) -> bytes:
    """Return one call of the trivial tool."""
    params = {"name": "echo", "arguments": {"text": "hello"}}
    request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(request).encode() + b"\n"


CALLS = [call(number) for number in range(1, PIPELINED + 1)]


class Server:
    """A server under test, over pipes."""

    def __init__(self, command: list[str]) -> None:
        paths = os.pathsep.join(str(HERE.parent / name) for name in ("src", "tests"))
        environment = {**os.environ, "PYTHONPATH": paths}
        started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.ask(json.dumps(INITIALIZE).encode() + b"\n")
        self.start_s = time.perf_counter() - started
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def send(self, line: bytes) -> None:
        """Send a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def receive(self) -> bytes:
        """Take an answer."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def ask(self, line: bytes) -> bytes:
        """Send a line and take the answer."""
        self.send(line)
        return self.receive()

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)


def measure_serial(server: Server, measured: Measured) -> None:
    """Ask one thing after another."""
    started = time.perf_counter()
    for line in CALLS[:SERIAL]:
        before = time.perf_counter()
        answer = server.ask(line)
        measured.latencies_ms.append((time.perf_counter() - before) * 1000)
    measured.serial.append(SERIAL / (time.perf_counter() - started))
    assert b"hello" in answer


def measure_pipelined(server: Server, measured: Measured) -> None:
    """Keep a window of requests in flight."""
    window = threading.Semaphore(WINDOW)

    def send_all() -> None:
        for line in CALLS:
            window.acquire()
            server.send(line)

    started = time.perf_counter()
    sender = threading.Thread(target=send_all)
    sender.start()
    for _ in CALLS:
        server.receive()
        window.release()
    measured.pipelined.append(PIPELINED / (time.perf_counter() - started))
    sender.join()


def main() -> None:
    """Measure every server in turn, several times, and write the table."""
    found = {name: Measured() for name in SERVERS}
    for _ in range(ROUNDS):
        for name, script in SERVERS.items():
            server = Server([sys.executable, str(HERE / "servers" / script)])
            for _ in range(100):
                server.ask(CALLS[0])
            measure_serial(server, found[name])
            measure_pipelined(server, found[name])
            server.close()
    for _ in range(STARTS):
        for name, script in SERVERS.items():
            command = [sys.executable, str(HERE / "servers" / script)]
            if name == "benchpin":
                command = [str(Path(sys.executable).with_name("benchpin")), "serve"]
            server = Server(command)
            found[name].starts_s.append(server.start_s)
            server.close()
    write_section("Protocol", report(found))
    transports.main()


def report(found: dict[str, Measured]) -> str:
    """Return the table and the ratios."""
    median = statistics.median
    lines = [
        f"One trivial tool (`echo`) over stdio; {ROUNDS} rounds in turn, medians; {machine()}.",
        "Benchpin writes its log line for every request and has only its rate limit lifted.",
        "",
        "| server | serial /s | 128 in flight /s | p50 ms | p99 ms | start-up to first answer s |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, seen in found.items():
        percentiles = statistics.quantiles(seen.latencies_ms, n=100)
        lines.append(
            f"| {name} | {median(seen.serial):,.0f} | {median(seen.pipelined):,.0f} "
            f"| {percentiles[49]:.3f} | {percentiles[98]:.3f} | {median(seen.starts_s):.3f} |"
        )
    ours, stock, fast = found["benchpin"], found["stock SDK"], found["FastMCP"]
    pipelined = median(ours.pipelined)
    start_up = median(ours.starts_s) / median(stock.starts_s)
    lines += [
        "",
        "| ratio | measured | aim |",
        "| --- | --- | --- |",
        f"| pipelined, to the stock SDK | {pipelined / median(stock.pipelined):.2f}× | ≥ 3× |",
        f"| pipelined, to FastMCP | {pipelined / median(fast.pipelined):.2f}× | ≥ 5× |",
        f"| start-up, to the stock SDK | {start_up:.2f}× | ≤ 1.15× |",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
