"""Measure the repository tools, and packing beside repomix, on one tree, in one run.

    python bench/repository.py PATH

Cold is a server that was just started with an empty cache; warm is the same call again. The files
themselves are in the memory of the system in both cases. Packing is timed as a command, ours with
an empty cache, because repomix is one. Repomix comes from npm, into a folder for temporary files.
Beside the time that passed stands the time of processors, which says more on a busy machine.
"""

import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from protocol import INITIALIZE
from results import help_if_asked, machine, write_section

REPOMIX = "repomix@1.18.1"
ROUNDS = 3
WARM_ROUNDS = 9
CLOSE = 0.02
"""How much the counts of tokens may differ."""
CALLS: dict[str, tuple[str, dict[str, object]]] = {
    "analyze_repository, quick": ("analyze_repository", {"path": ".", "depth": "quick"}),
    "analyze_repository, standard": ("analyze_repository", {"path": ".", "depth": "standard"}),
    "check_links": ("check_links", {}),
    "map_repository, 2,000 tokens": ("map_repository", {}),
    "pack_repository, XML": ("pack_repository", {"format": "xml"}),
}


@dataclass(frozen=True, order=True)
class Taken:
    """How long something took, and how long processors were busy with it."""

    passed_s: float
    busy_s: float

    def __str__(self) -> str:
        """Return both in milliseconds."""
        return f"{self.passed_s * 1000:.0f} ({self.busy_s * 1000:.0f})"


class Server:
    """Benchpin over pipes, with a cache of its own."""

    def __init__(self, tree: Path, cache: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchpin", "serve", "--root", str(tree)],
            env={**os.environ, "XDG_CACHE_HOME": str(cache)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.ask(INITIALIZE)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: dict[str, object]) -> None:
        """Send a message."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, message: dict[str, object]) -> dict[str, object]:
        """Send a request and take its answer; what is told meanwhile is passed over."""
        self.send(message)
        assert self.process.stdout is not None
        while True:
            answer: dict[str, object] = json.loads(self.process.stdout.readline())
            if answer.get("id") == message["id"]:
                return answer

    def timed(self, tool: str, arguments: dict[str, object]) -> Taken:
        """Call a tool and return how long it took."""
        params = {"name": tool, "arguments": arguments}
        request = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
        busy, started = self.busy_s(), time.perf_counter()
        answer = self.ask(request)
        taken = Taken(time.perf_counter() - started, self.busy_s() - busy)
        result = answer["result"]
        assert isinstance(result, dict), answer
        assert not result.get("isError"), answer
        assert "partial" not in result["structuredContent"], answer
        return taken

    def busy_s(self) -> float:
        """Return the time of processors that it had, its workers included."""
        server = psutil.Process(self.process.pid)
        times = [it.cpu_times() for it in (server, *server.children(recursive=True))]
        return sum(it.user + it.system for it in times)

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)


@dataclass(frozen=True)
class Packed:
    """What a program packed."""

    taken: Taken
    files: frozenset[str]
    tokens: int


def measure(tree: Path, tool: str, arguments: dict[str, object]) -> tuple[Taken, Taken]:
    """Return how long a cold and a warm call take, medians of several."""
    colds, warms = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as cache:
            server = Server(tree, Path(cache))
            colds.append(server.timed(tool, arguments))
            warms += [server.timed(tool, arguments) for _ in range(WARM_ROUNDS)]
            server.close()
    return statistics.median_low(colds), statistics.median_low(warms)


def install_repomix() -> Path:
    """Install repomix, unless it is there, and return its program."""
    folder = Path(tempfile.gettempdir()) / f"benchpin-bench-{REPOMIX}"
    program = folder / "node_modules" / "repomix" / "bin" / "repomix.cjs"
    if not program.exists():
        npm = shutil.which("npm")
        assert npm is not None, "npm is not installed: repomix comes from there"
        command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", REPOMIX]
        folder.mkdir(exist_ok=True)
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    return program


def timed_command(command: list[str], folder: Path, environ: dict[str, str]) -> tuple[str, Taken]:
    """Run a command and return what it printed and how long it took."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, check=True
    )
    passed_s = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, Taken(passed_s, busy_s)


