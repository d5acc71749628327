"""Measure a fleet on a Dask cluster with an object store, all on loopback, and check it.

    python bench/fleet.py ROOT GLOB [WORKERS...]

Repositories below ROOT that match GLOB are measured on this machine into a folder, and by clusters
of so many workers (2 and 1) into buckets of `servers/folder_s3.py`. Tables must be the same bytes.
Then it is measured again with nothing new, and every question is asked.

Client, scheduler, workers and store share the cores of one machine here: what each takes of them
is printed beside the time, with the memory of each and of its processes.
"""

import os
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from benchpin.core.calls import Job, Permissions
from benchpin.fleet import FleetTables, dask_steps, find_members, local_steps, open_place
from benchpin.fleet._questions import QUESTIONS
from fleet_cluster import VERSION, Watch, cluster, measure, store, tables
from results import help_if_asked

NAMES = {"symbol": "main", "users": "json", "dependents": "pytest", "copies": "main"}


def ask(place: str, cache: Path) -> None:
    """Print how long each question takes."""
    began = time.perf_counter()
    opened = FleetTables(open_place(place), cache, VERSION)
    print(f"| finding the tables | {time.perf_counter() - began:.2f} s | |")
    for question, known in QUESTIONS.items():
        name = NAMES.get(question, "^get_") if known.needs_name else None
        began = time.perf_counter()
        answer = opened.ask(question, name, 20, Job())
        print(f"| {question} | {time.perf_counter() - began:.2f} s | {len(answer.rows)} rows |")


def main(root: str, glob: str, *clusters: str) -> int:
    """Run everything; 1 if something differs."""
    members = find_members(Path(root), [glob], None, Permissions()).found
    is_same = True
    with TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        here, cache = str(folder / "here"), folder / "fetched"
        with local_steps() as steps, Watch({"all": os.getpid()}) as watch:
            local_s, run = measure(members, here, steps, cache)
        made = stack.enter_context(store(folder / "store"))
        expected = tables(here)
        print(f"{len(members)} repositories, {run.blobs:,} files, failed: {run.failed}")
        print("| what | time | |\n| --- | ---: | --- |")
        print(f"| this machine, a folder | {local_s:.1f} s | {watch.line()} |", flush=True)
        times = {}
        for workers in map(int, clusters or ("2", "1")):
            there = made.bucket(f"workers-{workers}")
            with cluster(workers, folder) as others, dask_steps(others.address) as steps:
                programs = {**others.programs(), "store": made.process.pid}
                with Watch(programs) as watch:
                    times[workers], run = measure(members, there, steps, cache)
            is_same &= tables(there) == expected
            about = f"{watch.line()}; failed: {len(run.failed)}"
            print(f"| {workers} workers, a bucket | {times[workers]:.1f} s | {about} |")
            sizes = {kind: f"{size:,}" for kind, size in made.size_of(f"workers-{workers}").items()}
            print(f"| requests, bytes | | {dict(made.requests())}, {sizes} |", flush=True)
        with local_steps() as steps:
            again_s, _ = measure(members, here, steps, cache)
        print(f"| again, nothing new | {again_s:.2f} s | {100 * again_s / local_s:.2f} % |")
        ask(here, cache)
        ratio = times[1] / times[2] if {1, 2} <= times.keys() else 0
        print(f"\nTwo workers beside one: {ratio:.2f}. Same tables: {is_same}")
    return int(not is_same)


if __name__ == "__main__":
    help_if_asked(__doc__)
    sys.exit(main(*sys.argv[1:]))
