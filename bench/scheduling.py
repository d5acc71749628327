"""Measure short calls behind long ones, over HTTP and stdio, before and after.

    python bench/scheduling.py TREE [BEFORE]

A file changes every other second, so that few results are remembered. Of ten HTTP clients, eight
call long tools one after another, and two make short calls. Over stdio one client keeps eight long
calls in flight and makes short ones in between. BEFORE is the `src` folder of another revision:
both servers take the same load in turn, and the table has the ratios.
"""

import itertools
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from clients import SOURCE, Answer, HttpClient, StdioClient, call, network_server, request
from results import help_if_asked, machine, write_section

LONG = (
    "analyze_comprehensive",
    "analyze_duplicates",
    "analyze_dead_code",
    "analyze_defect_probability",
)
FOLDERS = ("django", ".", "tests", "django/db")
LONG_CLIENTS = 8
SHORT_CLIENTS = 2
PAUSE_S = 0.02
EDIT_S = 2.0
DURATION_S = 40.0
FLAGS = ("--tool-timeout", "120")


@dataclass
class Seen:
    """How long calls took, in seconds."""

    short: dict[str, list[float]] = field(default_factory=dict)
    long: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def note(self, kind: str, started: float, answer: Answer) -> None:
        """Record one short call."""
        self.short.setdefault(kind, []).append(time.perf_counter() - started)
        if "error" in answer:
            self.failures.append(str(answer["error"]))


