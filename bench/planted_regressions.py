"""Whether a comparison finds regressions that were planted in programs, and only those.

    python bench/planted_regressions.py [--set further] [--libraries yaml,jinja2] [--seconds 170]

For each library: five regressions, each as ten runs before and ten after, and five pairs of ten
runs of the same program. Every run is a process of its own under cProfile, forked when the library
is imported, so that importing is not measured. A regression is found if the first of the changes
that are reported as slower is in the function that was changed or its caller, or began there.

Processor time is measured, as `benchpin perf record --clock cpu` does, because other programs on
the machine disturb it little; and the runs of two sets take turns, so that what remains falls on
both. The pairs of the same program are compared a second time as they were recorded, first ten and
last ten, as a gate with an old baseline would; that is harder. A library that is out of time says
so.
"""

import argparse
import cProfile
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from benchpin.core.calls import Job
from benchpin.performance.comparing import SnapshotComparison, compare
from benchpin.performance.formats import read_artifact
from benchpin.performance.reading import Budget, ReadRequest
from benchpin.performance.snapshots import Snapshot, build_snapshot
from benchpin.performance.values import Profile, Reading, Source
from planted_libraries import FURTHER, REPORTED, TUNING
from planted_programs import KINDS, Kind, Library

RUNS = 10
SETS = {"tuning": TUNING, "reported": REPORTED, "further": FURTHER}


class OutOfTime(Exception):
    """The time for this call is used up."""


class Recorder:
    """Runs programs in a folder until the time is up."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder = folder
        self._deadline = time.monotonic() + seconds
        self._count = 0

    def run(self, source: str) -> Profile:
        """Run a program once under cProfile, in a process that has its library already."""
        if time.monotonic() > self._deadline:
            raise OutOfTime
        code = compile(source, "program.py", "exec")
        exec(code, {"__name__": "imports"})  # noqa: S102 - our own program
        self._count += 1
        place = self._folder / f"{self._count}.pstats"
        child = os.fork()
        if not child:
            program: dict[str, Any] = {"__name__": "program"}
            exec(code, program)  # noqa: S102 - our own program
            profiler = cProfile.Profile(time.process_time_ns, 1e-9)
            profiler.runcall(program["main"])
            profiler.dump_stats(place)
            os._exit(0)
        os.waitpid(child, 0)
        file = BytesIO(place.read_bytes())
        return cast("Profile", read_artifact(ReadRequest("pstats", Budget()), file, Job()))

    def in_turns(self, first: str, second: str) -> tuple[list[Profile], list[Profile]]:
        """Run two programs ten times each, in turns."""
        pairs = [(self.run(first), self.run(second)) for _ in range(RUNS)]
        return [it for it, _ in pairs], [it for _, it in pairs]


def compared(before: Sequence[Profile], after: Sequence[Profile]) -> SnapshotComparison:
    """Compare two sets of runs."""
    return compare(_snapshot(before), _snapshot(after))


def _snapshot(profiles: Sequence[Profile]) -> Snapshot:
    return build_snapshot(
        [
            Reading((Source(f"{at:064x}", 0, "profile", "pstats"),), profile)
            for at, profile in enumerate(profiles)
        ]
    )


def place_of(found: SnapshotComparison, kind: Kind) -> int | None:
    """Return the place of the first regression that names the planted one, from 1."""
    for place, change in enumerate(found.regressions, start=1):
        if change.origin in kind.named or change.title in kind.named:
            return place
    return None


def planted(library: Library, recorder: Recorder) -> Iterator[tuple[str, bool]]:
    """Yield each regression, and whether it was ranked first."""
    for kind in KINDS:
        before, after = recorder.in_turns(library.program(None), library.program(kind))
        found = compared(before, after)
        place = place_of(found, kind)
        [whole] = found.whole_runs
        first = found.regressions[0] if found.regressions else None
        said = f"{first.title}, {first.metric}, began in {first.origin}" if first else "nothing"
        slower = "" if whole.effect is None else f"{whole.effect:+.0%}"
        print(f"  {kind.name}: whole run {slower}, place {place}; first: {said}", flush=True)
        yield kind.name, place == 1


def unchanged(library: Library, recorder: Recorder) -> Iterator[tuple[bool, bool]]:
    """Yield whether two sets of one program alarm: recorded in turns, and one after the other."""
    source = library.program(None)
    for _ in KINDS:
        first, second = recorder.in_turns(source, source)
        in_turns = compared(first, second)
        in_order = [it for pair in zip(first, second, strict=True) for it in pair]
        later = compared(in_order[:RUNS], in_order[RUNS:])
        for name, found in (("in turns", in_turns), ("one after the other", later)):
            if found.regressions:
                change = found.regressions[0]
                print(
                    f"  false alarm, {name}: {change.title} {change.metric} "
                    f"{change.before} to {change.after}, noise {change.noise}",
                    flush=True,
                )
        yield bool(in_turns.regressions), bool(later.regressions)


def main() -> int:
    """Measure the chosen libraries."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=SETS, default="reported")
    parser.add_argument("--part", choices=("both", "regressions", "unchanged"), default="both")
    parser.add_argument("--libraries", default="")
    parser.add_argument("--seconds", type=float, default=170)
    given = parser.parse_args()
    chosen = set(filter(None, given.libraries.split(",")))
    first: list[bool] = []
    alarms: list[tuple[bool, bool]] = []
    for library in SETS[given.set]:
        if chosen and library.name not in chosen:
            continue
        print(library.name, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            recorder = Recorder(Path(folder), given.seconds)
            try:
                if given.part != "unchanged":
                    # One by one, so that those before the time was up count.
                    first.extend(is_first for _, is_first in planted(library, recorder))
                if given.part != "regressions":
                    alarms.extend(unchanged(library, recorder))
            except OutOfTime:
                print(f"  out of time after {given.seconds:g} s", flush=True)
    print(f"ranked first: {sum(first)} of {len(first)}")
    in_turns, later = (sum(column) for column in zip(*alarms, strict=True)) if alarms else (0, 0)
    print(f"false alarms: {in_turns} of {len(alarms)} in turns, {later} one after the other")
    return 0


if __name__ == "__main__":
    sys.exit(main())
