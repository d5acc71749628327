"""How time and memory grow with the number of files, beside jscpd, lizard, complexipy and git log.

    python bench/scale.py --sizes 1000 3000 10000 --rival jscpd=/path/to/jscpd TREE...

For each size a workspace is made from the trees side by side, and from copies of them with other
identifiers where they do not suffice. Each measure runs as a command of its own: with an empty
cache, again in a second process, after one edit, and after ten commits of one edit each. What
counts is processor time, of all processes together: it depends least on what else the machine does.
The slope is that of the logarithms of time and files: 1 means in proportion.

Each run is a row of `--rows` as soon as it is done; what is there is not run again. So a long
campaign can be interrupted, or run in parts: with `--folder`, workspaces stay for the next part.
"""

import argparse
import csv
import math
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from process_runs import Run, measured
from results import machine, write_section
from scale_plot import Line, chart
from scale_workspaces import Edits, build, source_files

MEASURES: Mapping[str, tuple[str, ...]] = {
    "everything": (".",),
    "complexity": ("complexity",),
    "duplicates": ("duplicates",),
    "exact duplicates": ("duplicates", "--detection-type", "exact"),
    "unused code": ("dead-code",),
    "graph": ("graph-metrics",),
    "defects": ("defect-probability",),
    "churn": ("code-churn",),
}
RIVALS: Mapping[str, tuple[str, ...]] = {
    "jscpd": ("--min-tokens", "50", "--min-lines", "5", "--reporters", "silent", "--silent", "."),
    "lizard": (".",),
    "complexipy": (".", "--quiet"),
    "git log": (),
}
STAGES = ("first", "second process", "after one edit", "after ten commits")
ROOT = Path(__file__).parent.parent

Results = dict[tuple[str, str], dict[int, Run]]
"""By measure and stage, then by size."""


class Rows:
    """The runs so far, in a file that grows by a line with each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.results: Results = {}
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("files,name,stage,cpu_s,wall_s,peak_mb,is_done\n", encoding="utf-8")
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                run = Run(
                    cpu_s=float(row["cpu_s"]),
                    wall_s=float(row["wall_s"]),
                    peak_mb=float(row["peak_mb"]),
                    is_done=row["is_done"] == "True",
                )
                self._keep(int(row["files"]), row["name"], row["stage"], run)

    def has(self, size: int, name: str, stages: Iterable[str]) -> bool:
        """Whether all stages of a measure were run."""
        return all(size in self.results.get((name, stage), {}) for stage in stages)

    def add(self, size: int, name: str, stage: str, run: Run) -> None:
        """Add a run, and print it."""
        self._keep(size, name, stage, run)
        values = (round(it, 3) if isinstance(it, float) else it for it in asdict(run).values())
        with self._path.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file).writerow((size, name, stage, *values))
        print(f"{size:>7,} {name:<17} {stage:<18} {cell(run)}, {run.wall_s:.1f} s", flush=True)

    def _keep(self, size: int, name: str, stage: str, run: Run) -> None:
        self.results.setdefault((name, stage), {})[size] = run


class Campaign:
    """Runs commands on one workspace."""

    def __init__(self, place: Path, size: int, rows: Rows, limit_s: float) -> None:
        self._place = place
        self.work = place / f"{size}"
        self._size = size
        self._rows = rows
        self._limit_s = limit_s

    def measure(self, name: str) -> None:
        """Run a measure in all stages, with a cache of its own: none profits from another."""
        if self._rows.has(self._size, name, STAGES):
            return
        command = (str(Path(sys.executable).with_name("benchpin")), "analyze", *MEASURES[name])
        edits = Edits(self.work, name)
        with tempfile.TemporaryDirectory(prefix="cache-", dir=self._place) as cache:
            for stage in STAGES:
                if stage == "after one edit":
                    edits.edit()
                elif stage == "after ten commits":
                    edits.commit(10)
                if not self._run(name, stage, command, cache).is_done:
                    return  # what follows would be another first run

    def compare(self, name: str, programs: Mapping[str, str]) -> None:
        """Run another program, once: none of them keeps anything."""
        command = rival_command(name, programs)
        if command is not None and not self._rows.has(self._size, name, STAGES[:1]):
            self._run(name, STAGES[0], command, "")

    def _run(self, name: str, stage: str, command: Sequence[str], cache: str) -> Run:
        variables = {"XDG_CACHE_HOME": cache} if cache else {}
        run = measured(command, self.work, self._limit_s, variables)
        self._rows.add(self._size, name, stage, run)
        return run


def rival_command(name: str, programs: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the command of a rival; None if it is not here."""
    if name == "git log":
        return ("git", "log", "--numstat", "--format=%H")
    program = programs.get(name) or shutil.which(name)
    return None if program is None else (program, *RIVALS[name])


