"""What a newcomer waits for: the first commands on real clones, beside git and lizard, in one run.

    python bench/first_minute.py [--rounds N] [--keep] [--without WHAT...] TREE:NAME...

Each tree is a clone with its history, and NAME a function in it. Rivals and commands run in turn,
each round with empty caches. What counts is processor time of all processes, which depends least on
what else the machine does; a ratio is that of one round, and the median of rounds is shown. The
period of `git log --numstat` is the one of `analyze code-churn`: two years to the newest commit.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

import psutil

from process_runs import measured
from protocol import INITIALIZE
from results import machine, write_section

BENCHPIN = str(Path(sys.executable).with_name("benchpin"))
LIZARD = (sys.executable, "-m", "lizard", "-i", "-1", ".")
YEARS = 2
LIMIT_S = 300
# A server that took less processor time than this in a second has nothing left to prepare.
IDLE_S = 0.02
QUIET_S = 4
READY_LIMIT_S = 120


@dataclass(frozen=True)
class Taken:
    """What one command took."""

    cpu_s: float
    wall_s: float


@dataclass
class Tree:
    """A clone, the name that is asked for, and what each command took in each round."""

    path: Path
    name: str
    rounds: list[dict[str, Taken]] = field(default_factory=list)

    @property
    def files(self) -> int:
        """How many files are under version control."""
        return len(run(self.path, "git", "ls-files").splitlines())

    @property
    def commits(self) -> int:
        """How many commits there are."""
        return int(run(self.path, "git", "rev-list", "--count", "HEAD"))

    @property
    def since(self) -> str:
        """When the period begins."""
        newest = int(run(self.path, "git", "log", "-1", "--format=%ct"))
        return (datetime.fromtimestamp(newest, UTC) - timedelta(days=365 * YEARS)).isoformat()


def run(folder: Path, *command: str) -> str:
    """Return what a command says."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def commands(tree: Tree) -> Mapping[str, tuple[str, ...]]:
    """Return rivals and commands; those of one cache follow one another."""
    log = ("git", "log", "--numstat", "--format=%H", f"--since={tree.since}")
    find = (BENCHPIN, "find", "references", tree.name)
    return {
        "git log": log,
        "git grep": ("git", "grep", "-n", tree.name),
        "lizard": LIZARD,
        "analyze": (BENCHPIN, "analyze", "."),
        "analyze again": (BENCHPIN, "analyze", "."),
        "complexity": (BENCHPIN, "analyze", "complexity"),
        "churn": (BENCHPIN, "analyze", "code-churn", "--period-days", str(365 * YEARS)),
        "find": find,
        "find again": find,
    }


# The cache of each command; without one, a command starts with an empty one.
SHARED = {"analyze again": "analyze", "find again": "find"}
# What each is compared with.
RIVALS = {
    "analyze": "lizard",
    "analyze again": "lizard",
    "complexity": "lizard",
    "churn": "git log",
    "find": "git grep",
    "find again": "git grep",
    "server, at once": "git grep",
    "server, made ready": "git grep",
    "server, again": "git grep",
}
TITLES = {
    "git log": "`git log --numstat` of two years",
    "git grep": "`git grep NAME`",
    "lizard": "`lizard`",
    "analyze": "`analyze .`, nothing known",
    "analyze again": "`analyze .`, again in a new process",
    "complexity": "`analyze complexity`, nothing known",
    "churn": "`analyze code-churn` of two years, nothing known",
    "find": "`find references NAME`, nothing known",
    "find again": "`find references NAME`, again in a new process",
    "server, at once": "a new server, asked at once, nothing known",
    "server, made ready": "the same, asked when it has made ready",
    "server, again": "the same, asked again",
}


def measure(tree: Tree, without: Sequence[str]) -> None:
    """Run everything once."""
    taken: dict[str, Taken] = {}
    with tempfile.TemporaryDirectory(prefix="first-") as caches:
        for name, command in commands(tree).items():
            if name in without:
                continue
            cache = str(Path(caches, SHARED.get(name, name)))
            done = measured(command, tree.path, LIMIT_S, {"XDG_CACHE_HOME": cache})
            if not done.is_done:
                sys.exit(f"{' '.join(command)} failed in {tree.path.name}")
            taken[name] = Taken(done.cpu_s, done.wall_s)
            print(
                f"{tree.path.name:<12} {name:<20} {done.cpu_s:.2f} s, {done.wall_s:.2f} s",
                flush=True,
            )
        for name, one in () if "server" in without else serve(tree, caches):
            taken[name] = one
            print(
                f"{tree.path.name:<12} {name:<20} {one.cpu_s:.2f} s, {one.wall_s:.2f} s", flush=True
            )
    tree.rounds.append(taken)