def pack_theirs(tree: Path, program: Path) -> Packed:
    """Pack with repomix as it comes."""
    node = shutil.which("node") or "node"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "packed.xml"
        command = [node, str(program), "--style", "xml", "--output", str(place), "."]
        done, taken = timed_command(command, tree, dict(os.environ))
        text = place.read_text(encoding="utf-8")
    tokens = re.search(r"Total Tokens:\s*([\d,]+)", done)
    assert tokens is not None, done
    files = frozenset(re.findall(r'^<file path="([^"]+)">$', text, re.MULTILINE))
    return Packed(taken, files, int(tokens[1].replace(",", "")))


def pack_ours(tree: Path) -> Packed:
    """Pack with Benchpin as a command, with nothing in its cache."""
    with tempfile.TemporaryDirectory() as cache:
        arguments = json.dumps({"format": "xml"})
        command = [sys.executable, "-m", "benchpin", "call", "pack_repository", "--json", arguments]
        done, taken = timed_command(command, tree, {**os.environ, "XDG_CACHE_HOME": cache})
        [place] = Path(cache).rglob("*.xml")
        text = place.read_text(encoding="utf-8")
    files = frozenset(re.findall(r'^<file path="([^"]+)" tokens=', text, re.MULTILINE))
    return Packed(taken, files, int(json.loads(done)["tokens"]))


def median_of(packs: list[Packed]) -> Packed:
    """Return the pack that took the median of the times."""
    return sorted(packs, key=lambda it: it.taken)[len(packs) // 2]


def main() -> None:
    """Measure the tree that was given."""
    tree = Path(*sys.argv[1:2]).resolve()
    if not sys.argv[1:] or not tree.is_dir():
        sys.exit("Which tree? For example: python bench/repository.py ~/code/vite")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode
    program = install_repomix()
    pairs = [(pack_theirs(tree, program), pack_ours(tree)) for _ in range(ROUNDS)]
    theirs, ours = median_of([it[0] for it in pairs]), median_of([it[1] for it in pairs])
    assert abs(ours.tokens / theirs.tokens - 1) <= CLOSE, (ours.tokens, theirs.tokens)
    rows = [(name, *measure(tree, *call)) for name, call in CALLS.items()]
    write_section(f"Repository: {tree.name}", report(rows, theirs, ours))
    for name, only in (
        ("repomix", theirs.files - ours.files),
        ("benchpin", ours.files - theirs.files),
    ):
        print(f"only {name}: {', '.join(sorted(only)) or 'none'}")


def report(rows: list[tuple[str, Taken, Taken]], theirs: Packed, ours: Packed) -> str:
    """Return the tables."""
    lines = [
        f"{len(ours.files):,} files are packed; medians of {ROUNDS}; {machine()}.",
        "",
        "Milliseconds, and in brackets those for which processors were busy.",
        "",
        "| call | cold | warm |",
        "| --- | --- | --- |",
        *(f"| {name} | {cold} | {warm} |" for name, cold, warm in rows),
        "",
        "| packing as a command | time | files | not in the other | tokens |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, one, other in ((REPOMIX, theirs, ours), ("benchpin", ours, theirs)):
        extra = len(one.files - other.files)
        lines.append(f"| {name} | {one.taken} | {len(one.files):,} | {extra} | {one.tokens:,} |")
    passed = theirs.taken.passed_s / ours.taken.passed_s
    busy = theirs.taken.busy_s / ours.taken.busy_s
    lines += ["", f"Benchpin is {passed:.1f}× as fast, with {busy:.1f}× less work for processors."]
    return "\n".join(lines)


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
