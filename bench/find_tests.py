"""How well `find_tests` selects: `python bench/find_tests.py --python VENV/bin/python PROJECT…`.

Each project gets mutants: one small change somewhere in its package. All tests that run the changed
line, by coverage, run against each; those that fail kill it. `find_tests` is asked about the same
change as a patch, and pytest-testmon, which has seen every test run before, selects beside it. Both
should select every test that kills, and few others.

The rules were tuned on funcy, humanize and marshmallow. They are judged by boltons, oauthlib and
wtforms, which nobody looked at before; results.md has what was seen at first sight.

The interpreter has pytest, pytest-testmon and what the projects need. Kills are kept in a file for
each project in `--kept`, so that a second run only asks for the selections.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchpin.app import Workbench
from benchpin.workspace.diffs import unified_diff
from find_tests_mutants import Mutant, mutants_of
from results import machine, write_section

PLUGIN = """\
import json, os

log_path, chosen, covered = (os.environ.get(f"FIND_TESTS_{it}") for it in ("LOG", "ONLY", "COVER"))
wanted = set(json.loads(open(chosen, encoding="utf-8").read())) if chosen else None
if covered:
    import coverage
    coverage = coverage.Coverage(data_file=covered, source=["."], config_file=False)
    coverage.start()

def pytest_collection_modifyitems(items):
    if wanted is not None:
        items[:] = [it for it in items if it.nodeid in wanted]

def pytest_collection_finish(session):
    with open(log_path, "a", encoding="utf-8") as log:
        for it in session.items:
            log.write(json.dumps(["collected", it.nodeid]) + "\\n")

def pytest_runtest_logstart(nodeid):
    if covered:
        coverage.switch_context(nodeid)

def pytest_runtest_logreport(report):
    if report.when == "call" or report.failed:
        with open(log_path, "a", encoding="utf-8") as log:
            log.write(json.dumps([report.outcome, report.nodeid]) + "\\n")

def pytest_sessionfinish():
    if covered:
        coverage.stop()
        coverage.save()
