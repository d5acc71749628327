"""Measure the source engine beside lizard on one tree: cold, warm, from a server; and its memory.

    python bench/source.py PATH

Engines are timed inside fresh processes, from the first look at the tree to the last file, without
the imports of either; whole commands are timed from outside. Both measure every file of the tree
that they know. Lizard counts paths, tokens and lines of functions; Benchpin makes all its facts,
with the machine code that `make setup` makes of its walk, and once without.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from benchpin.facts.parsing import _walker as walker
from protocol import Server
from results import help_if_asked, machine, write_section

ROUNDS = 5
SERVED = 20
SETTLED_S = 2.5
"""Files that were written this short a time ago are looked at again; wait until they are old."""
POLL_S = 0.02
LIZARD = (sys.executable, "-m", "lizard", "-i", "-1")
BENCHPIN = (sys.executable, "-m", "benchpin")
ANALYZE = (*BENCHPIN, "analyze", "complexity")
LIZARD_ENGINE = """
import sys, time, lizard
started = time.perf_counter()
found = sum(len(file.function_list) for file in lizard.analyze(["."], threads=int(sys.argv[1])))
print(time.perf_counter() - started, found)
"""
BENCHPIN_ENGINE = """
import sys, time
from pathlib import Path
from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
from benchpin.workspace.walking import WalkOptions
started = time.perf_counter()
query = SourceQuery(options=WalkOptions(include_vendored=True))
index = SourceIndex(Path.cwd(), Path(sys.argv[1]))
found = sum(len(file.outline.functions) for file in index.read(query, Job()).files)
index.close()
print(time.perf_counter() - started, found)
"""


@dataclass
class Measured:
    """Seconds of each way, a round each, and what the processes held at most."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    peak_mb: float = 0.0

    def median(self, way: str) -> float:
        """Return the median of a way."""
        return statistics.median(self.seconds[way])

    def add(self, way: str, seconds: float) -> None:
        """Note one run."""
        self.seconds.setdefault(way, []).append(seconds)


def timed(command: tuple[str, ...], tree: Path, **variables: str) -> float:
    """Run a program on a tree and return how long it took."""
    started = time.perf_counter()
    subprocess.run(
        command,
        cwd=tree,
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started


def timed_inside(script: str, argument: str, tree: Path, **variables: str) -> float:
    """Run a script on a tree and return the time that it took by its own account."""
    command = (sys.executable, "-c", script, argument)
    environment = {**os.environ, **variables}
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=True
    )
    seconds, found = done.stdout.split()
    assert int(found) > 0, "no functions were found"
    return float(seconds)


def timed_interpreted(cache: str, tree: Path) -> float:
    """Return how long it takes without machine code."""
    return timed_inside(BENCHPIN_ENGINE, cache, tree, INTERPRET_BENCHPIN="1")


def peak_of(command: tuple[str, ...], tree: Path, **variables: str) -> float:
    """Return the most memory in MB that a program and its children held, shared pages once."""
    process = psutil.Popen(
        command, cwd=tree, env={**os.environ, **variables}, stdout=subprocess.DEVNULL
    )
    peak = 0
    while process.poll() is None:
        peak = max(peak, held_by(process))
        time.sleep(POLL_S)
    return peak / 1e6


def held_by(process: psutil.Process) -> int:
    """Return what a process and its children hold now."""
    try:
        members = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    total = 0
    for member in members:
        with suppress(psutil.Error):  # one that just ended holds nothing
            total += member.memory_full_info().pss
    return total


def serve(tree: Path, cache: str) -> list[float]:
    """Return how long a running server takes for each call after the first."""
    os.environ["BENCHPIN_CACHE_DIR"] = cache
    server = Server([*BENCHPIN, "serve", "--root", str(tree)])
    arguments = {"project_path": "."}
    seconds = []
    for number in range(SERVED + 1):
        request = {
            "jsonrpc": "2.0",
            "id": number + 1,
            "method": "tools/call",
            "params": {"name": "analyze_complexity", "arguments": arguments},
        }
        started = time.perf_counter()
        answer = server.ask(json.dumps(request).encode() + b"\n")
        seconds.append(time.perf_counter() - started)
        assert not json.loads(answer)["result"].get("isError"), answer
    server.close()
    return seconds[1:]


