"""How time and memory grow with the number of files, beside jscpd, lizard, complexipy and git log.

    python bench/scale.py --sizes 1000 3000 10000 --rival jscpd=/path/to/jscpd TREE...

For each size a workspace is made from the trees side by side, and from copies of them with other
identifiers where they do not suffice. Each measure runs as a command of its own: with an empty
cache, again in a second process, after one edit, and after ten commits. What counts is processor
time, of all processes together: it does not depend on what else the machine does. The slope is that
of the logarithms of time and files: 1 means in proportion.
"""

import argparse
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from results import machine, write_section
from scale_plot import Line, chart

ENDINGS = frozenset((".py", ".js", ".ts", ".go", ".java", ".rb", ".php", ".rs", ".c", ".kt"))
MOST_BYTES = 100_000
MEASURES: Mapping[str, tuple[str, ...]] = {
    "complexity": ("analyze", "complexity"),
    "duplicates": ("analyze", "duplicates"),
    "exact duplicates": ("analyze", "duplicates", "--detection-type", "exact"),
    "graph": ("analyze", "graph-metrics"),
    "unused code": ("analyze", "dead-code"),
    "churn": ("analyze", "code-churn"),
    "everything": ("analyze", "."),
}
RIVALS: Mapping[str, tuple[str, ...]] = {
    "jscpd": ("--min-tokens", "50", "--min-lines", "5", "--reporters", "silent", "--silent", "."),
    "lizard": (".",),
    "complexipy": (".", "--quiet"),
    "git log": (),
}
STAGES = ("first", "second process", "after one edit", "after ten commits")
LIMIT_S = 900
TEN = 10
DOCS = Path(__file__).parent.parent / "docs"
_WORD = re.compile(rb"\b[a-z][a-z0-9_]{5,}\b")
_KEPT = frozenset(
    b"return import export function continue default private public static package interface "
    b"extends implements require include namespace finally struct switch typeof instanceof await "
    b"delete module global nonlocal lambda assert raise except elsif unless foreach protected "
    b"abstract boolean double string throws synchronized companion override object readonly "
    b"declare unsafe extern typedef sizeof unsigned signed volatile register".split()
)


@dataclass(frozen=True)
class Run:
    """What a command took."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    is_done: bool = True


def source_files(trees: Sequence[Path]) -> list[tuple[str, Path]]:
    """Return the source files of trees, with the paths that they get."""
    return [
        (f"{tree.name}/{path.relative_to(tree)}", path)
        for tree in trees
        for path in sorted(tree.rglob("*"))
        if path.suffix in ENDINGS
        and ".git" not in path.parts
        and path.is_file()
        and not path.is_symlink()
        and path.stat().st_size <= MOST_BYTES
    ]


def renamed(text: bytes, number: int, kept: frozenset[bytes]) -> bytes:
    """Return code with other identifiers, the same for the same name and number."""

    def rename(match: re.Match[bytes]) -> bytes:
        word = match[0]
        return word if word in kept else b"%s_%d" % (word, number)

    return _WORD.sub(rename, text)


def build(folder: Path, files: Sequence[tuple[str, Path]], size: int) -> None:
    """Make a workspace of so many files, under version control."""
    # What files and folders are called stays, so that imports lead to them in copies too.
    parts = {part for path, _ in files for part in re.split(r"[/.]", path)}
    kept = _KEPT | {it.encode() for it in parts}

    def wanted() -> Iterator[tuple[str, bytes]]:
        yield from ((path, place.read_bytes()) for path, place in files)
        for number in count(1):
            for path, place in files:
                yield f"copy{number}/{path}", renamed(place.read_bytes(), number, kept)

    for path, text in islice(wanted(), size):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text)
    git(folder, "init", "-q")
    commit(folder, "All files")


def git(folder: Path, *arguments: str) -> None:
    """Run git, with an author of its own."""
    subprocess.run(
        ("git", "-c", "user.name=scale", "-c", "user.email=scale@example.org", *arguments),  # noqa: S607
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def commit(folder: Path, message: str) -> None:
    """Commit everything."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