"""
READ_COVERAGE = """\
import json, os, sys
from coverage import CoverageData
data = CoverageData(sys.argv[1])
data.read()
lines = {os.path.relpath(it): data.contexts_by_lineno(it) for it in data.measured_files()}
print(json.dumps(lines))
"""
OWN = "find_tests_log"
FLAGS = ("-q", "--tb=no", "--no-header", "-p", OWN)
TOP = ("--import-mode=prepend", "-o", "addopts=", "-o", "xfail_strict=false")


@dataclass(frozen=True)
class Killing:
    """What the suite said about one mutant."""

    path: str
    patch: str
    killers: list[str]
    testmon: list[str]


class Suite:
    """The tests of a copy of a project, run as often as asked."""

    def __init__(self, root: Path, python: Path) -> None:
        self.root = root
        self.python = python
        self.clock = 1_000_000_000
        self.plugins = root.parent / "plugins"
        self.plugins.mkdir(exist_ok=True)
        (self.plugins / f"{OWN}.py").write_text(PLUGIN, encoding="utf-8")

    def run(self, *more: str, limit_s: float = 600, **settings: Path) -> list[tuple[str, str]]:
        """Return what happened to each test; nothing if the time was up."""
        log = self.plugins / "log"
        log.write_text("", encoding="utf-8")
        places = [self.plugins, *(it for it in (self.root / "src", self.root) if it.is_dir())]
        env = os.environ | {
            **{f"FIND_TESTS_{name}": str(value) for name, value in settings.items()},
            "FIND_TESTS_LOG": str(log),
            "PYTHONPATH": os.pathsep.join(map(str, places)),
            "PYTHONHASHSEED": "0",
        }
        command = (str(self.python), "-m", "pytest", *FLAGS, *TOP, *more, "tests")
        try:
            subprocess.run(
                command, cwd=self.root, env=env, capture_output=True, timeout=limit_s, check=False
            )
        except subprocess.TimeoutExpired:
            return []
        return [
            (outcome, node)
            for outcome, node in map(json.loads, log.read_text(encoding="utf-8").splitlines())
        ]

    def passing(self, limit_s: float = 600, **settings: Path) -> tuple[set[str], set[str]]:
        """Return the tests that were collected, and those that pass; none if the time was up."""
        seen = self.run("-p", "no:testmon", limit_s=limit_s, **settings)
        failed = {node for outcome, node in seen if outcome == "failed"}
        passed = {node for outcome, node in seen if outcome == "passed"}
        return {node for _, node in seen}, passed - failed

    def covered(self) -> dict[str, dict[str, list[str]]]:
        """Return which tests run each line of each file; code of the import has an empty name."""
        place = self.plugins / "coverage"
        self.run("-p", "no:testmon", COVER=place)
        command = (str(self.python), "-c", READ_COVERAGE, str(place))
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True)
        lines: dict[str, dict[str, list[str]]] = json.loads(done.stdout)
        return lines

    def kills(self, tests: set[str], limit_s: float) -> set[str]:
        """Return which of some tests fail now; none if not all of them can be loaded."""
        only = self.plugins / "only"
        only.write_text(json.dumps(sorted(tests)), encoding="utf-8")
        collected, passed = self.passing(limit_s, ONLY=only)
        return tests - passed if tests <= collected else set()

    def write(self, path: str, content: bytes) -> None:
        """Write a file with a time of its own, so that no compiled file of before is taken."""
        (self.root / path).write_bytes(content)
        self.clock += 1
        os.utime(self.root / path, (self.clock, self.clock))


def measure(project: Path, python: Path, count: int, seed: int, kept: Path) -> None:
    """Write which tests kill which mutants, and which pytest-testmon would run."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / project.name
        shutil.copytree(project, root)
        suite = Suite(root, python)
        suite.passing()
        start = time.monotonic()
        steady = suite.passing()[1] & suite.passing()[1]
        limit_s = 5 + 3 * (time.monotonic() - start)
        suite.run("--testmon")
        covered = suite.covered()
        killings: list[Killing] = []
        for mutant in _drawn(root, seed):
            running = set(covered.get(mutant.path, {}).get(str(mutant.line), ()))
            # What runs at import runs for every test; what no test runs, no test kills.
            tests = steady if "" in running else steady & running
            if not tests:
                continue
            before = (root / mutant.path).read_bytes()
            suite.write(mutant.path, mutant.content)
            # None of one that never ends, or with which the suite cannot be loaded.
            killers = suite.kills(tests, limit_s)
            asked = ("--testmon", "--testmon-nocollect", "--collect-only")
            seen = suite.run(*asked) if killers else []
            suite.write(mutant.path, before)
            if not killers:
                continue
            patch = unified_diff(before.decode(), mutant.content.decode(), mutant.path)
            chosen = sorted({node for _, node in seen} & steady)
            killings.append(Killing(mutant.path, patch, sorted(killers), chosen))
            print(f"  {len(killings)} {mutant.path} {len(killers)}", file=sys.stderr)
            done = {"tests": sorted(steady), "killings": [vars(it) for it in killings]}
            kept.write_text(json.dumps(done), encoding="utf-8")  # a run may be stopped
            if len(killings) == count:
                break


def _drawn(root: Path, seed: int) -> Iterator[Mutant]:
    """Yield the mutants of the package in an order drawn by the seed."""
    files = sorted(it for it in root.rglob("*.py") if _is_package(it.relative_to(root)))
    found = [mutant for it in files for mutant in mutants_of(root, it)]
    random.Random(seed).shuffle(found)  # noqa: S311 - a sample, not a secret
    yield from found


