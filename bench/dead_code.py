"""Measure the search for dead code beside vulture, on real projects and on planted functions.

    python bench/dead_code.py FOLDER=COVERAGE.json [FOLDER=COVERAGE.json ...]

Each FOLDER is a Python project, and COVERAGE.json says which of its functions its own test suite
executes; such a function is certainly alive. It was made, in a virtual environment with the
project's test requirements, by

    python -m coverage run --source=src -m pytest tests
    python -m coverage json -o COVERAGE.json

Then 100 functions that are certainly dead are planted in copies of the projects: see
`dead_code_planting.py`. Both programs look at the whole project, its tests included.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchpin.core.calls import Job
from benchpin.facts import SourceIndex, SourceQuery
from benchpin.measures.unused import reader_of
from benchpin.measures.unused._outside_code import find_names_outside_code
from benchpin.measures.unused._report import names_in
from benchpin.measures.unused._search import find_dead_code
from benchpin.workspace.walking import WalkOptions
from dead_code_planting import Planted, plant
from results import help_if_asked, machine, write_section

PLANTS = 100
VULTURE_KINDS = frozenset({"function", "method", "class", "property"})


@dataclass(frozen=True)
class Claim:
    """Something that a program takes for dead."""

    file: str
    line: int
    end_line: int
    confidence: float


@dataclass(frozen=True)
class Project:
    """A project and the lines that its tests execute inside functions."""

    folder: Path
    executed: dict[str, dict[str, list[int]]]

    @property
    def functions(self) -> int:
        """How many functions the tests execute."""
        return sum(len(functions) for functions in self.executed.values())


def read_project(argument: str) -> Project:
    """Read `FOLDER=COVERAGE.json`."""
    folder, _, coverage = argument.partition("=")
    files = json.loads(Path(coverage).read_text(encoding="utf-8"))["files"]
    executed = {
        path.replace("\\", "/"): {
            name: found["executed_lines"]
            for name, found in file["functions"].items()
            if name and found["executed_lines"]
        }
        for path, file in files.items()
    }
    return Project(Path(folder).resolve(), executed)


def claims_of_benchpin(folder: Path) -> list[Claim]:
    """Return what Benchpin takes for dead, at any confidence."""
    with tempfile.TemporaryDirectory() as cache:
        index = SourceIndex(folder, Path(cache))
        try:
            query = SourceQuery(sections=("outline", "links", "tokens"))
            sources = index.read(query, Job())
            others = [file.path for file in index.others(WalkOptions(), Job())]
        finally:
            index.close()
    words = find_names_outside_code(
        [*others, *sources.unmeasured],
        names_in(sources.files),
        reader_of(folder),
        sources.unmeasured,
    )
    found = find_dead_code(sources.files, words, is_folded=False)
    return [Claim(it.file, it.line, it.end_line, it.confidence) for it in found.items]


def claims_of_vulture(folder: Path) -> list[Claim]:
    """Return what vulture takes for dead, at any confidence."""
    from vulture import Vulture  # noqa: PLC0415 - `--help` does without it

    vulture = Vulture()
    vulture.scavenge([str(folder)])
    return [
        Claim(
            Path(it.filename).resolve().relative_to(folder).as_posix(),
            it.first_lineno,
            it.last_lineno,
            it.confidence / 100,
        )
        for it in vulture.get_unused_code()
        if it.typ in VULTURE_KINDS
    ]


def false_alarms(project: Project, claims: Sequence[Claim], confidence: float) -> list[str]:
    """Return the executed functions that are claimed to be dead."""
    found: list[str] = []
    for claim in claims:
        if claim.confidence < confidence:
            continue
        inside = range(claim.line, claim.end_line + 1)
        for name, lines in project.executed.get(claim.file, {}).items():
            if all(line in inside for line in lines):
                found.append(f"{claim.file}:{claim.line} {name} {claim.confidence}")
    return sorted(set(found))


def found_of(planted: Sequence[Planted], claims: Sequence[Claim], confidence: float) -> set[int]:
    """Return which of the planted functions are claimed to be dead."""
    sure = [claim for claim in claims if claim.confidence >= confidence]
    return {
        number
        for number, it in enumerate(planted)
        if any(claim.file == it.file and claim.line <= it.line <= claim.end_line for claim in sure)
    }


PROGRAMS = {
    "benchpin ≥ 0.8": (claims_of_benchpin, 0.8),
    "benchpin ≥ 0.7": (claims_of_benchpin, 0.7),
    "vulture ≥ 80 %": (claims_of_vulture, 0.8),
    "vulture ≥ 60 %": (claims_of_vulture, 0.6),
}


def measure(projects: Sequence[Project]) -> str:
    """Return the tables of both measurements."""
    alarms = {name: [0] * len(projects) for name in PROGRAMS}
    claimed = {name: [0] * len(projects) for name in PROGRAMS}
    hits = dict.fromkeys(PROGRAMS, 0)
    missed: list[str] = []
    seconds = {"benchpin": 0.0, "vulture": 0.0}
    for at, project in enumerate(projects):
        share = PLANTS // len(projects) + (at < PLANTS % len(projects))
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch).resolve() / project.folder.name
            shutil.copytree(project.folder, copy, ignore=shutil.ignore_patterns(".git", "*.pyc"))
            planted = plant(copy, share)
            for program, find in (("benchpin", claims_of_benchpin), ("vulture", claims_of_vulture)):
                start = time.perf_counter()
                claims = find(project.folder)
                seconds[program] += time.perf_counter() - start
                planted_claims = find(copy)
                for name, (finder, confidence) in PROGRAMS.items():
                    if finder is not find:
                        continue
                    found = false_alarms(project, claims, confidence)
                    alarms[name][at] = len(found)
                    claimed[name][at] = sum(
                        it.confidence >= confidence and it.file in project.executed for it in claims
                    )
                    caught = found_of(planted, planted_claims, confidence)
                    hits[name] += len(caught)
                    if name == "benchpin ≥ 0.8":
                        missed += [it.describe() for n, it in enumerate(planted) if n not in caught]
                        missed += [f"FALSE ALARM {it}" for it in found]
    print("\n".join(missed), file=sys.stderr)
    return _tables(projects, alarms, claimed, hits, seconds)


def _tables(
    projects: Sequence[Project],
    alarms: dict[str, list[int]],
    claimed: dict[str, list[int]],
    hits: dict[str, int],
    seconds: dict[str, float],
) -> str:
    rows = [
        (
            project.folder.name,
            f"{project.functions:,}",
            *(f"{alarms[name][at]} of {claimed[name][at]}" for name in PROGRAMS),
        )
        for at, project in enumerate(projects)
    ]
    totals = (f"{sum(alarms[name])} of {sum(claimed[name])}" for name in PROGRAMS)
    rows.append(("all", f"{sum(it.functions for it in projects):,}", *totals))
    rows.append((f"planted, found of {PLANTS}", "", *(str(hits[name]) for name in PROGRAMS)))
    took = ", ".join(f"{name} {it:.1f} s" for name, it in seconds.items())
    lines = [
        f"Executed functions that are called dead, of all claims in the same files; {machine()}.",
        f"All projects, nothing cached: {took}.",
        "",
        f"| project | executed functions | {' | '.join(PROGRAMS)} |",
        "| --- |" + " --- |" * (len(PROGRAMS) + 1),
    ]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


if __name__ == "__main__":
    help_if_asked(__doc__)
    write_section("Dead code", measure([read_project(argument) for argument in sys.argv[1:]]))
