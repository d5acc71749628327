"""What connecting costs: time to the first answers, memory of an idle server, tokens of the list.

`python bench/start.py [FOLDER]` serves a folder; by default this repository. The rival is the stock
SDK's server with one trivial tool.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil

from benchpin.app import Workbench, configure
from benchpin.repository.packing import count_tokens
from benchpin.server._announcement import thin_definition
from results import help_if_asked, machine, write_section

HERE = Path(__file__).parent
BENCHPIN = (str(Path(sys.executable).with_name("benchpin")), "serve")
STOCK = (sys.executable, str(HERE / "servers" / "stock_echo.py"))
ROUNDS = 9
_META = "io.modelcontextprotocol/"
INFO = {"name": "bench", "version": "1"}
HANDSHAKE: list[dict[str, Any]] = [
    {
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO},
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
]
ENVELOPE = {
    f"{_META}protocolVersion": "2026-07-28",
    f"{_META}clientInfo": INFO,
    f"{_META}clientCapabilities": {},
}
STATELESS: list[dict[str, Any]] = [
    {"id": 1, "method": "server/discover", "params": {"_meta": ENVELOPE}},
    {"id": 2, "method": "tools/list", "params": {"_meta": ENVELOPE}},
]


def started(command: tuple[str, ...], messages: list[dict[str, Any]], folder: str) -> list[float]:
    """Return the seconds to each answer, the processor's seconds, and the memory then in MB."""
    begin = time.perf_counter()
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        lines = (json.dumps({"jsonrpc": "2.0", **it}) + "\n" for it in messages)
        server.stdin.write("".join(lines).encode())
        server.stdin.flush()
        seen: list[float] = []
        while len(seen) < sum("id" in it for it in messages):
            assert server.stdout.readline()
            seen.append(time.perf_counter() - begin)
        status = Path(f"/proc/{server.pid}/status").read_text(encoding="ascii")
        resident = next(it for it in status.splitlines() if it.startswith("VmRSS"))
        # Of the programs that it has run, too: a busy machine does not change this much.
        used = sum(psutil.Process(server.pid).cpu_times()[:4])
        server.stdin.close()
    return [*seen, used, int(resident.split()[1]) / 1024]


def help_s() -> float:
    """Return the seconds that `benchpin --help` takes."""
    begin = time.perf_counter()
    subprocess.run((BENCHPIN[0], "--help"), stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def tokens(profile: str) -> tuple[int, int]:
    """Return how many tools a profile lists, and their tokens as they are sent."""
    listed = Workbench(configure(profile=profile)).catalogue.listed_for("")
    sent = json.dumps([thin_definition(it) for it in listed], separators=(",", ":"), default=str)
    return len(listed), count_tokens(sent)


def main(folder: str) -> None:
    """Measure in turn, and write the section."""
    cases = {
        ("benchpin", "handshake"): (BENCHPIN, HANDSHAKE),
        ("benchpin", "stateless"): (BENCHPIN, STATELESS),
        ("stock SDK", "handshake"): (STOCK, HANDSHAKE),
    }
    runs: dict[tuple[str, str], list[list[float]]] = {case: [] for case in cases}
    helps = []
    for _ in range(ROUNDS):
        for case, (command, messages) in cases.items():
            runs[case].append(started(command, messages, folder))
        helps.append(help_s())
    rows = [
        f"| {server}, {era} | "
        + " | ".join(f"{statistics.median(it):.3f}" for it in list(zip(*seen, strict=True))[:3])
        + f" | {statistics.median(it[-1] for it in seen):.0f} |"
        for (server, era), seen in runs.items()
    ]
    both = {case: statistics.median(it[1] for it in seen) for case, seen in runs.items()}
    ratio = both["benchpin", "handshake"] / both["stock SDK", "handshake"]
    used = {case: statistics.median(it[2] for it in seen) for case, seen in runs.items()}
    cpu_ratio = used["benchpin", "handshake"] / used["stock SDK", "handshake"]
    lists = [f"| {it} | {tokens(it)[0]} | {tokens(it)[1]:,} |" for it in ("full", "lean")]
    write_section(
        "Connecting",
        f"From the start of the process, over stdio; {ROUNDS} rounds in turn, medians; "
        f"{machine()}.\n\n"
        "| server | initialize s | and tools/list s | CPU s | memory then MB |\n"
        "| --- | --- | --- | --- | --- |\n"
        + "\n".join(rows)
        + f"\n\nBoth answers take {ratio:.2f}× the time of the stock SDK (aim ≤ 0.5×), and "
        f"{cpu_ratio:.2f}× of the processor's; "
        f"`benchpin --help` takes {statistics.median(helps):.3f} s.\n\n"
        "| profile | tools | tokens of the list (o200k) |\n| --- | --- | --- |\n"
        + "\n".join(lists),
    )


if __name__ == "__main__":
    help_if_asked(__doc__)
    main(sys.argv[1] if len(sys.argv) > 1 else str(HERE.parent))
