"""Kill tools that change many files at random moments: are all files old or all new afterwards?

    python bench/kills.py [KILLS=500] [SEED=1]

Each round makes a small project, forks a process that applies a change to all of its files with one
of the four tools that do so, and kills it with SIGKILL at a random moment of the time that the
change takes. Then another process starts on the project, and everything in it is compared with the
state before and the state after. Files have CRLF, a BOM, or bytes that are not UTF-8; one kill
in four is followed by a second one amid the start that settles.
"""

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchpin.app import Workbench, configure
from results import help_if_asked

FILES = 40
SECOND_KILL = 0.25
MAX_START_S = 0.03
PROJECT = {"toolchain": "go", "templates": ["ci", "license/mit", "makefile", "readme"]}
NAMES = {"project_name": "shop", "author": "A", "year": 2026}
TREE = Mapping[str, bytes]
Program = Callable[[Callable[[], object]], None]


def tree(folder: Path) -> TREE:
    """Return everything in a folder: contents, modes and numbers of links; folders are empty."""
    found = {}
    for place in sorted(folder.rglob("*")):
        name = str(place.relative_to(folder))
        status = place.lstat()
        content = b"" if place.is_dir() else place.read_bytes()
        links = 0 if place.is_dir() else status.st_nlink
        found[name] = b"%o %d " % (status.st_mode, links) + content
    return found


def sources(root: Path) -> None:
    """Write files that use one name, with odd ends of lines and encodings."""
    (root / "lib.py").write_bytes(b"def old_name(x):\n    return x\n")
    for number in range(FILES):
        head, end = (b"\xef\xbb\xbf" if number % 3 == 1 else b""), b"\r\n" if number % 2 else b"\n"
        lines = (b"from lib import old_name", b"", b"print(old_name(%d))" % number, b"")
        (root / f"use{number}.py").write_bytes(head + end.join(lines))
    (root / "latin.py").write_bytes(b"# -*- coding: latin-1 -*-\n# caf\xe9\n")


def bench_at(folder: Path) -> Workbench:
    """Start on the project of a folder."""
    return Workbench(configure(root=folder / "work", cache_dir=folder / "cache", allow="write"))


@dataclass(frozen=True)
class Case:
    """A project in the state before a change, and the change."""

    prepare: Callable[[Path], None]
    tool: str
    arguments: Mapping[str, object]


def scaffolded(folder: Path) -> None:
    """Write a project that is to be updated."""
    bench = bench_at(folder)
    bench.call("scaffold_project", **PROJECT, parameters=NAMES, target="shop", write=True)
    bench.close()


CASES = (
    Case(
        lambda it: sources(it / "work"),
        "rename_symbol",
        {"symbol": "lib.py::old_name", "new_name": "new_name"},
    ),
    Case(
        lambda it: sources(it / "work"),
        "rewrite_structure",
        {"pattern": "print($A)", "rewrite": "log($A)"},
    ),
    Case(
        scaffolded, "update_project", {"path": "shop", "parameters": {"author": "B", "year": 2027}}
    ),
    Case(
        lambda _: None,
        "scaffold_project",
        {**PROJECT, "parameters": NAMES, "target": "shop", "write": True},
    ),
)


def applied(folder: Path, case: Case, digest: str | None, ready: Callable[[], object]) -> None:
    """Apply the change; the process ends with it."""
    bench = bench_at(folder)
    arguments = dict(case.arguments)
    if digest:
        arguments["apply"] = digest
    ready()
    bench.call(case.tool, **arguments)
    os._exit(0)


def digest_of(folder: Path, case: Case) -> str | None:
    """Return the digest of the preview, and warm the caches; None where there is no preview."""
    if case.tool == "scaffold_project":
        return None
    bench = bench_at(folder)
    digest = bench.call(case.tool, **case.arguments).model_dump()["digest"]
    bench.close()
    return str(digest)


