"""Whether the account of a name has every line that `git grep -w` finds.

    python bench/accounting.py 60 CLONE...

For each random symbol, find_references is asked for everything, mentions included. Its account must
have as many lines and files as `git grep -w` in tracked text files, and each use that is listed has
to be on a line that git names, or be counted among those without the name. Differences are printed.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchpin.app import Workbench
from benchpin.code import index_of
from benchpin.core.calls import Job
from benchpin.facts import FileSelection
from results import help_if_asked

SEED = 20261120


def lines_of(root: Path, name: str) -> set[tuple[str, int]]:
    """Return the lines of tracked text files with a word."""
    command = ["git", "-c", "core.quotepath=off", "-C", str(root), "grep", "-nwIzF", "-e", name]
    done = subprocess.run(command, capture_output=True, check=False)
    found = re.findall(rb"([^\0\n]+)\0(\d+)\0", done.stdout)
    return {(path.decode(errors="replace"), int(line)) for path, line in found}


def symbols_of(bench: Workbench, count: int) -> list[str]:
    """Return random symbols, by id."""
    selection = FileSelection(bench.bench.session, bench.bench.permissions, Job())
    index = index_of(selection)
    ids = sorted(
        symbol.id
        for module in index.symbols.modules.values()
        for symbol in module.symbols.values()
        if re.fullmatch(r"[A-Za-z_]\w{2,}", symbol.name, re.ASCII)
    )
    drawn = random.Random(SEED)  # noqa: S311 - one that can be repeated
    return drawn.sample(ids, min(count, len(ids)))


def check(bench: Workbench, root: Path, symbol: str) -> str:
    """Return what differs for a symbol; empty if nothing does."""
    report = bench.call(
        "find_references", symbol=symbol, certainty="mention", limit=1_000, budget=0
    ).model_dump(mode="json")
    account = report["account"]
    grep = lines_of(root, account["name"])
    counted = sum(sum(kinds.values()) for kinds in account["counts"].values())
    said = []
    if counted != account["lines"]:
        said.append(f"classes add up to {counted} of {account['lines']} lines")
    if account["lines"] != len(grep) or account["files"] != len({path for path, _ in grep}):
        files = len({path for path, _ in grep})
        said.append(f"account {account['lines']} in {account['files']}, git {len(grep)} in {files}")
    listed = {(it["file"], it["line"]) for it in report["uses"]}
    without = len(listed - grep)
    if without > account["elsewhere"]:
        said.append(f"{without} uses without the name, {account['elsewhere']} in the account")
    return "; ".join(said)


def main(count: int, roots: list[Path]) -> None:
    """Print for each clone how many accounts are equal, and each that is not."""
    for root in roots:
        results: Counter[str] = Counter()
        with tempfile.TemporaryDirectory() as folder:
            bench = Workbench.open(root, data_dir=Path(folder))
            try:
                for symbol in symbols_of(bench, count):
                    differs = check(bench, root, symbol)
                    results["differs" if differs else "equal"] += 1
                    if differs:
                        print(f"  {symbol}: {differs}", flush=True)
            finally:
                bench.close()
        print(f"{root.name}: {json.dumps(results)}", flush=True)


if __name__ == "__main__":
    help_if_asked(__doc__)
    main(int(sys.argv[1]), [Path(it).resolve() for it in sys.argv[2:]])