def long_calls(number: int) -> Iterator[dict[str, object]]:
    """Yield calls of one client without end: every tool on every folder."""
    for turn in itertools.count(number):
        folder = FOLDERS[turn // len(LONG) % len(FOLDERS)]
        yield {"name": LONG[turn % len(LONG)], "arguments": {"project_path": folder}}


def edit(tree: Path, ending: threading.Event) -> None:
    """Change one file after another, as people and agents do."""
    for path in itertools.cycle(sorted(tree.glob("django/**/*.py"))):
        if ending.wait(EDIT_S):
            return
        with path.open("a", encoding="utf-8") as file:
            file.write("\n\ndef added_by_the_bench():\n    return 1\n")


SHORT: tuple[tuple[str, str, dict[str, object] | None], ...] = (
    ("ping", "ping", None),
    ("read_file", "tools/call", {"name": "read_file", "arguments": {"path": "README.rst"}}),
    ("list_directory", "tools/call", {"name": "list_directory", "arguments": {"path": "django"}}),
)


class Pipeline:
    """Lets several threads use one stdio client at the same time."""

    def __init__(self, client: StdioClient) -> None:
        self._client = client
        self._numbers = itertools.count(1_000_000)
        self._sending = threading.Lock()
        self._waiting: dict[int, tuple[threading.Event, list[Answer]]] = {}

    def ask(self, method: str, params: dict[str, object] | None) -> Answer:
        """Send a request and wait for its answer."""
        number = next(self._numbers)
        arrived, answers = self._waiting[number] = threading.Event(), []
        with self._sending:
            self._client.send(request(number, method, params))
        arrived.wait()
        return answers[0]

    def receive(self) -> None:
        """Hand out answers until the server ends."""
        with suppress(ConnectionError):
            while True:
                answer = self._client.receive()
                if answer.get("id") in self._waiting:
                    arrived, answers = self._waiting.pop(answer["id"])
                    answers.append(answer)
                    arrived.set()


Ask = Callable[[str, dict[str, object] | None], Answer]


def ask_long(ask: Ask, number: int, seen: Seen, ending: threading.Event) -> None:
    """Call one long tool after another."""
    for params in long_calls(number):
        if ending.is_set():
            break
        started = time.perf_counter()
        answer = ask("tools/call", params)
        seen.long.append(time.perf_counter() - started)
        if "error" in answer or answer["result"]["isError"]:
            seen.failures.append(str(answer)[:300])


def ask_short(ask: Ask, seen: Seen, ending: threading.Event) -> None:
    """Make short calls with a pause between them."""
    for kind, method, params in itertools.cycle(SHORT):
        if ending.wait(PAUSE_S):
            break
        started = time.perf_counter()
        seen.note(kind, started, ask(method, params))


def over_http(tree: Path, source: Path, cache: Path) -> Seen:
    """Load a server with ten HTTP clients."""
    seen, ending = Seen(), threading.Event()
    with network_server(tree, cache, *FLAGS, source=source) as (address, _process):
        clients = [HttpClient(address) for _ in range(LONG_CLIENTS + SHORT_CLIENTS)]
        call(clients[0], "analyze_complexity", project_path=".")
        work = [partial(ask_long, it.ask, n, seen) for n, it in enumerate(clients[:LONG_CLIENTS])]
        work += [partial(ask_short, it.ask, seen) for it in clients[LONG_CLIENTS:]]
        run_for([*work, partial(edit, tree)], ending)
        for client in clients:
            client.close()
    return seen


def over_stdio(tree: Path, source: Path, cache: Path) -> Seen:
    """Load a server with one client that pipelines."""
    seen, ending = Seen(), threading.Event()
    client = StdioClient(tree, cache, *FLAGS, source=source)
    call(client, "analyze_complexity", project_path=".")
    pipeline = Pipeline(client)
    threading.Thread(target=pipeline.receive).start()
    work = [partial(ask_long, pipeline.ask, number, seen) for number in range(LONG_CLIENTS)]
    run_for([*work, partial(ask_short, pipeline.ask, seen), partial(edit, tree)], ending)
    client.close()
    return seen


def run_for(work: list[Callable[[threading.Event], None]], ending: threading.Event) -> None:
    """Run the clients for a while and wait until each has its last answer."""
    threads = [threading.Thread(target=it, args=(ending,)) for it in work]
    for thread in threads:
        thread.start()
    time.sleep(DURATION_S)
    ending.set()
    for thread in threads:
        thread.join()


def percentile(values: list[float], percent: int) -> float:
    """Return a percentile of at least two values."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def rows(load: str, name: str, seen: Seen) -> list[str]:
    """Return the rows of one server under one load, in milliseconds."""
    bugs = [it for it in seen.failures if "queue_limit_exceeded" not in it]
    assert not bugs, bugs[:3]  # under more load than it can take, a server may refuse
    mixed = [*seen.long, *itertools.chain.from_iterable(seen.short.values())]
    kinds = {**seen.short, "long tools": seen.long, "all calls": mixed}
    return [
        f"| {load} | {name} | {kind} | {len(times):,} | "
        + " | ".join(f"{percentile(times, at) * 1000:,.1f}" for at in (50, 95, 99))
        + f" | {max(times) * 1000:,.1f} |"
        for kind, times in kinds.items()
    ]


def ratio(load: str, before: Seen, after: Seen) -> list[str]:
    """Return how many times lower the 95th and 99th percentiles are."""
    lines = []
    for kind in before.short:
        p95, p99 = (
            percentile(before.short[kind], at) / percentile(after.short[kind], at)
            for at in (95, 99)
        )
        lines.append(f"| {load}, {kind} | {p95:.1f}× | {p99:.1f}× |")
    p95, p99 = (percentile(before.long, at) / percentile(after.long, at) for at in (95, 99))
    return [*lines, f"| {load}, long tools | {p95:.1f}× | {p99:.1f}× |"]


def main() -> None:
    """Measure both loads and write the tables."""
    tree = Path(sys.argv[1]).resolve()
    servers = {"after": SOURCE}
    for before in sys.argv[2:]:
        servers = {"before": Path(before).resolve(), **servers}
    load_text = (
        f"Short calls beside {LONG_CLIENTS} long ones at a time, for {DURATION_S:g} s, in ms, on a "
        f"copy of {tree.name} in which a file changes every {EDIT_S:g} s; {machine()}."
    )
    lines = [
        load_text,
        "",
        "| load | server | call | calls | p50 | p95 | p99 | max |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    ratios = []
    for load, measure in (("10 HTTP clients", over_http), ("stdio, pipelined", over_stdio)):
        found = {}
        for name, source in servers.items():
            with tempfile.TemporaryDirectory() as place:
                copy = Path(place, tree.name)
                shutil.copytree(tree, copy, symlinks=True)
                found[name] = measure(copy, source, Path(place, "cache"))
            lines += rows(load, name, found[name])
            print(*rows(load, name, found[name]), sep="\n", flush=True)
        if "before" in found:
            ratios += ratio(load, found["before"], found["after"])
    if ratios:
        lines += ["", "| before / after | p95 | p99 |", "| --- | --- | --- |", *ratios]
    write_section("Short calls behind long ones", "\n".join(lines))


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
