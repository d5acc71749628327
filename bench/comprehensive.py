"""Measure analyze_comprehensive in a running server on 200 files of a tree, cold and warm.

    python bench/comprehensive.py PATH

The server has answered once for another project, a small package of our own, so that it is up; then
that is removed and the files are moved in. Beside it stand the figures that the document behind the
tool names, and the tools that one would otherwise run one after the other.
"""

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchpin import core
from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
from protocol import Server
from results import help_if_asked, machine, write_section
from source import BENCHPIN, LIZARD, SETTLED_S

SMALL = Path(core.__file__).parent
FILES = 200
ROUNDS = 5
WARM = 20
NAMED_MS = {"duplicates": 84, "dead code": 7, "defects": 45, "complexity": 36, "all": 143}
"""What the document says of its own."""
RIVALS = {
    "lizard": (*LIZARD, "."),
    "vulture": (sys.executable, "-m", "vulture", "."),
    "jscpd": ("jscpd", "--min-tokens", "50", "--min-lines", "5", "--reporters", "silent", "."),
}


def choose(tree: Path, cache: Path) -> list[Path]:
    """Return files of a tree with a function in each, the same ones each time."""
    index = SourceIndex(tree, cache)
    found = index.read(SourceQuery(), Job()).files
    index.close()
    paths = [file.path for file in found if file.outline.functions]
    dice = random.Random(1)  # noqa: S311 - not a secret
    return [Path(it) for it in sorted(dice.sample(paths, min(FILES, len(paths))))]


def copy(files: list[Path], tree: Path, place: Path) -> int:
    """Copy files and return how many lines they have."""
    lines = 0
    for file in files:
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tree / file, place / file)
        lines += (place / file).read_bytes().count(b"\n")
    return lines


def ask(server: Server) -> tuple[float, dict[str, float]]:
    """Return how long an answer took, and its parts."""
    params = {"name": "analyze_comprehensive", "arguments": {"perf": True}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    started = time.perf_counter()
    answer = json.loads(server.ask(json.dumps(request).encode() + b"\n"))
    seconds = time.perf_counter() - started
    result = answer["result"]["structuredContent"]
    return seconds, {it["name"]: it["seconds"] for it in result["performance"]}


def serve(files: Path, work: Path) -> tuple[float, float, dict[str, float]]:
    """Return how long the first answer takes and one after it, and the parts of the first."""
    root = work / "workspace"
    shutil.copytree(SMALL, root / SMALL.name)
    shutil.copytree(files, work / "project")
    os.environ["BENCHPIN_CACHE_DIR"] = str(work / "cache")
    server = Server([*BENCHPIN, "serve", "--root", str(root)])
    ask(server)
    shutil.rmtree(root / SMALL.name)
    for place in (work / "project").iterdir():
        place.rename(root / place.name)
    cold, parts = ask(server)
    time.sleep(SETTLED_S)
    ask(server)
    warm = [ask(server)[0] for _ in range(WARM)]
    server.close()
    return cold, statistics.median(warm), parts


def rivals(files: Path) -> dict[str, float]:
    """Return how long the tools take that can be had here."""
    found = {}
    for name, command in RIVALS.items():
        if shutil.which(command[0]) is None:
            continue
        started = time.perf_counter()
        subprocess.run(command, cwd=files, capture_output=True, check=False)
        found[name] = time.perf_counter() - started
    return found


def main() -> None:
    """Measure the tree that was given."""
    tree = Path(*sys.argv[1:2]).resolve()
    if not sys.argv[1:] or not tree.is_dir():
        sys.exit("Which tree? For example: python bench/comprehensive.py ~/code/django")
    colds: list[float] = []
    warms: list[float] = []
    parts: dict[str, float] = {}
    others: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        chosen = choose(tree, work / "choice")
        lines = copy(chosen, tree, work / "files")
        for number in range(ROUNDS):
            cold, warm, parts = serve(work / "files", work / str(number))
            colds.append(cold)
            warms.append(warm)
            others = rivals(work / "files")
    write_section(
        f"Comprehensive, {tree.name}", report(len(chosen), lines, colds, warms, parts, others)
    )


def report(
    files: int,
    lines: int,
    colds: list[float],
    warms: list[float],
    parts: dict[str, float],
    others: dict[str, float],
) -> str:
    """Return the tables."""
    one_by_one = ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in others.items())
    told = ", ".join(f"{name} {seconds * 1000:.0f}" for name, seconds in parts.items())
    named = ", ".join(f"{name} ~{ms}" for name, ms in NAMED_MS.items())
    return "\n".join(
        [
            f"{files} files, {lines:,} lines; {ROUNDS} rounds, medians; {machine()}.",
            "",
            "| what | measured | aim |",
            "| --- | --- | --- |",
            f"| nothing known | {statistics.median(colds) * 1000:.0f} ms | ≤ 300 ms |",
            f"| again | {statistics.median(warms) * 1000:.1f} ms | ≤ 50 ms |",
            "",
            f"Parts of the first answer in the last round, in ms, parsing in the first: {told}.",
            f"The document behind the tool says of its own, for 200 files: {named} ms.",
            f"One after the other, in the same run: {one_by_one or 'none of the rivals is here'}.",
        ]
    )


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