def _is_package(path: Path) -> bool:
    outside = {"tests", "test", "docs", "examples", "conftest.py", "setup.py", "build"}
    return len(path.parts) > 1 and outside.isdisjoint(path.parts)


def selected(bench: Workbench, patch: str) -> Iterator[tuple[str, ...]]:
    """Yield the tests that `find_tests` lists for a patch, as the parts of their names."""
    cursor = None
    while True:
        page = bench.call(
            "find_tests", patch=patch, each=True, limit=1000, cursor=cursor
        ).model_dump()
        for it in page["tests"]:
            name = it["id"].removeprefix(it["file"]).removeprefix("::")
            yield (it["file"], *name.split(".")) if name else (it["file"],)
        cursor = page["next_cursor"]
        if cursor is None:
            return


def names_of(node: str) -> set[tuple[str, ...]]:
    """Return what selects a test of pytest: its file, its class, itself."""
    parts = node.partition("[")[0].split("::")
    return {tuple(parts[: count + 1]) for count in range(len(parts))}


def judge(project: Path, measured: dict[str, object], scratch: Path) -> tuple[str, list[str]]:
    """Return a row of the table, and which killing tests were missed."""
    tests: Sequence[str] = measured["tests"]  # type: ignore[assignment] # from JSON
    killings = [Killing(**it) for it in measured["killings"]]  # type: ignore[attr-defined] # JSON
    names = {it: names_of(it) for it in tests}
    missed: list[str] = []
    shares, found, wanted, recalls, theirs, their_shares = [], 0, 0, [], 0, []
    bench = Workbench.open(project, cache_dir=scratch)
    try:
        for it in killings:
            ours = set(selected(bench, it.patch))
            chosen = {test for test in tests if not names[test].isdisjoint(ours)}
            hit = chosen.intersection(it.killers)
            found, wanted = found + len(hit), wanted + len(it.killers)
            recalls.append(len(hit) / len(it.killers))
            shares.append(len(chosen) / len(tests))
            theirs += len(set(it.testmon).intersection(it.killers))
            their_shares.append(len(it.testmon) / len(tests))
            lost = sorted(set(it.killers) - chosen)
            if lost:
                head = f"{it.path} {len(hit)} of {len(it.killers)}, {len(chosen)} chosen"
                missed.append(f"{head}\n{it.patch}\n  lost: {', '.join(lost[:5])}")
    finally:
        bench.close()
    row = (
        f"| {project.name} | {len(tests):,} | {len(killings)} | {wanted:,} "
        f"| {found / wanted:.1%} | {mean(recalls):.1%} | {mean(shares):.1%} "
        f"| {theirs / wanted:.1%} | {mean(their_shares):.1%} |"
    )
    return row, missed


def mean(values: Sequence[float]) -> float:
    """Return the average."""
    return sum(values) / len(values)


HEAD = (
    "| project | tests | mutants | kills | kills selected | on average of a mutant "
    "| suite selected | testmon: kills | testmon: suite |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
)


def main() -> None:
    """Measure every project, and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("projects", nargs="+", type=Path, metavar="PROJECT")
    parser.add_argument("--python", type=Path, required=True, help="has pytest and testmon")
    parser.add_argument("--kept", type=Path, required=True, help="folder for the kills")
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missed", action="store_true", help="print what was not selected")
    parser.add_argument("--title", help="of the section to write, if one is to be written")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for project in (it.resolve() for it in asked.projects):
            kept = asked.kept / f"{project.name}.json"
            if not kept.exists():
                measure(project, asked.python, asked.mutants, asked.seed, kept)
            row, missed = judge(
                project, json.loads(kept.read_text(encoding="utf-8")), Path(folder) / "cache"
            )
            rows.append(row)
            print("\n".join([*(missed if asked.missed else ()), row]), flush=True)
    if asked.title:
        write_section(asked.title, f"{machine()}.\n\n{HEAD}" + "\n".join(rows))


if __name__ == "__main__":
    main()
