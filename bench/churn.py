"""Measure churn beside PyDriller on one repository and period: `churn.py PATH [--days N]`.

PyDriller counts two things otherwise: a submodule as a file of one line, and a link that became a
file as two changes in one commit. Files that differ are printed.
"""

import argparse
import os
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.measures.churn import measure_churn
from benchpin.measures.history import read_history
from results import machine, write_section

Lines = tuple[int, int, int]
"""Commits, additions, deletions."""
Files = dict[str, Lines]


def newest_commit(repository: Path) -> datetime:
    """Return when the newest commit was made, where the period ends."""
    command = ["git", "-C", str(repository), "log", "-1", "--format=%ct"]
    return datetime.fromtimestamp(int(subprocess.check_output(command)), UTC)


def run_tool(repository: Path, until: datetime, days: int) -> None:
    """Call the tool as a user does: everything it reports is worked out."""
    shop = Workbench.open(repository)
    last_day = until.date().isoformat()
    shop.call("analyze_code_churn", project_path=".", period_days=days, until=last_day)


def run_pydriller(repository: Path, since: datetime, workers: int = 1) -> Files:
    """Sum up what PyDriller says of every file, renames followed, oldest commit first."""
    pydriller = import_module("pydriller")
    found: Files = {}
    mined = pydriller.Repository(
        str(repository), since=since, only_no_merge=True, num_workers=workers
    )
    for commit in mined.traverse_commits():
        for file in commit.modified_files:
            if file.old_path and file.new_path and file.old_path != file.new_path:
                add(found, file.new_path, found.pop(file.old_path, (0, 0, 0)))
            path = file.new_path or file.old_path
            add(found, path, (1, file.added_lines, file.deleted_lines))
    return found


def add(found: Files, path: str, lines: Lines) -> None:
    """Add to the numbers of a file."""
    before = found.get(path, (0, 0, 0))
    found[path] = (before[0] + lines[0], before[1] + lines[1], before[2] + lines[2])


def run_plain_git(repository: Path, since: datetime) -> None:
    """Let git do its part of the work, and nothing else."""
    age = f"--max-age={int(since.timestamp())}"
    command = ["git", "-C", str(repository), "log", "--no-merges", "-M", "--numstat", age]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def compare(repository: Path, since: datetime) -> tuple[int, list[str]]:
    """Return how many files there are now, and those whose numbers are not PyDriller's."""
    history = read_history(repository, repository.resolve(), Job(), since=since)
    theirs = run_pydriller(repository, since)
    ours = {
        file.path: (file.commit_count, file.additions or 0, file.deletions or 0)
        for file in measure_churn(history, since).files
    }
    paths = sorted(set(ours) | (set(theirs) & history.existing))
    different = [
        f"{path}: {ours.get(path)}, PyDriller {theirs.get(path)}"
        for path in paths
        if ours.get(path) != theirs.get(path)
    ]
    return len(paths), different


@dataclass(frozen=True)
class Run:
    """What one run took: by the clock, and of all processors, children included."""

    wall_s: float
    cpu_s: float


def measure(work: Callable[[], object]) -> Run:
    """Return what it takes."""
    started, used = time.perf_counter(), sum(os.times()[:4])
    work()
    return Run(time.perf_counter() - started, sum(os.times()[:4]) - used)


def main() -> None:
    """Measure in turn, several times, compare the numbers, and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    repository, cores = given.repository.resolve(), os.cpu_count() or 1
    until = newest_commit(repository)
    midnight = until.replace(hour=0, minute=0, second=0, microsecond=0)
    since = midnight - timedelta(days=given.days - 1)
    runs: dict[str, Callable[[], object]] = {
        "benchpin": lambda: run_tool(repository, until, given.days),
        "PyDriller": lambda: run_pydriller(repository, since),
        f"PyDriller, {cores} workers": lambda: run_pydriller(repository, since, cores),
        "plain `git log --numstat`": lambda: run_plain_git(repository, since),
    }
    runs["plain `git log --numstat`"]()  # brings the repository into memory, for all alike
    seen: dict[str, list[Run]] = {name: [] for name in runs}
    for _ in range(given.rounds):
        for name, work in runs.items():
            seen[name].append(measure(work))
    files, different = compare(repository, since)
    print("\n".join(different))
    about = f"{repository.name}, {given.days} days"
    write_section("Churn", report(about, given.rounds, seen, files, len(different)))


def report(about: str, rounds: int, seen: dict[str, list[Run]], files: int, different: int) -> str:
    """Return the table and the ratios."""
    medians = {
        name: Run(
            statistics.median(run.wall_s for run in runs),
            statistics.median(run.cpu_s for run in runs),
        )
        for name, runs in seen.items()
    }
    ours, *_ = medians.values()
    rivals = [name for name in medians if name.startswith("PyDriller")]
    return "\n".join(
        [
            f"{about}; {rounds} rounds in turn, medians; {machine()}.",
            f"Commits, additions and deletions of {files:,} files: {different:,} differ.",
            "",
            "| tool | s | CPU s |",
            "| --- | --- | --- |",
            *(f"| {name} | {run.wall_s:.2f} | {run.cpu_s:.2f} |" for name, run in medians.items()),
            "",
            "| ratio | by the clock | CPU | aim |",
            "| --- | --- | --- | --- |",
            *(
                f"| to {name} | {medians[name].wall_s / ours.wall_s:.1f}× "
                f"| {medians[name].cpu_s / ours.cpu_s:.1f}× | ≥ 5× |"
                for name in rivals
            ),
        ]
    )


if __name__ == "__main__":
    main()