def edit(folder: Path, number: int) -> None:
    """Add a function to a file in the middle of the list."""
    paths = sorted(folder.rglob("*.py"))
    path = paths[(len(paths) // 2 + number) % len(paths)]
    added = f"\n\ndef added_{number}(value):\n    return value + {number}\n"
    path.write_bytes(path.read_bytes() + added.encode())


def measured(command: Sequence[str], folder: Path, cache: Path) -> Run:
    """Run a command, and return its processor time and the memory of its largest process."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        wall_s = time.perf_counter() - start
        if pid:
            code = os.waitstatus_to_exitcode(status)
            cpu_s = usage.ru_utime + usage.ru_stime
            return Run(cpu_s, wall_s, usage.ru_maxrss / 1024, is_done=code in {0, 1})
        if wall_s > LIMIT_S:
            process.kill()
            os.wait4(process.pid, 0)
            return Run(wall_s, wall_s, 0, is_done=False)
        time.sleep(0.02)


def benchpin(measure: str) -> tuple[str, ...]:
    """Return the command of a measure."""
    return (str(Path(sys.executable).with_name("benchpin")), *MEASURES[measure])


def rival_command(name: str, programs: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the command of a rival; None if it is not here."""
    if name == "git log":
        return ("git", "log", "--numstat", "--format=%H")
    program = programs.get(name) or shutil.which(name)
    return None if program is None else (program, *RIVALS[name])


Results = dict[tuple[str, str], dict[int, Run]]
"""By measure and stage, then by size."""


def measure_size(
    files: Sequence[tuple[str, Path]],
    size: int,
    wanted: Sequence[str],
    programs: Mapping[str, str],
    results: Results,
) -> None:
    """Run everything on a workspace of one size."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="scale-")))
        work = place / "work"
        work.mkdir()
        build(work, files, size)

        def note(name: str, stage: str, run: Run) -> None:
            results.setdefault((name, stage), {})[size] = run
            print(f"{size:>7,} {name:<17} {stage:<18} {row(run)}", flush=True)

        for name in RIVALS:
            command = rival_command(name, programs)
            if command is not None:
                note(name, STAGES[0], measured(command, work, place / name))
        for name in wanted:  # each with a cache of its own: none profits from another
            for stage in STAGES[:2]:
                note(name, stage, measured(benchpin(name), work, place / name))
        edit(work, 0)
        for name in wanted:
            note(name, STAGES[2], measured(benchpin(name), work, place / name))
        for number in range(1, TEN + 1):
            edit(work, number)
            commit(work, f"Commit {number}")
        for name in wanted:
            note(name, STAGES[3], measured(benchpin(name), work, place / name))


def row(run: Run) -> str:
    """Return a run as text."""
    if not run.is_done:
        return f"not done in {run.wall_s:.0f} s"
    return f"{run.cpu_s:.1f} s, {run.peak_mb:,.0f} MB"


def slope(runs: Mapping[int, Run]) -> float | None:
    """Return the slope of the logarithms of time and files, by least squares."""
    points = [
        (math.log(size), math.log(run.cpu_s))
        for size, run in runs.items()
        if run.is_done and run.cpu_s > 0
    ]
    if len(points) < 2:  # noqa: PLR2004 - a line
        return None
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    across = sum((x - middle_x) ** 2 for x, _ in points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / across


def table(results: Results) -> str:
    """Return all results as Markdown."""
    sizes = sorted({size for runs in results.values() for size in runs})
    heads = " | ".join(f"{size:,} files" for size in sizes)
    lines = [f"| what | when | {heads} | slope |", "|---|---|" + "--:|" * (len(sizes) + 1)]
    for (name, stage), runs in sorted(results.items(), key=_order):
        cells = " | ".join(row(runs[size]) if size in runs else "" for size in sizes)
        steep = slope(runs)
        lines.append(f"| {name} | {stage} | {cells} | {'' if steep is None else f'{steep:.2f}'} |")
    return "\n".join(lines)


def _order(item: tuple[tuple[str, str], Mapping[int, Run]]) -> tuple[int, int]:
    (name, stage), _ = item
    return [*MEASURES, *RIVALS].index(name), STAGES.index(stage)


def plot(results: Results) -> str:
    """Return the chart; second processes and rivals are dashed."""
    return chart(
        "Processor time over files, both logarithmic",
        [
            Line(
                f"{name}, {stage}" if name in MEASURES else name,
                [(size, run.cpu_s) for size, run in runs.items() if run.is_done],
                colour=[*MEASURES, *RIVALS].index(name),
                is_dashed=name in RIVALS or stage != STAGES[0],
            )
            for (name, stage), runs in sorted(results.items(), key=_order)
            if stage in STAGES[:2]
        ],
    )


def main() -> None:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path, nargs="+")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 3_000, 10_000, 30_000])
    parser.add_argument("--measures", nargs="+", choices=[*MEASURES], default=[*MEASURES])
    parser.add_argument("--rival", action="append", default=[], metavar="NAME=PROGRAM")
    given = parser.parse_args()
    programs = dict(it.split("=", 1) for it in given.rival)
    files = source_files([it.resolve() for it in given.trees])
    print(f"{len(files):,} files in {len(given.trees)} trees")
    results: Results = {}
    for size in given.sizes:
        measure_size(files, size, given.measures, programs, results)
        # After each size: what was measured stays if the rest is stopped.
        names = ", ".join(it.name for it in given.trees)
        text = f"{machine()}; {names}.\n\n{table(results)}"
        write_section("Time and memory over the number of files", text)
        (DOCS / "scale.svg").write_text(plot(results), encoding="utf-8")


if __name__ == "__main__":
    main()
