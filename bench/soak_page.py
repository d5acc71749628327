"""What the soak saw: counts, samples, and the page that shows them."""

import statistics
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from results import machine
from soak_plot import Series, chart

DOCS = Path(__file__).parent.parent / "docs"
SETTLED_S = 300.0
"""Memory and descriptors are flat after this."""
GROWTH = 1.15
"""How far the last third may exceed the time before it, on average."""
MIB = 2**20
FAILURES = ("wrong", "lost connection", "internal error")


@dataclass
class Tally:
    """What the clients saw; counts are exact because one thread at a time adds."""

    calls: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, action: str, outcome: str, detail: str = "") -> None:
        """Record one answer."""
        with self.lock:
            self.calls[action] += 1
            self.outcomes[outcome] += 1
            if outcome in FAILURES:
                self.wrong.append(f"{action}: {detail[:2_000]}")


@dataclass
class Samples:
    """What was measured of the server, over time in seconds."""

    memory: list[tuple[float, float]] = field(default_factory=list)
    descriptors: list[tuple[float, float]] = field(default_factory=list)
    pings: list[tuple[float, float]] = field(default_factory=list)

    def watch(self, pid: int, duration_s: float) -> None:
        """Sample a process once a second."""
        process, start = psutil.Process(pid), time.monotonic()
        while (at := time.monotonic() - start) < duration_s:
            self.memory.append((at, process.memory_info().rss / MIB))
            self.descriptors.append((at, float(process.num_fds())))
            time.sleep(1)


def judge(tally: Tally, samples: Samples) -> list[str]:
    """Return what must not be."""
    failures = [f"{tally.outcomes[name]} × {name}" for name in FAILURES if tally.outcomes[name]]
    for name, values in (("memory", samples.memory), ("descriptors", samples.descriptors)):
        settled = [value for at, value in values if at > SETTLED_S]
        third = len(settled) // 3
        if third and statistics.mean(settled[-third:]) > GROWTH * statistics.mean(settled[:-third]):
            failures.append(f"{name} still grows after {SETTLED_S:g} s")
    return failures


def write_page(
    clients: str, duration_s: float, tally: Tally, samples: Samples, computed: int
) -> None:
    """Write the chart and the figures."""
    pings = sorted(ms for _, ms in samples.pings)
    memory = [value for _, value in samples.memory]
    descriptors = [value for _, value in samples.descriptors]
    chunks = [samples.pings[at : at + 100] for at in range(0, len(samples.pings), 100)]
    worst = [
        (it[0][0] / 60, sorted(ms for _, ms in it)[int(len(it) * 0.99)]) for it in chunks if it
    ]
    minutes = [(at / 60, value) for at, value in samples.memory]
    (DOCS / "soak.svg").write_text(
        chart(
            f"{clients}, for {duration_s / 60:.0f} minutes",
            [
                Series("Memory of the server, MiB", minutes),
                Series("Open descriptors", [(at / 60, it) for at, it in samples.descriptors]),
                Series("Ping, 99th percentile of 100, ms", worst, limit=100.0),
            ],
        ),
        encoding="utf-8",
    )
    middle = len(memory) // 2
    rows = {
        "calls": f"{sum(tally.calls.values()):,}",
        "answers computed from nothing to compare with": f"{computed:,}",
        "wrong answers": f"{tally.outcomes['wrong']:,}",
        "lost connections": f"{tally.outcomes['lost connection']:,}",
        "internal errors": f"{tally.outcomes['internal error']:,}",
        **{name: f"{count:,}" for name, count in tally.outcomes.items() if "busy" in name},
        "memory: start, middle, end, most (MiB)": f"{memory[0]:.0f}, {memory[middle]:.0f}, "
        f"{memory[-1]:.0f}, {max(memory):.0f}",
        "descriptors: start, middle, end, most": f"{descriptors[0]:.0f}, "
        f"{descriptors[middle]:.0f}, {descriptors[-1]:.0f}, {max(descriptors):.0f}",
        "ping: median, 95th, 99th percentile, most (ms)": ", ".join(
            f"{pings[min(len(pings) - 1, int(len(pings) * share))]:.1f}"
            for share in (0.5, 0.95, 0.99, 1)
        ),
    }
    page = [
        "# Soak",
        "",
        f"`make soak` ran for {duration_s / 60:.0f} minutes with {clients}: {machine()}.",
        "They read, search, measure, edit, comment, run programs, cancel and disconnect, while",
        "files also change behind the server's back. Each answer is compared with one computed",
        "from nothing: by a new workbench with an empty cache, on a copy of the files.",
        "Memory and descriptors are those of the server that the network clients share.",
        "",
        "![Memory, descriptors and pings over time](soak.svg)",
        "",
        "| | |",
        "| --- | --- |",
        *(f"| {name} | {value} |" for name, value in rows.items()),
        "",
        "Calls: "
        + ", ".join(f"{name} {count:,}" for name, count in tally.calls.most_common())
        + ".",
        "",
    ]
    (DOCS / "soak.md").write_text("\n".join(page), encoding="utf-8")
    print("\n".join(page))