def cell(run: Run) -> str:
    """Return a run as text."""
    if not run.is_done:
        return f"not done in {run.wall_s:.0f} s"
    return f"{run.cpu_s:.1f} s, {run.peak_mb:,.0f} MB"


def slope(runs: Mapping[int, Run]) -> str:
    """Return the slope of the logarithms of time and files, by least squares."""
    points = [(math.log(size), math.log(run.cpu_s)) for size, run in runs.items() if run.is_done]
    if len(points) < 2:  # noqa: PLR2004 - a line
        return ""
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    across = sum((x - middle_x) ** 2 for x, _ in points)
    return f"{sum((x - middle_x) * (y - middle_y) for x, y in points) / across:.2f}"


def table(results: Results) -> str:
    """Return all results as Markdown."""
    sizes = sorted({size for runs in results.values() for size in runs})
    heads = " | ".join(f"{size:,} files" for size in sizes)
    lines = [
        f"| what | when | {heads} | slope | last step |",
        "|---|---|" + "--:|" * (len(sizes) + 2),
    ]
    for (name, stage), runs in sorted(results.items(), key=_order):
        cells = " | ".join(cell(runs[size]) if size in runs else "" for size in sizes)
        last = {size: runs[size] for size in sorted(runs)[-2:]}
        lines.append(f"| {name} | {stage} | {cells} | {slope(runs)} | {slope(last)} |")
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
                [(size, runs[size].cpu_s) for size in sorted(runs) if runs[size].is_done],
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
    parser.add_argument("trees", type=Path, nargs="*")
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 3_000, 10_000, 30_000])
    parser.add_argument("--measures", nargs="*", choices=[*MEASURES], default=[*MEASURES])
    parser.add_argument("--rivals", nargs="*", choices=[*RIVALS], default=[*RIVALS])
    parser.add_argument("--rival", action="append", default=[], metavar="NAME=PROGRAM")
    parser.add_argument("--limit", type=float, default=900, metavar="SECONDS", help="of a command")
    parser.add_argument("--rows", type=Path, default=ROOT / "build" / "scale.csv")
    parser.add_argument("--folder", type=Path, help="where workspaces stay; else they are deleted")
    parser.add_argument("--write", action="store_true", help="the table and the chart, from --rows")
    given = parser.parse_args()
    programs = dict(it.split("=", 1) for it in given.rival)
    rows = Rows(given.rows)
    with ExitStack() as stack:
        place = given.folder
        if place is None:
            place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="scale-")))
        for size in given.sizes if given.trees else ():
            campaign = Campaign(place.resolve(), size, rows, given.limit)
            if not campaign.work.exists():
                build(campaign.work, source_files([it.resolve() for it in given.trees]), size)
            for name in given.rivals:
                campaign.compare(name, programs)
            for name in given.measures:
                campaign.measure(name)
    if given.write:
        text = f"{machine()}; processor time and memory of all processes.\n\n{table(rows.results)}"
        write_section("Time and memory over the number of files", text)
        (ROOT / "docs" / "scale.svg").write_text(plot(rows.results), encoding="utf-8")


if __name__ == "__main__":
    main()