def forked(program: Program, after_s: float | None, awaited: Path | None = None) -> float:
    """Run a program in another process and return how long it ran from when it was ready.

    It is killed so long after it is ready, or after the `awaited` folder has something in it.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            program(lambda: bool(os.write(writing, b"x")))
        finally:
            os._exit(1)
    os.close(writing)
    os.read(reading, 1)
    started = time.monotonic()
    status = None
    while awaited and status is None and not (awaited.is_dir() and any(awaited.iterdir())):
        ended, code = os.waitpid(child, os.WNOHANG)
        status = code if ended else None
    began = time.monotonic() if awaited else started
    if status is None:
        if after_s is not None:
            time.sleep(after_s)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    os.close(reading)
    if after_s is None and status:
        raise RuntimeError("the change failed without a kill")
    return time.monotonic() - began


def start(folder: Path, ready: Callable[[], object]) -> None:
    """Do what the next start does."""
    ready()
    bench_at(folder).close()
    os._exit(0)


@dataclass(frozen=True)
class State:
    """A case, a copy of its project, and what is compared."""

    case: Case
    template: Path
    digest: str | None
    before: TREE
    after: TREE
    took_s: float
    wrote_s: float

    def copy_to(self, folder: Path) -> None:
        """Make the state before."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.template, folder)

    def apply(self, folder: Path, after_s: float | None, *, is_writing: bool = False) -> float:
        """Apply the change in another process, which may be killed; return how long it ran."""

        def program(ready: Callable[[], object]) -> None:
            applied(folder, self.case, self.digest, ready)

        return forked(program, after_s, folder / "cache/journal" if is_writing else None)


def state_of(case: Case, folder: Path, template: Path) -> State:
    """Make a project and its change once, without a kill."""
    (template / "work").mkdir(parents=True)
    case.prepare(template)
    digest = digest_of(template, case)  # warms the caches, too
    state = State(case, template, digest, tree(template / "work"), {}, 0.0, 0.0)
    state.copy_to(folder)
    took_s = state.apply(folder, None)
    after = tree(folder / "work")
    state.copy_to(folder)
    wrote_s = state.apply(folder, None, is_writing=True)
    return replace(state, after=after, took_s=took_s, wrote_s=wrote_s)


def restart(folder: Path, after_s: float | None) -> None:
    """Start on the project, perhaps with a kill."""
    forked(lambda ready: start(folder, ready), after_s)


def main(kills: int, seed: int) -> int:
    """Kill, start, compare and print what was found; return 1 if a project was half."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    counts: Counter[str] = Counter()
    broken = 0
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "it")
        states = [state_of(it, folder, Path(home, it.tool)) for it in CASES]
        for number in range(kills):
            state = states[number % len(states)]
            state.copy_to(folder)
            # Planning takes most of the time, so every other kill comes while files are written.
            is_writing = number // len(states) % 2 == 1
            longest = state.wrote_s if is_writing else state.took_s
            state.apply(folder, draw.uniform(0.0, 1.1 * longest), is_writing=is_writing)
            at_kill = tree(folder / "work")
            if draw.random() < SECOND_KILL:
                restart(folder, draw.uniform(0.0, MAX_START_S))
            restart(folder, None)
            now = tree(folder / "work")
            left = [it.name for it in (folder / "cache").glob("journal/*")]
            was = {str(state.before): "old", str(state.after): "new"}.get(str(at_kill), "half")
            name = state.case.tool
            if left or now not in (state.before, state.after):
                broken += 1
                names = {*now, *state.before}
                odd = sorted(it for it in names if now.get(it) != state.before.get(it))
                print(f"kill {number}, {name}: neither old nor new: {odd[:5]} {left}", flush=True)
            is_old = now == state.before
            counts[f"{name}: {was} when killed, {'old' if is_old else 'new'} after the start"] += 1
    for what, count in sorted(counts.items()):
        print(f"{count:5} {what}")
    print(f"{kills} kills, {broken} projects half")
    return 1 if broken else 0


if __name__ == "__main__":
    help_if_asked(__doc__)
    sys.exit(main(int((sys.argv[1:2] or ["500"])[0]), int((sys.argv[2:3] or ["1"])[0])))
