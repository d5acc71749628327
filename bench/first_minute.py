"""What a newcomer waits for: the first commands on real clones, beside git and lizard, in one run.

    python bench/first_minute.py [--rounds N] [--keep] [--without WHAT...] TREE[:NAME]...

Each tree is a clone with its history, which is refused without one, and NAME a function in it, by
default the one that is hardest to follow. Rivals and commands run in turn, each round with empty
caches; a rival that is not installed is left out. What counts is processor time of all processes,
which depends least on what else the machine does; a ratio is that of one round, and the median of
rounds is shown. The period of `git log --numstat` is the one of `analyze code-churn`: two years to
the newest commit. Servers answer a trivial tool over stdio, and `read_file` on 16 connections over
HTTP: there, what counts is the processor time of the server for a call.
"""

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Self

import psutil

import protocol
import transports
from ports import free_port
from process_runs import measured
from protocol import INITIALIZE
from results import machine, write_section

BENCHPIN = str(Path(sys.executable).with_name("benchpin"))
JSCPD_QUIET = ("--reporters", "silent", "--silent")
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
    days = (datetime.now(UTC) - datetime.fromisoformat(tree.since)).total_seconds() / 86_400
    complexity = (BENCHPIN, "analyze", "complexity")
    has_python = run(tree.path, "git", "ls-files", "*.py") != ""
    python = {
        "complexipy": ("complexipy", ".", "--quiet"),
        "python": (*complexity, "--include-patterns", "**/*.py"),
    }
    return {
        "git log": log,
        "git grep": ("git", "grep", "-n", tree.name),
        "ripgrep": ("rg", "-n", tree.name, "."),
        "lizard": LIZARD,
        "jscpd": ("jscpd", "--min-tokens", "50", "--min-lines", "5", *JSCPD_QUIET, "."),
        "analyze": (BENCHPIN, "analyze", "."),
        "analyze again": (BENCHPIN, "analyze", "."),
        "complexity": complexity,
        **(python if has_python else {}),
        "duplicates": (BENCHPIN, "analyze", "duplicates", "--detection-type", "exact"),
        "text": (BENCHPIN, "find", "text", tree.name),
        "churn": (BENCHPIN, "analyze", "code-churn", "--period-days", f"{days:.3f}"),
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
    "python": "complexipy",
    "duplicates": "jscpd",
    "text": "ripgrep",
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
    "ripgrep": "`rg NAME`",
    "lizard": "`lizard`",
    "complexipy": "`complexipy`",
    "jscpd": "`jscpd`",
    "analyze": "`analyze .`, nothing known",
    "analyze again": "`analyze .`, again in a new process",
    "complexity": "`analyze complexity`, nothing known",
    "python": "`analyze complexity` of Python, nothing known",
    "duplicates": "`analyze duplicates`, exact ones, nothing known",
    "text": "`find text NAME`",
    "churn": "`analyze code-churn` of two years, nothing known",
    "find": "`find references NAME`, nothing known",
    "find again": "`find references NAME`, again in a new process",
    "server, at once": "a new server, asked at once, nothing known",
    "server, made ready": "the same, asked when it has made ready",
    "server, again": "the same, asked again",
}
# What servers take for a call, which does not depend on the tree.
SERVERS = ("benchpin", "stock SDK", "FastMCP")
CONNECTIONS = 16


def measure(tree: Tree, without: Sequence[str]) -> None:
    """Run everything once."""
    taken: dict[str, Taken] = {}
    with tempfile.TemporaryDirectory(prefix="first-") as caches:
        for name, command in commands(tree).items():
            if name in without or not shutil.which(command[0]):
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


def serve_calls(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield the processor time of each server for a call, in microseconds."""
    for name in SERVERS:
        script = protocol.HERE / "servers" / protocol.SERVERS[name]
        if name == "FastMCP" and not has_fastmcp():
            continue
        server = protocol.Server([sys.executable, str(script)])
        process = psutil.Process(server.process.pid)
        before = sum(process.cpu_times()[:2])
        protocol.measure_pipelined(server, protocol.Measured())
        yield f"{name}, stdio", (sum(process.cpu_times()[:2]) - before) / protocol.PIPELINED * 1e6
        server.close()
    (folder / transports.FILE).write_text("x = 1\n" * 60, "utf-8")
    port = str(free_port())
    commands = {"benchpin": transports.benchpin("--transport", "http", "--port", port)}
    if has_fastmcp():
        program = str(protocol.HERE / "servers" / "fastmcp_http.py")
        commands["FastMCP"] = [sys.executable, program, port]
    for name, command in commands.items():
        with transports.serving(command, folder, int(port)) as target:
            load = transports.Load()
            asyncio.run(transports.drive(transports.Http, target, CONNECTIONS, load))
            yield f"{name}, HTTP", load.cpu_us[0]


def has_fastmcp() -> bool:
    """Whether FastMCP is installed beside Benchpin."""
    return find_spec("fastmcp") is not None


def calls_table(rounds: Sequence[Mapping[str, float]]) -> list[str]:
    """Return the table of what servers take for a call."""
    lines = ["", "| processor time of a call | µs | beside Benchpin |", "| --- | ---: | ---: |"]
    for name in rounds[0]:
        ours = f"benchpin, {name.rpartition(', ')[2]}"
        taken = statistics.median(it[name] for it in rounds)
        ratio = statistics.median(it[name] / it[ours] for it in rounds)
        lines.append(f"| {name} | {taken:,.0f} | {ratio:.2f} |")
    return lines


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


def tree_of(argument: str) -> Tree:
    """Return a tree; without a name, that of the function that is hardest to follow."""
    path, _, name = argument.rpartition(":")
    folder = Path(path or name).resolve()
    if not (folder / ".git").exists():
        sys.exit(f"{folder} is no clone: history is a part of what is measured")
    if not path:
        found = json.loads(run(folder, BENCHPIN, "--json", "analyze", "complexity"))
        if not found["violations"]:
            sys.exit(f"Which function? For example: {folder}:main")
        name = found["violations"][0]["function"].rpartition(".")[2]
    tree = Tree(folder, name)
    if tree.commits == 1:
        sys.exit(f"{folder} has one commit: history is a part of what is measured")
    return tree


def report(trees: list[Tree], calls: Sequence[Mapping[str, float]]) -> str:
    """Return the tables."""
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
        if any(name in it.rounds[0] for it in trees)
    ]
    lines += calls_table(calls) if calls else []
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trees", nargs="+", metavar="TREE[:NAME]")
    parser.add_argument("--rounds", type=int, default=3)
    choices = [*dict.fromkeys(it.partition(",")[0] for it in TITLES), "calls"]
    parser.add_argument("--without", nargs="*", choices=choices, default=[], metavar="WHAT")
    parser.add_argument("--keep", action="store_true", help="leave results.md as it is")
    given = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users have bytecode
    # Programs that are installed beside this one, such as complexipy.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    trees = list(map(tree_of, given.trees))
    calls = []
    for _ in range(given.rounds):
        for tree in trees:
            measure(tree, given.without)
        if "calls" not in given.without:
            with tempfile.TemporaryDirectory(prefix="calls-") as folder:
                calls.append(dict(serve_calls(Path(folder))))
    if given.keep:
        print(report(trees, calls))
    else:
        write_section("The first minute", report(trees, calls))


if __name__ == "__main__":
    main()