def measure(tree: Path) -> Measured:
    """Run everything in turn."""
    found = Measured()
    with tempfile.TemporaryDirectory() as folder:
        time.sleep(SETTLED_S)
        for number in range(ROUNDS):
            cache = str(Path(folder, str(number)))
            found.add("lizard", timed_inside(LIZARD_ENGINE, "1", tree))
            found.add("cold", timed_inside(BENCHPIN_ENGINE, cache, tree))
            found.add("lizard -t2", timed_inside(LIZARD_ENGINE, "2", tree))
            found.add("warm", timed_inside(BENCHPIN_ENGINE, cache, tree))
            found.add("interpreted", timed_interpreted(f"{cache}-interpreted", tree))
            command_cache = f"{cache}-command"
            found.add("lizard command", timed((*LIZARD, "."), tree))
            found.add("cold command", timed(ANALYZE, tree, BENCHPIN_CACHE_DIR=command_cache))
            found.add("warm command", timed(ANALYZE, tree, BENCHPIN_CACHE_DIR=command_cache))
        found.seconds["server"] = serve(tree, str(Path(folder, "0-command")))
        found.peak_mb = peak_of(ANALYZE, tree, BENCHPIN_CACHE_DIR=str(Path(folder, "peak")))
    return found


def report(tree: Path, found: Measured) -> str:
    """Return the tables."""
    names = {
        "lizard": "lizard",
        "lizard -t2": "lizard, 2 processes",
        "cold": "benchpin, nothing known",
        "warm": "benchpin, from the cache on disk",
        "interpreted": "benchpin without machine code, nothing known",
        "lizard command": "`lizard`",
        "cold command": "`benchpin analyze complexity`, nothing known",
        "warm command": "`benchpin analyze complexity`, from the cache on disk",
        "server": "benchpin, from a running server",
    }
    cold = found.median("cold")
    interpreted = found.median("interpreted")
    ratios = [
        ("cold, to lizard", found.median("lizard") / cold, "≥ 4×", "×"),
        ("cold, to lizard -t2", found.median("lizard -t2") / cold, "≥ 2.5×", "×"),
        ("interpreted, to lizard", found.median("lizard") / interpreted, "–", "×"),
        ("interpreted, to lizard -t2", found.median("lizard -t2") / interpreted, "–", "×"),
        ("cold, to warm", cold / found.median("warm"), "≥ 20×", "×"),
        (
            "whole command, cold, to lizard",
            found.median("lizard command") / found.median("cold command"),
            "–",
            "×",
        ),
        ("from a server", found.median("server") * 1000, "≤ 50 ms", " ms"),
        ("peak memory of all processes", found.peak_mb, "≤ 300 MB", " MB"),
    ]
    walk = "interpreted" if walker.__file__.endswith(".py") else "machine code"
    title = f"{tree.name}; walk: {walk}; {ROUNDS} rounds in turn, medians; {machine()}."
    return "\n".join(
        [
            title,
            "",
            "| way | seconds | best |",
            "| --- | --- | --- |",
            *(
                f"| {names[way]} | {found.median(way):.3f} | {min(seconds):.3f} |"
                for way, seconds in found.seconds.items()
            ),
            "",
            "| what | measured | aim |",
            "| --- | --- | --- |",
            *(f"| {what} | {value:.2f}{unit} | {aim} |" for what, value, aim, unit in ratios),
        ]
    )


def main() -> None:
    """Measure the tree that was given."""
    tree = Path(*sys.argv[1:2]).resolve()
    if not sys.argv[1:] or not tree.is_dir():
        sys.exit("Which tree? For example: python bench/source.py ~/code/django")
    write_section("Source engine", report(tree, measure(tree)))


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
