"""What a review costs beside what a change is about: `python bench/review_time.py CLONE [TREE]`.

Methods of a class of CLONE are rewritten until about 200 lines differ: each result is kept in a
variable before it is returned, after a line that asks for it. The change is reviewed three times in
a new process with the index kept, then three times in one process with an edit before each. What
counts is processor time of the process and of its children; the medians are shown. With TREE,
another checkout of Benchpin with its `.venv`, both run in turn, each with its own cache.
"""

import argparse
import ast
import json
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchpin.app import Workbench
from results import machine, write_section

ROUNDS = 3
MIN_STATEMENTS = 3
_GIT = shutil.which("git") or "git"
LINES = 200
HERE = Path(__file__).parent.parent
SAMPLES = ("django/db/models/query.py", "saleor/plugins/manager.py")
"""The file that is changed, of each project."""


def rewritten(text: str) -> str:
    """Return a file with its last methods rewritten, so that about 200 lines differ."""
    lines = text.split("\n")
    functions = [
        one
        for owner in ast.parse(text).body
        if isinstance(owner, ast.ClassDef)
        for one in owner.body
        if isinstance(one, ast.FunctionDef)
        and len(one.body) >= MIN_STATEMENTS
        and not one.decorator_list
    ]
    differ = 0
    for function in reversed(functions):
        for at in reversed([it for it in ast.walk(function) if isinstance(it, ast.Return)]):
            if at.value is None or at.lineno != at.end_lineno or differ >= LINES:
                continue
            old = lines[at.lineno - 1]
            head = old[: at.col_offset]
            if head.strip():
                continue
            new = [
                f"{head}found = {old[at.value.col_offset :]}",
                f"{head}if found is None and self is None:",
                f'{head}    raise ValueError("{function.name}")',
                f"{head}return found",
            ]
            lines[at.lineno - 1 : at.lineno] = new
            differ += len(new) + 1
    return "\n".join(lines)


def review(root: Path, cache: Path, rounds: int) -> None:
    """Review the change in this process, with an edit before each round but the first."""
    path = next(root / it for it in SAMPLES if (root / it).is_file())
    bench = Workbench.open(root, cache_dir=cache)
    took = []
    for round_ in range(rounds):
        if round_:
            path.write_text(path.read_text() + f"\n\nKEPT_{round_} = {round_}\n")
        before = os.times()
        report = bench.call("review_change", limit=1).model_dump()
        after = os.times()
        took.append(sum(after[:4]) - sum(before[:4]))
    bench.close()
    lines = sum(it["added"] + it["deleted"] for it in report["files"])
    print(json.dumps({"seconds": took, "findings": report["total"], "lines": lines}))


def told(python: Path, root: Path, cache: Path, rounds: int) -> tuple[dict[str, Any], float]:
    """Return what a review in a new process said, and the processor time of that process."""
    command = [str(python), str(Path(__file__).resolve()), str(root), "--within", str(cache)]
    with tempfile.TemporaryFile() as out:
        before = os.times()
        subprocess.run([*command, "--rounds", str(rounds)], stdout=out, check=True)
        after = os.times()
        out.seek(0)
        return json.loads(out.read()), after[2] + after[3] - before[2] - before[3]


def main() -> None:
    """Review the change in turn with one tree or two, and write what it took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clone", type=Path)
    parser.add_argument("trees", nargs="*", type=Path, default=[])
    parser.add_argument("--within", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    if asked.within is not None:
        review(asked.clone, asked.within, asked.rounds)
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / asked.clone.name
        subprocess.run(
            [_GIT, "clone", "-q", "--depth=1", asked.clone.resolve().as_uri(), str(root)],
            check=True,
        )
        path = next(root / it for it in SAMPLES if (root / it).is_file())
        changed = rewritten(path.read_text(encoding="utf-8"))
        rows = []
        trees = [*asked.trees, HERE]
        caches = [Path(folder) / f"cache{it}" for it in range(len(trees))]
        new: list[list[float]] = [[] for _ in trees]
        for round_ in range(-1, asked.rounds):  # the first fills the caches
            for at, tree in enumerate(trees):
                path.write_text(changed, encoding="utf-8")
                said, cpu_s = told(tree / ".venv/bin/python", root, caches[at], 1)
                if round_ >= 0:
                    new[at].append(cpu_s)
        for at, tree in enumerate(trees):
            path.write_text(changed, encoding="utf-8")
            said, _ = told(tree / ".venv/bin/python", root, caches[at], asked.rounds + 1)
            warm = statistics.median(said["seconds"][1:])
            name = "this tree" if tree == HERE else f"before ({tree.name})"
            cold = statistics.median(new[at])
            rows.append(
                f"| {name} | {said['lines']} | {cold:.2f} | {warm:.2f} | {said['findings']} |"
            )
    head = "| | lines | new process, s | warm, s | findings |\n| --- | --- | --- | --- | --- |\n"
    text = f"{machine()}, {asked.clone.name}; processor time.\n\n{head}" + "\n".join(rows)
    write_section(f"Time of a review, {asked.clone.name}", text)


if __name__ == "__main__":
    main()