def serve(tree: Tree, caches: str) -> Iterator[tuple[str, Taken]]:
    """Ask new servers, one at once and one when it has made ready what it keeps."""
    with Asked(tree, str(Path(caches, "at once"))) as server:
        yield "server, at once", server.ask()
    with Asked(tree, str(Path(caches, "ready"))) as server:
        server.wait()
        yield "server, made ready", server.ask()
        yield "server, again", server.ask()


class Asked:
    """A server over pipes."""

    def __init__(self, tree: Tree, cache: str) -> None:
        self._tree = tree
        self._process = subprocess.Popen(
            (BENCHPIN, "serve", "--root", str(tree.path)),
            env={**os.environ, "XDG_CACHE_HOME": cache},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._send(INITIALIZE)
        self._receive(0)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, *_error: object) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)

    def ask(self) -> Taken:
        """Ask for the references of the name."""
        params = {"name": "find_references", "arguments": {"symbol": self._tree.name}}
        busy, start = self._busy_s(), time.perf_counter()
        self._send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        answer = self._receive(1)
        assert not answer["result"].get("isError"), answer  # type: ignore[attr-defined]
        return Taken(self._busy_s() - busy, time.perf_counter() - start)

    def wait(self) -> None:
        """Wait until it has nothing left to do."""
        end = time.monotonic() + READY_LIMIT_S
        quiet_s, busy = 0, 0.0
        # On a busy machine, what runs at idle priority may pause for a while.
        while quiet_s < QUIET_S and time.monotonic() < end:
            busy, before = self._busy_s(), busy
            quiet_s = 0 if busy - before > IDLE_S else quiet_s + 1
            time.sleep(1)

    def _busy_s(self) -> float:
        server = psutil.Process(self._process.pid)
        running = [it.cpu_times() for it in server.children(recursive=True)]
        return sum(server.cpu_times()[:4]) + sum(it.user + it.system for it in running)

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _receive(self, number: int) -> dict[str, object]:
        assert self._process.stdout is not None
        while True:
            answer: dict[str, object] = json.loads(self._process.stdout.readline())
            if answer.get("id") == number:
                return answer


def cell(tree: Tree, name: str) -> str:
    """Return the medians of one command, and how it compares."""
    if name not in tree.rounds[0]:
        return ""
    cpu = statistics.median(it[name].cpu_s for it in tree.rounds)
    wall = statistics.median(it[name].wall_s for it in tree.rounds)
    text = f"{cpu:.2f} ({wall:.2f})"
    rival = RIVALS.get(name)
    if rival is None or rival not in tree.rounds[0]:
        return text
    ratio = statistics.median(it[name].cpu_s / it[rival].cpu_s for it in tree.rounds)
    return f"{text}, {ratio:.2f} × {rival}"


def report(trees: list[Tree]) -> str:
    """Return the table."""
    heads = (f"{it.path.name}, {it.files:,} files, {it.commits:,} commits" for it in trees)
    lines = [
        f"Processor seconds of all processes (seconds by the clock); {machine()}.",
        "",
        f"| what | {' | '.join(heads)} |",
        "| --- |" + " ---: |" * len(trees),
    ]
    lines += [
        f"| {title} | {' | '.join(cell(it, name) for it in trees)} |"
        for name, title in TITLES.items()
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trees", nargs="+", metavar="TREE:NAME")
    parser.add_argument("--rounds", type=int, default=3)
    choices = [*dict.fromkeys(it.partition(",")[0] for it in TITLES)]
    parser.add_argument("--without", nargs="*", choices=choices, default=[], metavar="WHAT")
    parser.add_argument("--keep", action="store_true", help="leave results.md as it is")
    given = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users have bytecode
    trees = [
        Tree(Path(path).resolve(), name)
        for path, _, name in (it.rpartition(":") for it in given.trees)
    ]
    for _ in range(given.rounds):
        for tree in trees:
            measure(tree, given.without)
    if given.keep:
        print(report(trees))
    else:
        write_section("The first minute", report(trees))


if __name__ == "__main__":
    main()
