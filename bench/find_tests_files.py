"""How right the default list of `find_tests` is, by what ran: files of tests of single functions.

    python bench/find_tests_files.py --python VENV/bin/python --kept FOLDER PROJECT…

For functions drawn from each project, the truth is the files with a test that runs a line of the
body, by coverage. Recall is how many of these the first page of `find_tests` lists, precision how
many of those that it lists are among them, both over all functions together. Functions that no test
runs are left out. The interpreter has pytest, coverage and what the projects need.
"""

import argparse
import json
import random
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchpin.app import Workbench
from find_tests import Suite

Covered = Mapping[str, Mapping[str, list[str]]]


def covered(project: Path, python: Path, kept: Path) -> Covered:
    """Return which tests run each line, kept from an earlier run if there was one."""
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / project.name
            shutil.copytree(project, root)
            kept.write_text(json.dumps(Suite(root, python).covered()), encoding="utf-8")
    found: Covered = json.loads(kept.read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True)
class Drawn:
    """A function of production code."""

    id: str
    file: str
    body: range


def functions(bench: Workbench) -> Iterator[Drawn]:
    """Yield the functions of production code with a body on lines of its own."""
    found = bench.call("outline_file", scope="production", format="json", limit=1000).model_dump()
    for outline in found["outlines"]:
        for it in outline["symbols"] if outline["language"] == "python" else ():
            if it["kind"] in {"function", "method"} and it["end_line"] > it["line"]:
                body = range(it["line"] + 1, it["end_line"] + 1)
                yield Drawn(f"{outline['file']}::{it['name']}", outline["file"], body)


def main() -> None:
    """Print a row for each project, and how right each reason is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("projects", nargs="+", type=Path, metavar="PROJECT")
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True, help="folder for the coverage")
    parser.add_argument("--functions", type=int, default=100)
    parser.add_argument("--missed", action="store_true", help="print what is wrong")
    asked = parser.parse_args()
    print("| project | functions | files that run one | listed | recall | precision |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for project in asked.projects:
        ran = covered(project, asked.python, asked.kept / f"{project.name}.json")
        bench = Workbench.open(project)
        drawn = sorted(functions(bench), key=lambda it: it.id)
        random.Random(1).shuffle(drawn)  # noqa: S311 - a sample, not a secret
        measured, hits, wanted, listed = 0, 0, 0, 0
        reasons: defaultdict[str, Counter[bool]] = defaultdict(Counter)
        for symbol in drawn:
            lines = ran.get(symbol.file, {})
            nodes = {node for line in symbol.body for node in lines.get(str(line), ())}
            truth = {it.partition("::")[0] for it in nodes if it}
            if not truth or "" in nodes or measured == asked.functions:
                continue
            measured += 1
            report = bench.call("find_tests", symbol=symbol.id).model_dump()
            files = {it["file"]: it["reason"] for it in report["tests"]}
            for file, reason in files.items():
                reasons[reason][file in truth] += 1
            hits += len(truth & files.keys())
            wanted, listed = wanted + len(truth), listed + len(files)
            if asked.missed:
                for file in sorted(truth - files.keys()):
                    print(f"  missed {symbol.id}: {file}")
                for file in sorted(files.keys() - truth):
                    print(f"  wrong {symbol.id}: {file} {files[file]}")
        print(
            f"| {project.name} | {measured} | {wanted} | {listed} | {hits / wanted:.1%} "
            f"| {hits / max(listed, 1):.1%} |"
        )
        for reason, counts in sorted(reasons.items()):
            print(f"  {reason}: {counts[True]} of {counts.total()} right")
        bench.close()


if __name__ == "__main__":
    main()
